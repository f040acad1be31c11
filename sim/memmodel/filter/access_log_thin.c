/* SPDX-License-Identifier: Apache-2.0 */
/* When memory is used up, reads that others stand for are left out: no unit of the launch acquires from
 * another work-group, so a later write races with a read by one of two work-groups, whichever of the two it
 * is of. Two reads of each word by one instruction stay, of the first two work-groups, and all reads of the
 * first one before the second came. */
#include <stdlib.h>
#include <string.h>

#include "access_log_state.h"

enum { NO_UNIT, OTHERS = UINT32_MAX }; /* else 1 + the only work-group that read there */

struct thinning {
    const struct access_log *access_log;
    struct wave_items_note wave_items;
    uint32_t site, shift;
    uint32_t *reader; /* by word, of the instruction at that site */
};

/* Is the read one of those that stay? */
static bool stays(struct thinning *thinning, uint64_t offset, uint32_t size, uint64_t group)
{
    bool stays = false;
    for (uint64_t at = offset >> thinning->shift, end = (offset + size - 1) >> thinning->shift; at <= end;
         at++) {
        uint32_t *reader = &thinning->reader[at];
        stays |= *reader != OTHERS;
        *reader = *reader == NO_UNIT || *reader == 1 + group ? (uint32_t)(1 + group) : OTHERS;
    }
    return stays;
}

static uint64_t unit_of(const struct thinning *thinning, uint64_t lane)
{
    return thinning->wave_items.first + (thinning->wave_items.unit ? thinning->wave_items.unit[lane] : lane);
}

static void thin_list(struct thinning *thinning, struct note *note)
{
    uint32_t *offset = (uint32_t *)(note + 1), kept = 0, at = 0;
    uint64_t mask[LANE_MASK_WORDS];
    memcpy(mask, note->mask, sizeof mask);
    EACH_LANE_OF(mask, lane)
    {
        const uint32_t where = offset[at++];
        if (stays(thinning, where, note->size, unit_of(thinning, lane) / thinning->access_log->group_items))
            offset[kept++] = where;
        else
            note->mask[lane / 64] &= ~(UINT64_C(1) << lane % 64);
    }
    if (kept % 2)
        offset[kept] = 0;
    note->count = kept;
    note->bytes = (uint32_t)(sizeof *note + note_list_bytes(kept));
}

static void thin_lane(struct thinning *thinning, struct note *note, uint64_t offset, uint64_t lane)
{
    if (!stays(thinning, offset, note->size, unit_of(thinning, lane) / thinning->access_log->group_items))
        note->mask[lane / 64] &= ~(UINT64_C(1) << lane % 64);
}

static void thin_rows(struct thinning *thinning, struct note *note)
{
    uint64_t mask[LANE_MASK_WORDS];
    memcpy(mask, note->mask, sizeof mask);
    EACH_LANE_OF(mask, lane)
    thin_lane(thinning, note,
              note->base + (uint64_t)note->step_x * (lane % note->row) +
                  (uint64_t)note->step_y * (lane / note->row),
              lane);
}

static void thin_runs(struct thinning *thinning, struct note *note)
{
    const struct lane_run *run = (const struct lane_run *)(note + 1), *end = run + note->count;
    for (; run < end; run++)
        for (uint32_t lane = run->lane; lane < (uint32_t)run->lane + run->count; lane++)
            if (note->mask[lane / 64] >> lane % 64 & 1)
                thin_lane(thinning, note, run->at + (uint64_t)(lane - run->lane) * note->size, lane);
}

static void thin_note(struct thinning *thinning, struct note *note)
{
    if (note->shape == NOTE_LIST)
        thin_list(thinning, note);
    else if (note->shape == NOTE_AFFINE)
        thin_rows(thinning, note);
    else
        thin_runs(thinning, note);
}

static bool has_lanes(const struct note *note)
{
    uint64_t any = 0;
    for (int w = 0; w < LANE_MASK_WORDS; w++)
        any |= note->mask[w];
    return any;
}

static bool is_single_wave_items(const struct access_log *access_log, size_t last_wave_items, size_t used)
{
    return used > last_wave_items && last_wave_items != SIZE_MAX &&
           ((const struct note *)(const void *)(access_log->bytes + last_wave_items))->bytes ==
               used - last_wave_items;
}

/* Goes through all of them, and closes the gaps. */
static void thin_site(struct access_log *access_log, struct thinning *thinning)
{
    size_t used = 0, last_wave_items = SIZE_MAX;
    for (size_t at = 0, bytes; at < access_log->used; at += bytes) {
        struct note *note = (void *)(access_log->bytes + at);
        bytes = note->bytes;
        if (note->shape == NOTE_WAVE_ITEMS && is_single_wave_items(access_log, last_wave_items, used))
            used = last_wave_items; /* none of its reads are left */
        if (note->shape == NOTE_WAVE_ITEMS)
            thinning->wave_items =
                (struct wave_items_note){note->base, note->in_a_row ? NULL : (const uint32_t *)(note + 1)};
        else if (note->kind == ACCESS_READ && note->site == thinning->site)
            thin_note(thinning, note);
        if (note->shape != NOTE_WAVE_ITEMS && !has_lanes(note))
            continue;
        const size_t left = note->bytes;
        if (note->shape == NOTE_WAVE_ITEMS)
            last_wave_items = used;
        memmove(access_log->bytes + used, note, left);
        if (thinning->wave_items.unit && note->shape == NOTE_WAVE_ITEMS)
            thinning->wave_items.unit =
                (const uint32_t *)(const void *)(access_log->bytes + used + sizeof *note);
        used += left;
    }
    access_log->used = access_log->grained = used;
}

bool access_log_thin(struct access_log *access_log)
{
    const struct footprint_sites *sites = &access_log->sites[FOOTPRINT_READ];
    struct thinning thinning = {.access_log = access_log};
    const size_t before = access_log->used;
    if (!access_log->group_items || sites->more)
        return false;
    thinning.shift = (uint32_t)__builtin_ctz(access_log_grain(access_log));
    const uint64_t words = (access_log->size >> thinning.shift) + 1;
    thinning.reader = malloc(words * sizeof *thinning.reader);
    for (uint32_t i = 0; thinning.reader && i < sites->count; i++) {
        memset(thinning.reader, 0, words * sizeof *thinning.reader);
        thinning.site = sites->site[i];
        thin_site(access_log, &thinning);
    }
    free(thinning.reader);
    access_log->thinned |= access_log->used < before;
    return access_log->used <= before - before / 4; /* else it would not last */
}
