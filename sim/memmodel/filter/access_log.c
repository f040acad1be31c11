/* SPDX-License-Identifier: Apache-2.0 */
/* The access log: runs of accesses of whole waves, replayed into the shadow if another unit comes. */
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
    access_log->used = access_log->grained = 0;
    access_log->thinned = false;
    access_log->grains = 0;
    access_log->wave_items = 0;
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

/* ---- where ------------------------------------------------------------------------------- */

/* All lanes of all rows, be they active or not. */
static bool rows_within(const struct access_event *event, uint64_t low, uint64_t room)
{
    const uint32_t lanes = event->lane_count, row = event->row && event->row < lanes ? event->row : lanes;
    const bool steps = event->shape == ADDRESS_AFFINE;
    const uint64_t across = steps ? (uint64_t)event->step_x * (row - 1) : 0,
                   down = steps ? (uint64_t)event->step_y * ((lanes - 1) / row) : 0,
                   offset = event->base - low;
    const uint64_t corner[4] = {offset, offset + across, offset + down, offset + across + down};
    bool within = true;
    for (int i = 0; i < 4; i++)
        within &= corner[i] <= room;
    return within;
}

bool access_log_places(const struct access_log *access_log, const struct access_event *event,
                       struct places *out)
{
    const uint64_t room = access_log->size - event->size_bytes;
    if (event->shape != ADDRESS_LIST)
        return event->size_bytes <= access_log->size && rows_within(event, access_log->low, room);
    const struct lane_list list = {event->address,    event->mask,     event->lane_count,
                                   event->size_bytes, access_log->low, access_log->size};
    if (event->size_bytes > access_log->size || access_log->size > UINT32_MAX)
        return false;
    if (access_log->loops->find(&list, &out->runs))
        return true;
    out->runs.count = 0;
    return access_log->loops->list(&list, out->at, &out->count, &out->bits);
}

/* ---- writing ------------------------------------------------------------------------------- */

static size_t run_bytes(uint32_t count)
{
    return count * sizeof(struct lane_run);
}

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

static struct note *note_room(struct access_log *access_log, size_t bytes)
{
    if (access_log->used + bytes > access_log->room && !grow(access_log, access_log->used + bytes) &&
        !(access_log_thin(access_log) && access_log->used + bytes <= access_log->room))
        return NULL;
    struct note *note = (struct note *)(void *)(access_log->bytes + access_log->used);
    note->bytes = (uint32_t)bytes;
    access_log->used += bytes;
    CHECKED(bytes % sizeof(uint64_t) == 0 && access_log->used <= access_log->room);
    return note;
}

static enum footprint_use use_of(uint32_t kind)
{
    return kind == ACCESS_READ          ? FOOTPRINT_READ
           : kind == ACCESS_WRITE       ? FOOTPRINT_WRITTEN
           : kind == ACCESS_ATOMIC_READ ? FOOTPRINT_ATOMIC_READ
                                        : FOOTPRINT_ATOMIC;
}

static bool note_wave_items(struct access_log *access_log, const struct wave_wave_items *wave_items)
{
    for (uint32_t i = 0; !wave_items->in_a_row && i < wave_items->lanes; i++)
        if (wave_items->unit[i] - wave_items->first_unit > UINT32_MAX)
            return false;
    struct note *note =
        note_room(access_log, sizeof *note + (wave_items->in_a_row ? 0 : note_list_bytes(wave_items->lanes)));
    if (!note)
        return false;
    note->shape = NOTE_WAVE_ITEMS;
    note->base = wave_items->first_unit;
    note->in_a_row = wave_items->in_a_row;
    uint32_t *unit = (uint32_t *)(note + 1);
    for (uint32_t i = 0; !wave_items->in_a_row && i < wave_items->lanes; i++)
        unit[i] = (uint32_t)(wave_items->unit[i] - wave_items->first_unit);
    if (!wave_items->in_a_row && wave_items->lanes % 2)
        unit[wave_items->lanes] = 0;
    access_log->wave_items = wave_items->serial;
    return true;
}

/* As many offsets as fill whole words of eight bytes. */
static void note_list(struct note *note, const struct places *listed)
{
    uint32_t *offset = (uint32_t *)(note + 1);
    memcpy(offset, listed->at, listed->count * sizeof *offset);
    if (listed->count % 2)
        offset[listed->count] = 0;
}

bool access_log_add(struct access_log *access_log, const struct access_event *event,
                    const struct places *listed, const struct wave_wave_items *wave_items, uint64_t clock,
                    enum memory_scope scope)
{
    const enum note_shape shape = event->shape != ADDRESS_LIST ? NOTE_AFFINE
                                  : listed->runs.count         ? NOTE_RUNS
                                                               : NOTE_LIST;
    const size_t rest = shape == NOTE_RUNS   ? run_bytes(listed->runs.count)
                        : shape == NOTE_LIST ? note_list_bytes(listed->count)
                                             : 0,
                 bytes = sizeof(struct note) + rest;
    struct note *note =
        access_log->wave_items == wave_items->serial || note_wave_items(access_log, wave_items)
            ? note_room(access_log, bytes)
            : NULL;
    if (!note)
        return false;
    note->site = event->origin.site;
    note->size = event->size_bytes;
    note->row = event->row ? event->row : event->lane_count;
    note->shape = (uint8_t)shape;
    note->kind = (uint8_t)event->kind;
    note->order = (uint8_t)event->order;
    note->scope = (uint8_t)scope;
    note->count = shape == NOTE_RUNS ? listed->runs.count : shape == NOTE_LIST ? listed->count : 0;
    note->clock = clock;
    note->base = event->base - access_log->low;
    note->step_x = event->shape == ADDRESS_AFFINE ? event->step_x : 0;
    note->step_y = event->shape == ADDRESS_AFFINE ? event->step_y : 0;
    memcpy(note->mask, event->mask, sizeof note->mask);
    if (shape == NOTE_RUNS)
        memcpy(note + 1, listed->runs.run, rest);
    else if (shape == NOTE_LIST)
        note_list(note, listed);
    footprint_sites_add(&access_log->sites[use_of(note->kind)], note->site);
    return true;
}

/* ---- reading ----------------------------------------------------------------------------------- */

/* NULL: that was the last. */
static const struct note *note_after(const struct access_log *access_log, const struct note *note)
{
    size_t at = note ? (size_t)((const uint8_t *)note - access_log->bytes) + note->bytes : 0;
    return at < access_log->used ? (const void *)(access_log->bytes + at) : NULL;
}

#define EACH_NOTE(access_log, note) \
    for (const struct note *note = note_after(access_log, NULL); note; note = note_after(access_log, note))

static void replay_runs(const struct note *note, const struct wave_items_note *wave_items,
                        struct past_access *access, uint64_t low, past_visitor *visit, void *self)
{
    const struct lane_run *run = (const struct lane_run *)(note + 1), *end = run + note->count;
    for (; run < end; run++)
        for (uint32_t lane = run->lane; lane < (uint32_t)run->lane + run->count; lane++) {
            if (!(note->mask[lane / 64] >> lane % 64 & 1))
                continue;
            access->unit = wave_items->first + (wave_items->unit ? wave_items->unit[lane] : lane);
            access->address = low + run->at + (uint64_t)(lane - run->lane) * note->size;
            visit(self, access);
        }
}

static void replay_note(const struct access_log *access_log, const struct note *note,
                        const struct wave_items_note *wave_items, past_visitor *visit, void *self)
{
    struct past_access access = {.clock = note->clock,
                                 .site = note->site,
                                 .size = note->size,
                                 .kind = (enum access_kind)note->kind,
                                 .order = (enum memory_ordering)note->order,
                                 .scope = (enum memory_scope)note->scope};
    const uint32_t *offset = (const uint32_t *)(note + 1);
    if (note->shape == NOTE_RUNS) {
        replay_runs(note, wave_items, &access, access_log->low, visit, self);
        return;
    }
    EACH_LANE_OF(note->mask, lane)
    {
        access.unit = wave_items->first + (wave_items->unit ? wave_items->unit[lane] : lane);
        access.address = access_log->low + note->base + (uint64_t)note->step_x * (lane % note->row) +
                         (uint64_t)note->step_y * (lane / note->row);
        if (note->shape == NOTE_LIST)
            access.address = access_log->low + *offset++;
        visit(self, &access);
    }
}

void access_log_replay(const struct access_log *access_log, past_visitor *visit, void *self)
{
    struct wave_items_note wave_items = {0, NULL};
    EACH_NOTE(access_log, note)
    {
        if (note->shape == NOTE_WAVE_ITEMS)
            wave_items =
                (struct wave_items_note){note->base, note->in_a_row ? NULL : (const uint32_t *)(note + 1)};
        else
            replay_note(access_log, note, &wave_items, visit, self);
    }
}

/* Called by each event, if an epoch filter is out of memory: looks at the accesses since. */
uint32_t access_log_grain(struct access_log *access_log)
{
    uint64_t bits = 4 | access_log->grains;
    for (const struct note *note; access_log->grained < access_log->used;
         access_log->grained += note->bytes) {
        note = (const void *)(access_log->bytes + access_log->grained);
        const uint32_t *offset = (const uint32_t *)(note + 1);
        const struct lane_run *run = (const struct lane_run *)(note + 1);
        if (note->shape == NOTE_WAVE_ITEMS)
            continue;
        bits |= note->size;
        for (uint32_t i = 0; note->shape == NOTE_RUNS && i < note->count; i++)
            bits |= run[i].at;
        if (note->shape == NOTE_AFFINE)
            bits |= note->base | (uint64_t)note->step_x | (uint64_t)note->step_y;
        for (uint32_t i = 0; note->shape == NOTE_LIST && i < note->count; i++)
            bits |= offset[i];
    }
    access_log->grains = bits;
    return (uint32_t)(bits & (0 - bits));
}

/* ---- footprint --------------------------------------------------------------------------------- */

struct collection {
    uint64_t *bits;
    uint64_t low;
    uint32_t shift;
};

static void fill(struct collection *collection, uint64_t offset, uint64_t bytes)
{
    for (uint64_t at = offset >> collection->shift, end = at + (bytes >> collection->shift); at < end; at++)
        collection->bits[at / 64] |= UINT64_C(1) << at % 64;
}

static void collect(void *self, const struct past_access *access)
{
    struct collection *collection = self;
    fill(collection, access->address - collection->low, access->size);
}

static void collect_list(struct collection *collection, const struct note *note)
{
    const uint32_t *offset = (const uint32_t *)(note + 1);
    for (uint32_t i = 0; i < note->count; i++)
        fill(collection, offset[i], note->size);
}

/* Neighbours in a row at once, where nothing lies between them. */
static void collect_rows(struct collection *collection, const struct note *note)
{
    uint32_t end;
    for (uint32_t lane = next_lane(note->mask, 0, WAVE_LANES_MAX, true); lane < WAVE_LANES_MAX;
         lane = next_lane(note->mask, end, WAVE_LANES_MAX, true)) {
        const uint32_t y = lane / note->row, row_end = (y + 1) * note->row;
        end = note->step_x == (int64_t)note->size
                  ? next_lane(note->mask, lane, row_end < WAVE_LANES_MAX ? row_end : WAVE_LANES_MAX, false)
                  : lane + 1;
        fill(collection,
             note->base + (uint64_t)note->step_x * (lane - y * note->row) + (uint64_t)note->step_y * y,
             (uint64_t)(end - lane) * note->size);
    }
}

bool access_log_collect(struct access_log *access_log, enum footprint_use use, const uint32_t *site,
                        struct byte_set *bytes)
{
    struct collection collection = {.low = access_log->low,
                                    .shift = (uint32_t)__builtin_ctz(access_log_grain(access_log))};
    const uint64_t words = (access_log->size >> collection.shift) / 64 + 1;
    struct byte_run run = {0, 0};
    if (!access_log->sites[use].count)
        return true;
    collection.bits = calloc(words, sizeof *collection.bits);
    if (!collection.bits)
        return false;
    const struct wave_items_note no_unit = {0, NULL};
    EACH_NOTE(access_log, note)
    {
        if (note->shape == NOTE_WAVE_ITEMS || use_of(note->kind) != use || (site && note->site != *site))
            continue;
        if (note->shape == NOTE_LIST)
            collect_list(&collection, note);
        else if (note->shape == NOTE_AFFINE)
            collect_rows(&collection, note);
        else
            replay_note(access_log, note, &no_unit, collect, &collection);
    }
    for (uint64_t w = 0; w < words; w++)
        byte_set_add_granules(bytes, &run, (w * 64) << collection.shift, collection.bits[w],
                              collection.shift);
    byte_set_add(bytes, run.low, run.high);
    free(collection.bits);
    return true;
}

/* ---- invariants -------------------------------------------------------------------------------- */

static size_t rest_bytes(const struct note *note)
{
    return note->shape == NOTE_RUNS ? run_bytes(note->count) : note_list_bytes(note->count);
}

/* Every access lies within the allocation. */
static void check_offsets(const struct access_log *access_log, const struct note *note)
{
    const uint32_t *offset = (const uint32_t *)(note + 1);
    const struct lane_run *run = (const struct lane_run *)(note + 1);
    for (uint32_t i = 0; note->shape == NOTE_LIST && i < note->count; i++)
        CHECKED((uint64_t)offset[i] + note->size <= access_log->size);
    for (uint32_t i = 0; note->shape == NOTE_RUNS && i < note->count; i++) {
        CHECKED((uint32_t)run[i].lane + run[i].count <= WAVE_LANES_MAX);
        CHECKED(run[i].at + (uint64_t)run[i].count * note->size <= access_log->size);
    }
}

static void check_note(const struct access_log *access_log, const struct note *note)
{
    uint32_t lanes = 0;
    for (uint32_t w = 0; w < LANE_MASK_WORDS; w++)
        lanes += (uint32_t)__builtin_popcountll(note->mask[w]);
    CHECKED(note->size > 0 && note->size <= access_log->size && note->row > 0);
    CHECKED(note->kind <= ACCESS_ATOMIC_UPDATE && note->order <= ORDER_SEQ_CST);
    CHECKED(note->scope <= SCOPE_ALL_SVM);
    CHECKED(lanes > 0 && access_log->sites[use_of(note->kind)].count > 0);
    CHECKED(note->shape != NOTE_LIST || note->count == lanes);
    CHECKED(note->shape != NOTE_AFFINE || !note->count);
    CHECKED(note->bytes == sizeof *note + rest_bytes(note));
    check_offsets(access_log, note);
}

void access_log_check(const struct access_log *access_log)
{
    size_t at = 0;
    bool has_units = false, grained = !access_log->grained;
    CHECKED(access_log->used <= access_log->room && access_log->grained <= access_log->used);
    EACH_NOTE(access_log, note)
    {
        CHECKED(note->shape <= NOTE_LIST);
        CHECKED(note->bytes >= sizeof *note && note->bytes % sizeof(uint64_t) == 0);
        has_units |= note->shape == NOTE_WAVE_ITEMS;
        CHECKED(has_units); /* of the lanes of the first access, too */
        if (note->shape != NOTE_WAVE_ITEMS)
            check_note(access_log, note);
        at += note->bytes;
        grained |= at == access_log->grained;
    }
    CHECKED(at == access_log->used && grained);
    CHECKED(!access_log->wave_items || has_units);
}
