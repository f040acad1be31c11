/* SPDX-License-Identifier: Apache-2.0 */
/* Removes redundant reads when the budget is used up, in launches in which no work-group acquires from
 * another. Lemma: if two work-groups have read a word, every later write races with the read of at least one,
 * since it is not of that group. So of each instruction's reads of a word these stay: all of the first
 * work-group until a second one reads, and the first of the second. The races that are found are the same;
 * fewer pairs are counted. */
#include <stdlib.h>
#include <string.h>

#include "access_log_state.h"

/* The readers of a word so far: none, two work-groups or more, or else 1 + the only work-group. */
enum { NO_GROUP, SEVERAL_GROUPS = UINT32_MAX };

struct thinning {
    const struct access_log *access_log;
    struct logged_units units;
    uint32_t site, shift;
    uint32_t *reader; /* of each granule of 1 << shift bytes, by the instruction at `site` */
};

/* Does the read stay? It does if it is needed for any of its granules. */
static bool stays(struct thinning *thinning, uint64_t offset, uint32_t size, uint64_t group)
{
    bool stays = false;
    for (uint64_t at = offset >> thinning->shift, end = (offset + size - 1) >> thinning->shift; at <= end;
         at++) {
        uint32_t *reader = &thinning->reader[at];
        stays |= *reader != SEVERAL_GROUPS;
        *reader = *reader == NO_GROUP || *reader == 1 + group ? (uint32_t)(1 + group) : SEVERAL_GROUPS;
    }
    return stays;
}

static uint64_t unit_of(const struct thinning *thinning, uint64_t lane)
{
    return thinning->units.first + (thinning->units.unit ? thinning->units.unit[lane] : lane);
}

/* The lanes whose reads stay, and in a list their offsets. */
static void thin_record(struct thinning *thinning, struct log_record *record)
{
    const bool is_list = record->shape == RECORD_LIST;
    uint32_t *offset = (uint32_t *)(record + 1), kept = 0, next = 0;
    uint64_t mask[LANE_MASK_WORDS];
    memcpy(mask, record->mask, sizeof mask);
    EACH_LANE_OF(mask, lane)
    {
        const uint64_t at = is_list ? offset[next++]
                                    : record->base + (uint64_t)record->step_x * (lane % record->row) +
                                          (uint64_t)record->step_y * (lane / record->row);
        if (!stays(thinning, at, record->size, unit_of(thinning, lane) / thinning->access_log->group_items))
            record->mask[lane / 64] &= ~(UINT64_C(1) << lane % 64);
        else if (is_list)
            offset[kept++] = (uint32_t)at;
    }
    if (kept % 2)
        offset[kept] = 0;
    record->count = kept;
    record->bytes = (uint32_t)(sizeof *record + record_list_bytes(kept));
}

static bool has_lanes(const struct log_record *record)
{
    uint64_t any = 0;
    for (int w = 0; w < LANE_MASK_WORDS; w++)
        any |= record->mask[w];
    return any;
}

static bool has_no_accesses(const struct access_log *access_log, size_t last_units, size_t used)
{
    return used > last_units && last_units != SIZE_MAX &&
           ((const struct log_record *)(const void *)(access_log->bytes + last_units))->bytes ==
               used - last_units;
}

/* Thins the reads of one instruction, and moves the records that stay together. Units without accesses go. */
static void thin_site(struct access_log *access_log, struct thinning *thinning)
{
    size_t used = 0, last_units = SIZE_MAX;
    for (size_t at = 0, bytes; at < access_log->used; at += bytes) {
        struct log_record *record = (void *)(access_log->bytes + at);
        bytes = record->bytes;
        if (record->shape == RECORD_UNITS && has_no_accesses(access_log, last_units, used))
            used = last_units; /* its accesses are all removed */
        if (record->shape == RECORD_UNITS)
            thinning->units =
                (struct logged_units){record->base, record->in_a_row ? NULL : (const uint32_t *)(record + 1)};
        else if (record->kind == ACCESS_READ && record->site == thinning->site)
            thin_record(thinning, record);
        if (record->shape != RECORD_UNITS && !has_lanes(record))
            continue;
        const size_t left = record->bytes;
        if (record->shape == RECORD_UNITS)
            last_units = used;
        memmove(access_log->bytes + used, record, left);
        if (thinning->units.unit && record->shape == RECORD_UNITS)
            thinning->units.unit =
                (const uint32_t *)(const void *)(access_log->bytes + used + sizeof *record);
        used += left;
    }
    access_log->used = access_log->grain_scanned = used;
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
    return access_log->used <= before - before / 4; /* with less space it would soon be called again */
}
