/* SPDX-License-Identifier: Apache-2.0 */
#include "notes_state.h"

#include <stdlib.h>
#include <string.h>

#include "lane_mask.h"
#include "orrery/limits.h"

void notes_forget(struct notes *notes)
{
    if (!notes->used)
        return;
    notes->used = notes->grained = 0;
    notes->thinned = false;
    notes->grains = 0;
    notes->crew = 0;
    for (int use = 0; use < FOOTPRINT_USES; use++)
        notes->sites[use] = (struct footprint_sites){.count = 0};
}

bool spare_resize(struct spare *spare, uint64_t share, uint64_t before, uint64_t after)
{
    const uint64_t less = before > share ? before - share : 0, more = after > share ? after - share : 0;
    if (spare->used - less + more > spare->most && more > less)
        return false;
    spare->used += more - less;
    return true;
}

void notes_release(struct notes *notes)
{
    notes_forget(notes);
    spare_resize(notes->spare, notes->size, notes->room, 0);
    free(notes->bytes);
    notes->bytes = NULL;
    notes->room = 0;
}

void notes_fini(struct notes *notes)
{
    if (notes->spare)
        notes_release(notes);
    memset(notes, 0, sizeof *notes);
}

/* ---- where ------------------------------------------------------------------------------- */

/* All lanes of all rows, be they active or not. */
static bool rows_within(const struct access_event *event, uint64_t low, uint64_t room)
{
    const uint32_t lanes = event->lane_count, row = event->row && event->row < lanes ? event->row : lanes;
    const bool steps = event->shape == ADDRESS_AFFINE;
    const uint64_t across = steps ? (uint64_t)event->step_x * (row - 1) : 0, down = steps ? (uint64_t)event->step_y * ((lanes - 1) / row) : 0,
                   offset = event->base - low;
    const uint64_t corner[4] = {offset, offset + across, offset + down, offset + across + down};
    bool within = true;
    for (int i = 0; i < 4; i++)
        within &= corner[i] <= room;
    return within;
}

bool notes_places(const struct notes *notes, const struct access_event *event, struct places *out)
{
    const uint64_t room = notes->size - event->size_bytes;
    if (event->shape != ADDRESS_LIST)
        return event->size_bytes <= notes->size && rows_within(event, notes->low, room);
    const struct lane_list list = {event->address, event->mask, event->lane_count, event->size_bytes, notes->low, notes->size};
    if (event->size_bytes > notes->size || notes->size > UINT32_MAX)
        return false;
    if (notes->loops->find(&list, &out->runs))
        return true;
    out->runs.count = 0;
    return notes->loops->list(&list, out->at, &out->count, &out->bits);
}

/* ---- writing ------------------------------------------------------------------------------- */

static size_t run_bytes(uint32_t count) { return count * sizeof(struct lane_run); }

static bool grow(struct notes *notes, size_t least)
{
    size_t room = notes->room ? notes->room * 2 : HOSTILE(1 << 14, 256);
    while (room < least)
        room *= 2;
    if (!spare_resize(notes->spare, notes->size, notes->room, room))
        return false;
    uint8_t *grown = realloc(notes->bytes, room);
    if (!grown) {
        spare_resize(notes->spare, notes->size, room, notes->room);
        return false;
    }
    notes->bytes = grown;
    notes->room = room;
    return true;
}

static struct note *note_room(struct notes *notes, size_t bytes)
{
    if (notes->used + bytes > notes->room && !grow(notes, notes->used + bytes) && !(notes_thin(notes) && notes->used + bytes <= notes->room))
        return NULL;
    struct note *note = (struct note *)(void *)(notes->bytes + notes->used);
    note->bytes = (uint32_t)bytes;
    notes->used += bytes;
    return note;
}

static enum footprint_use use_of(uint32_t kind)
{
    return kind == ACCESS_READ ? FOOTPRINT_READ : kind == ACCESS_WRITE ? FOOTPRINT_WRITTEN : kind == ACCESS_ATOMIC_READ ? FOOTPRINT_ATOMIC_READ : FOOTPRINT_ATOMIC;
}

static bool note_crew(struct notes *notes, const struct wave_crew *crew)
{
    for (uint32_t i = 0; !crew->in_a_row && i < crew->lanes; i++)
        if (crew->unit[i] - crew->first_unit > UINT32_MAX)
            return false;
    struct note *note = note_room(notes, sizeof *note + (crew->in_a_row ? 0 : note_list_bytes(crew->lanes)));
    if (!note)
        return false;
    note->shape = NOTE_CREW;
    note->base = crew->first_unit;
    note->in_a_row = crew->in_a_row;
    uint32_t *unit = (uint32_t *)(note + 1);
    for (uint32_t i = 0; !crew->in_a_row && i < crew->lanes; i++)
        unit[i] = (uint32_t)(crew->unit[i] - crew->first_unit);
    notes->crew = crew->serial;
    return true;
}

bool notes_add(struct notes *notes, const struct access_event *event, const struct places *listed, const struct wave_crew *crew,
               uint64_t tick, enum memory_scope scope)
{
    const enum note_shape shape = event->shape != ADDRESS_LIST ? NOTE_AFFINE : listed->runs.count ? NOTE_RUNS : NOTE_LIST;
    const size_t rest = shape == NOTE_RUNS ? run_bytes(listed->runs.count) : shape == NOTE_LIST ? note_list_bytes(listed->count) : 0,
                 bytes = sizeof(struct note) + rest;
    struct note *note = notes->crew == crew->serial || note_crew(notes, crew) ? note_room(notes, bytes) : NULL;
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
    note->tick = tick;
    note->base = event->base - notes->low;
    note->step_x = event->shape == ADDRESS_AFFINE ? event->step_x : 0;
    note->step_y = event->shape == ADDRESS_AFFINE ? event->step_y : 0;
    memcpy(note->mask, event->mask, sizeof note->mask);
    if (shape == NOTE_RUNS)
        memcpy(note + 1, listed->runs.run, rest);
    else if (shape == NOTE_LIST)
        memcpy(note + 1, listed->at, listed->count * sizeof *listed->at);
    footprint_sites_add(&notes->sites[use_of(note->kind)], note->site);
    return true;
}

/* ---- reading ----------------------------------------------------------------------------------- */

/* NULL: that was the last. */
static const struct note *note_after(const struct notes *notes, const struct note *note)
{
    size_t at = note ? (size_t)((const uint8_t *)note - notes->bytes) + note->bytes : 0;
    return at < notes->used ? (const void *)(notes->bytes + at) : NULL;
}

#define EACH_NOTE(notes, note) \
    for (const struct note *note = note_after(notes, NULL); note; note = note_after(notes, note))

static void replay_runs(const struct note *note, const struct crew_note *crew, struct past_access *access, uint64_t low, past_visitor *visit,
                        void *self)
{
    const struct lane_run *run = (const struct lane_run *)(note + 1), *end = run + note->count;
    for (; run < end; run++)
        for (uint32_t lane = run->lane; lane < (uint32_t)run->lane + run->count; lane++) {
            if (!(note->mask[lane / 64] >> lane % 64 & 1))
                continue;
            access->unit = crew->first + (crew->unit ? crew->unit[lane] : lane);
            access->address = low + run->at + (uint64_t)(lane - run->lane) * note->size;
            visit(self, access);
        }
}

static void replay_note(const struct notes *notes, const struct note *note, const struct crew_note *crew, past_visitor *visit, void *self)
{
    struct past_access access = {.tick = note->tick, .site = note->site, .size = note->size, .kind = (enum access_kind)note->kind,
                                 .order = (enum memory_order)note->order, .scope = (enum memory_scope)note->scope};
    const uint32_t *offset = (const uint32_t *)(note + 1);
    if (note->shape == NOTE_RUNS) {
        replay_runs(note, crew, &access, notes->low, visit, self);
        return;
    }
    EACH_LANE_OF(note->mask, lane)
    {
        access.unit = crew->first + (crew->unit ? crew->unit[lane] : lane);
        access.address = notes->low + note->base + (uint64_t)note->step_x * (lane % note->row) + (uint64_t)note->step_y * (lane / note->row);
        if (note->shape == NOTE_LIST)
            access.address = notes->low + *offset++;
        visit(self, &access);
    }
}

void notes_replay(const struct notes *notes, past_visitor *visit, void *self)
{
    struct crew_note crew = {0, NULL};
    EACH_NOTE(notes, note)
    {
        if (note->shape == NOTE_CREW)
            crew = (struct crew_note){note->base, note->in_a_row ? NULL : (const uint32_t *)(note + 1)};
        else
            replay_note(notes, note, &crew, visit, self);
    }
}

/* Asked for by each event, where a sieve finds no room: looks at what came since. */
uint32_t notes_grain(struct notes *notes)
{
    uint64_t bits = 4 | notes->grains;
    for (const struct note *note; notes->grained < notes->used; notes->grained += note->bytes) {
        note = (const void *)(notes->bytes + notes->grained);
        const uint32_t *offset = (const uint32_t *)(note + 1);
        const struct lane_run *run = (const struct lane_run *)(note + 1);
        if (note->shape == NOTE_CREW)
            continue;
        bits |= note->size;
        for (uint32_t i = 0; note->shape == NOTE_RUNS && i < note->count; i++)
            bits |= run[i].at;
        if (note->shape == NOTE_AFFINE)
            bits |= note->base | (uint64_t)note->step_x | (uint64_t)note->step_y;
        for (uint32_t i = 0; note->shape == NOTE_LIST && i < note->count; i++)
            bits |= offset[i];
    }
    notes->grains = bits;
    return (uint32_t)(bits & (0 - bits));
}

/* ---- footprint --------------------------------------------------------------------------------- */

struct collection { uint64_t *bits; uint64_t low; uint32_t shift; };

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
    for (uint32_t lane = next_lane(note->mask, 0, WAVE_LANES_MAX, true); lane < WAVE_LANES_MAX; lane = next_lane(note->mask, end, WAVE_LANES_MAX, true)) {
        const uint32_t y = lane / note->row, row_end = (y + 1) * note->row;
        end = note->step_x == (int64_t)note->size ? next_lane(note->mask, lane, row_end < WAVE_LANES_MAX ? row_end : WAVE_LANES_MAX, false) : lane + 1;
        fill(collection, note->base + (uint64_t)note->step_x * (lane - y * note->row) + (uint64_t)note->step_y * y, (uint64_t)(end - lane) * note->size);
    }
}

bool notes_collect(struct notes *notes, enum footprint_use use, const uint32_t *site, struct byte_set *bytes)
{
    struct collection collection = {.low = notes->low, .shift = (uint32_t)__builtin_ctz(notes_grain(notes))};
    const uint64_t words = (notes->size >> collection.shift) / 64 + 1;
    struct byte_run run = {0, 0};
    if (!notes->sites[use].count)
        return true;
    collection.bits = calloc(words, sizeof *collection.bits);
    if (!collection.bits)
        return false;
    const struct crew_note nobody = {0, NULL};
    EACH_NOTE(notes, note)
    {
        if (note->shape == NOTE_CREW || use_of(note->kind) != use || (site && note->site != *site))
            continue;
        if (note->shape == NOTE_LIST)
            collect_list(&collection, note);
        else if (note->shape == NOTE_AFFINE)
            collect_rows(&collection, note);
        else
            replay_note(notes, note, &nobody, collect, &collection);
    }
    for (uint64_t w = 0; w < words; w++)
        byte_set_add_granules(bytes, &run, (w * 64) << collection.shift, collection.bits[w], collection.shift);
    byte_set_add(bytes, run.low, run.high);
    free(collection.bits);
    return true;
}
