/* SPDX-License-Identifier: Apache-2.0 */
/* Where no room is left, reads that others stand for are left out: nobody in the launch learns what another work-group did, so
 * whoever writes later races with a read by one of two work-groups, whichever he is of. Two reads of each word by one
 * instruction stay, of the first two work-groups, and all that the first one did before the second came. */
#include <stdlib.h>
#include <string.h>

#include "notes_state.h"

enum { NOBODY, OTHERS = UINT32_MAX }; /* else 1 + the only work-group that read there */

struct thinning {
    const struct notes *notes;
    struct crew_note crew;
    uint32_t site, shift;
    uint32_t *reader; /* by word, of the instruction at that site */
};

/* Is the read one of those that stay? */
static bool stays(struct thinning *thinning, uint64_t offset, uint32_t size, uint64_t group)
{
    bool stays = false;
    for (uint64_t at = offset >> thinning->shift, end = (offset + size - 1) >> thinning->shift; at <= end; at++) {
        uint32_t *reader = &thinning->reader[at];
        stays |= *reader != OTHERS;
        *reader = *reader == NOBODY || *reader == 1 + group ? (uint32_t)(1 + group) : OTHERS;
    }
    return stays;
}

static void thin_list(struct thinning *thinning, struct note *note)
{
    uint32_t *offset = (uint32_t *)(note + 1), kept = 0, at = 0;
    uint64_t mask[LANE_MASK_WORDS];
    memcpy(mask, note->mask, sizeof mask);
    EACH_LANE_OF(mask, lane)
    {
        const uint64_t unit = thinning->crew.first + (thinning->crew.unit ? thinning->crew.unit[lane] : lane);
        const uint32_t where = offset[at++];
        if (stays(thinning, where, note->size, unit / thinning->notes->group_items))
            offset[kept++] = where;
        else
            note->mask[lane / 64] &= ~(UINT64_C(1) << lane % 64);
    }
    note->count = kept;
    note->bytes = (uint32_t)(sizeof *note + note_list_bytes(kept));
}

static bool is_lone_crew(const struct notes *notes, size_t last_crew, size_t used)
{
    return used > last_crew && last_crew != SIZE_MAX && ((const struct note *)(const void *)(notes->bytes + last_crew))->bytes == used - last_crew;
}

/* Goes through all of them, and closes the gaps. */
static void thin_site(struct notes *notes, struct thinning *thinning)
{
    size_t used = 0, last_crew = SIZE_MAX;
    for (size_t at = 0, bytes; at < notes->used; at += bytes) {
        struct note *note = (void *)(notes->bytes + at);
        bytes = note->bytes;
        if (note->shape == NOTE_CREW && is_lone_crew(notes, last_crew, used))
            used = last_crew; /* nobody of it has anything left */
        if (note->shape == NOTE_CREW)
            thinning->crew = (struct crew_note){note->base, note->in_a_row ? NULL : (const uint32_t *)(note + 1)};
        else if (note->shape == NOTE_LIST && note->kind == ACCESS_READ && note->site == thinning->site)
            thin_list(thinning, note);
        if (note->shape == NOTE_LIST && !note->count)
            continue;
        const size_t left = note->bytes;
        if (note->shape == NOTE_CREW)
            last_crew = used;
        memmove(notes->bytes + used, note, left);
        if (thinning->crew.unit && note->shape == NOTE_CREW)
            thinning->crew.unit = (const uint32_t *)(const void *)(notes->bytes + used + sizeof *note);
        used += left;
    }
    notes->used = notes->grained = used;
}

bool notes_thin(struct notes *notes)
{
    const struct footprint_sites *sites = &notes->sites[FOOTPRINT_READ];
    struct thinning thinning = {.notes = notes};
    const size_t before = notes->used;
    if (!notes->group_items || sites->more)
        return false;
    thinning.shift = (uint32_t)__builtin_ctz(notes_grain(notes));
    const uint64_t words = (notes->size >> thinning.shift) + 1;
    thinning.reader = malloc(words * sizeof *thinning.reader);
    for (uint32_t i = 0; thinning.reader && i < sites->count; i++) {
        memset(thinning.reader, 0, words * sizeof *thinning.reader);
        thinning.site = sites->site[i];
        thin_site(notes, &thinning);
    }
    free(thinning.reader);
    notes->thinned |= notes->used < before;
    return notes->used <= before - before / 4; /* else it would not last */
}
