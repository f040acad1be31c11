/* SPDX-License-Identifier: Apache-2.0 */
/* The access log: an array of records of different lengths, appended in the order of execution. A wave's
 * units are recorded once, before its first access. When the budget is used up, access_log_thin.c tries to
 * make space. */
#include "access_log_state.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "sim/memmodel/common/lane_mask.h"
#include "orrery/limits.h"

void access_log_forget(struct access_log *access_log)
{
    if (!access_log->used)
        return;
    access_log->used = access_log->grain_scanned = 0;
    access_log->thinned = false;
    access_log->grain_bits = 0;
    access_log->units_serial = 0;
    for (int use = 0; use < FOOTPRINT_USES; use++)
        access_log->sites[use] = (struct footprint_sites){.count = 0};
}

bool spare_resize(struct spare *spare, uint64_t share, uint64_t before, uint64_t after)
{
    const uint64_t less = before > share ? before - share : 0, more = after > share ? after - share : 0;
    if (spare->used - less + more > spare->most && more > less)
        return false;
    CHECKED(spare->used >= less); /* what was taken before */
    spare->used += more - less;
    return true;
}

void access_log_release(struct access_log *access_log)
{
    access_log_forget(access_log);
    spare_resize(access_log->spare, access_log->size, access_log->room, 0);
    free(access_log->bytes);
    access_log->bytes = NULL;
    access_log->room = 0;
}

void access_log_fini(struct access_log *access_log)
{
    if (access_log->spare)
        access_log_release(access_log);
    memset(access_log, 0, sizeof *access_log);
}

/* ---- writing ------------------------------------------------------------------------------- */

static bool grow(struct access_log *access_log, size_t least)
{
    size_t room = access_log->room ? access_log->room * 2 : HOSTILE(1 << 14, 256);
    while (room < least)
        room *= 2;
    if (!spare_resize(access_log->spare, access_log->size, access_log->room, room))
        return false;
    uint8_t *grown = realloc(access_log->bytes, room);
    if (!grown) {
        spare_resize(access_log->spare, access_log->size, room, access_log->room);
        return false;
    }
    access_log->bytes = grown;
    access_log->room = room;
    CHECKED(room >= least);
    return true;
}

static struct log_record *record_room(struct access_log *access_log, size_t bytes)
{
    if (access_log->used + bytes > access_log->room && !grow(access_log, access_log->used + bytes) &&
        !(access_log_thin(access_log) && access_log->used + bytes <= access_log->room))
        return NULL;
    struct log_record *record = (struct log_record *)(void *)(access_log->bytes + access_log->used);
    record->bytes = (uint32_t)bytes;
    access_log->used += bytes;
    CHECKED(bytes % sizeof(uint64_t) == 0 && access_log->used <= access_log->room);
    return record;
}

static enum footprint_use use_of(uint32_t kind)
{
    return kind == ACCESS_READ          ? FOOTPRINT_READ
           : kind == ACCESS_WRITE       ? FOOTPRINT_WRITTEN
           : kind == ACCESS_ATOMIC_READ ? FOOTPRINT_ATOMIC_READ
                                        : FOOTPRINT_ATOMIC;
}

static bool add_units(struct access_log *access_log, const struct lane_units *units)
{
    for (uint32_t i = 0; !units->in_a_row && i < units->lanes; i++)
        if (units->unit[i] - units->first_unit > UINT32_MAX)
            return false;
    struct log_record *record =
        record_room(access_log, sizeof *record + (units->in_a_row ? 0 : record_list_bytes(units->lanes)));
    if (!record)
        return false;
    record->shape = RECORD_UNITS;
    record->base = units->first_unit;
    record->in_a_row = units->in_a_row;
    uint32_t *unit = (uint32_t *)(record + 1);
    for (uint32_t i = 0; !units->in_a_row && i < units->lanes; i++)
        unit[i] = (uint32_t)(units->unit[i] - units->first_unit);
    if (!units->in_a_row && units->lanes % 2)
        unit[units->lanes] = 0;
    access_log->units_serial = units->serial;
    return true;
}

bool access_log_list(const struct access_log *access_log, const struct access_event *event,
                     struct lane_places *out)
{
    const uint64_t low = access_log->low, last = access_log->size - event->size_bytes;
    uint64_t outside = 0, bits = 0;
    uint32_t count = 0;
    if (event->size_bytes > access_log->size || access_log->size > UINT32_MAX)
        return false;
    if (all_set(event->mask, 0, event->lane_count)) /* a loop that can use vectors */
        for (; count < event->lane_count; count++) {
            const uint64_t offset = event->address[count] - low;
            outside |= offset | (last - offset);
            bits |= offset;
            out->at[count] = (uint32_t)offset;
        }
    else
        EACH_LANE_OF(event->mask, lane)
        {
            const uint64_t offset = event->address[lane] - low;
            outside |= offset | (last - offset);
            bits |= offset;
            out->at[count++] = (uint32_t)offset;
        }
    out->count = count;
    out->bits = (uint32_t)bits;
    return (int64_t)outside >= 0;
}

/* An odd last offset is followed by a 0, so that records have no undefined bytes. */
static void copy_list(struct log_record *record, const struct lane_places *listed)
{
    uint32_t *offset = (uint32_t *)(record + 1);
    memcpy(offset, listed->at, listed->count * sizeof *offset);
    if (listed->count % 2)
        offset[listed->count] = 0;
}

static uint32_t lanes_of(const uint64_t mask[LANE_MASK_WORDS])
{
    uint32_t lanes = 0;
    for (uint32_t w = 0; w < LANE_MASK_WORDS; w++)
        lanes += ones_of(mask[w]);
    return lanes;
}

bool access_log_add(struct access_log *access_log, const struct access_event *event,
                    const struct lane_places *listed, const struct lane_units *units, uint64_t clock,
                    enum memory_scope scope)
{
    const bool is_list = event->shape == ADDRESS_LIST;
    const size_t bytes = sizeof(struct log_record) + (is_list ? record_list_bytes(listed->count) : 0);
    struct log_record *record = access_log->units_serial == units->serial || add_units(access_log, units)
                                    ? record_room(access_log, bytes)
                                    : NULL;
    if (!record)
        return false;
    record->count = is_list ? listed->count : 0;
    if (is_list)
        copy_list(record, listed);
    record->site = event->origin.site;
    record->size = event->size_bytes;
    record->row = event->row ? event->row : event->lane_count;
    record->shape = is_list ? RECORD_LIST : RECORD_AFFINE;
    record->kind = (uint8_t)event->kind;
    record->order = (uint8_t)event->order;
    record->scope = (uint8_t)scope;
    record->clock = clock;
    record->base = event->base - access_log->low;
    record->step_x = event->shape == ADDRESS_AFFINE ? event->step_x : 0;
    record->step_y = event->shape == ADDRESS_AFFINE ? event->step_y : 0;
    memcpy(record->mask, event->mask, sizeof record->mask);
    footprint_sites_add(&access_log->sites[use_of(record->kind)], record->site);
    return true;
}

/* ---- reading ----------------------------------------------------------------------------------- */

/* NULL: `record` was the last. */
static const struct log_record *record_after(const struct access_log *access_log,
                                             const struct log_record *record)
{
    size_t at = record ? (size_t)((const uint8_t *)record - access_log->bytes) + record->bytes : 0;
    return at < access_log->used ? (const void *)(access_log->bytes + at) : NULL;
}

#define EACH_RECORD(access_log, record)                                            \
    for (const struct log_record *record = record_after(access_log, NULL); record; \
         record = record_after(access_log, record))

static void replay_record(const struct access_log *access_log, const struct log_record *record,
                          const struct logged_units *units, past_visitor *visit, void *self)
{
    struct past_access access = {.clock = record->clock,
                                 .site = record->site,
                                 .size = record->size,
                                 .kind = (enum access_kind)record->kind,
                                 .order = (enum memory_ordering)record->order,
                                 .scope = (enum memory_scope)record->scope};
    const uint32_t *offset = (const uint32_t *)(record + 1);
    EACH_LANE_OF(record->mask, lane)
    {
        access.unit = units->first + (units->unit ? units->unit[lane] : lane);
        access.address = access_log->low + record->base + (uint64_t)record->step_x * (lane % record->row) +
                         (uint64_t)record->step_y * (lane / record->row);
        if (record->shape == RECORD_LIST)
            access.address = access_log->low + *offset++;
        visit(self, &access);
    }
}

void access_log_replay(const struct access_log *access_log, past_visitor *visit, void *self)
{
    struct logged_units units = {0, NULL};
    EACH_RECORD(access_log, record)
    {
        if (record->shape == RECORD_UNITS)
            units =
                (struct logged_units){record->base, record->in_a_row ? NULL : (const uint32_t *)(record + 1)};
        else
            replay_record(access_log, record, &units, visit, self);
    }
}

/* Scans only the records since the last call: without memory for epochs this is called for each access. */
uint32_t access_log_grain(struct access_log *access_log)
{
    uint64_t bits = 4 | access_log->grain_bits;
    for (const struct log_record *record; access_log->grain_scanned < access_log->used;
         access_log->grain_scanned += record->bytes) {
        record = (const void *)(access_log->bytes + access_log->grain_scanned);
        const uint32_t *offset = (const uint32_t *)(record + 1);
        if (record->shape == RECORD_UNITS)
            continue;
        bits |= record->size;
        if (record->shape == RECORD_AFFINE)
            bits |= record->base | (uint64_t)record->step_x | (uint64_t)record->step_y;
        for (uint32_t i = 0; record->shape == RECORD_LIST && i < record->count; i++)
            bits |= offset[i];
    }
    access_log->grain_bits = bits;
    return (uint32_t)(bits & (0 - bits));
}

/* ---- footprint --------------------------------------------------------------------------------- */

struct log_collection {
    uint64_t *bits;
    uint32_t shift;
};

static void fill(struct log_collection *log_collection, uint64_t offset, uint64_t bytes)
{
    for (uint64_t at = offset >> log_collection->shift, end = at + (bytes >> log_collection->shift); at < end;
         at++)
        log_collection->bits[at / 64] |= UINT64_C(1) << at % 64;
}

static void collect_list(struct log_collection *log_collection, const struct log_record *record)
{
    const uint32_t *offset = (const uint32_t *)(record + 1);
    for (uint32_t i = 0; i < record->count; i++)
        fill(log_collection, offset[i], record->size);
}

/* Active lanes whose addresses follow each other in one row are one run. */
static void collect_rows(struct log_collection *log_collection, const struct log_record *record)
{
    uint32_t end;
    for (uint32_t lane = next_lane(record->mask, 0, WAVE_LANES_MAX, true); lane < WAVE_LANES_MAX;
         lane = next_lane(record->mask, end, WAVE_LANES_MAX, true)) {
        const uint32_t y = lane / record->row, row_end = (y + 1) * record->row;
        end = record->step_x == (int64_t)record->size
                  ? next_lane(record->mask, lane, row_end < WAVE_LANES_MAX ? row_end : WAVE_LANES_MAX, false)
                  : lane + 1;
        fill(log_collection,
             record->base + (uint64_t)record->step_x * (lane - y * record->row) +
                 (uint64_t)record->step_y * y,
             (uint64_t)(end - lane) * record->size);
    }
}

bool access_log_collect(struct access_log *access_log, enum footprint_use use, const uint32_t *site,
                        struct byte_set *bytes)
{
    struct log_collection log_collection = {.shift = (uint32_t)__builtin_ctz(access_log_grain(access_log))};
    const uint64_t words = (access_log->size >> log_collection.shift) / 64 + 1;
    struct byte_run run = {0, 0};
    if (!access_log->sites[use].count)
        return true;
    log_collection.bits = calloc(words, sizeof *log_collection.bits);
    if (!log_collection.bits)
        return false;
    EACH_RECORD(access_log, record)
    {
        if (record->shape == RECORD_UNITS || use_of(record->kind) != use || (site && record->site != *site))
            continue;
        if (record->shape == RECORD_LIST)
            collect_list(&log_collection, record);
        else
            collect_rows(&log_collection, record);
    }
    for (uint64_t w = 0; w < words; w++)
        byte_set_add_granules(bytes, &run, (w * 64) << log_collection.shift, log_collection.bits[w],
                              log_collection.shift);
    byte_set_add(bytes, run.low, run.high);
    free(log_collection.bits);
    return true;
}

/* ---- invariants -------------------------------------------------------------------------------- */

static void check_record(const struct access_log *access_log, const struct log_record *record)
{
    const uint32_t lanes = lanes_of(record->mask);
    CHECKED(record->size > 0 && record->size <= access_log->size && record->row > 0);
    CHECKED(record->kind <= ACCESS_ATOMIC_UPDATE && record->order <= ORDER_SEQ_CST);
    CHECKED(record->scope <= SCOPE_ALL_SVM);
    CHECKED(lanes > 0 && access_log->sites[use_of(record->kind)].count > 0);
    CHECKED(record->shape != RECORD_LIST || record->count == lanes);
    CHECKED(record->shape != RECORD_AFFINE || !record->count);
    CHECKED(record->bytes == sizeof *record + record_list_bytes(record->count));
    for (uint32_t i = 0; i < record->count; i++)
        CHECKED((uint64_t)((const uint32_t *)(record + 1))[i] + record->size <= access_log->size);
}

void access_log_check(const struct access_log *access_log)
{
    size_t at = 0;
    bool has_units = false, grain_scanned = !access_log->grain_scanned;
    CHECKED(access_log->used <= access_log->room && access_log->grain_scanned <= access_log->used);
    EACH_RECORD(access_log, record)
    {
        CHECKED(record->shape <= RECORD_LIST);
        CHECKED(record->bytes >= sizeof *record && record->bytes % sizeof(uint64_t) == 0);
        has_units |= record->shape == RECORD_UNITS;
        CHECKED(has_units); /* before the first access */
        if (record->shape != RECORD_UNITS)
            check_record(access_log, record);
        at += record->bytes;
        grain_scanned |= at == access_log->grain_scanned;
    }
    CHECKED(at == access_log->used && grain_scanned);
    CHECKED(!access_log->units_serial || has_units);
}
