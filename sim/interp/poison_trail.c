/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes on uninitialised bytes, in one hash table per wave. The key is a lane and either a source, for what
 * it read, or a word of private memory, for what was stored there. If a source read several times, its note
 * keeps the first address and a count.
 *
 * Lemma: a word of private memory that is read while it is uninitialised was either never written, or the
 * last store to it has a note. The note of an uninitialised store is kept until the next one; a store of an
 * initialised value marks the word as initialised, so its old note is not used. If the table is full, no
 * origin is reported: a missing note would look like memory that was never written.
 */
#include "poison_trail.h"

#include <stdlib.h>
#include <string.h>

#include "wave.h"

enum { NOTES_FIRST = 64, NOTES_KEPT = 1024, NOTES_MOST = HOSTILE(1 << 14, 8) };

struct poison_note {
    uint64_t key; /* 0: unused */
    struct poison_end end;
    uint64_t low, high; /* of a word: the bytes that the store left uninitialised */
};

struct poison_trail {
    struct poison_note *notes; /* capacity is a power of two; at most three quarters are used */
    uint32_t room, count;
    bool full;
};

/* ---- the table ------------------------------------------------------------------------------- */

static uint64_t key_of_source(uint32_t source, uint32_t lane)
{
    return (uint64_t)source << 16 | (uint64_t)lane << 1 | 1;
}

static uint64_t key_of_word(uint64_t address, uint32_t lane)
{
    return UINT64_C(1) << 63 | (address - PRIVATE_BASE) / 4 << 16 | (uint64_t)lane << 1 | 1;
}

static struct poison_note *find(const struct poison_trail *trail, uint64_t key)
{
    uint32_t at = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (trail->room - 1);
    while (trail->notes[at].key && trail->notes[at].key != key)
        at = (at + 1) & (trail->room - 1);
    return &trail->notes[at];
}

static bool grow(struct poison_trail *trail)
{
    const struct poison_trail old = *trail;
    const uint32_t room = old.room ? old.room * 2 : NOTES_FIRST;
    struct poison_note *notes = old.count < NOTES_MOST ? calloc(room, sizeof *notes) : NULL;
    if (!notes)
        return false;
    trail->notes = notes;
    trail->room = room;
    for (uint32_t i = 0; i < old.room; i++)
        if (old.notes[i].key)
            *find(trail, old.notes[i].key) = old.notes[i];
    free(old.notes);
    return true;
}

/* The note of this key; a new one has end.kind unknown and no bytes. NULL: the table is full. */
static struct poison_note *note_of(struct wave *wave, uint64_t key)
{
    struct poison_trail *trail = wave->trail;
    if (!trail && !(trail = wave->trail = calloc(1, sizeof *trail)))
        return NULL;
    if (trail->room) {
        struct poison_note *known = find(trail, key);
        if (known->key)
            return known;
    }
    if (trail->full || (trail->count >= trail->room / 4 * 3 && !grow(trail))) {
        trail->full = true;
        return NULL;
    }
    trail->count++;
    struct poison_note *note = find(trail, key);
    *note = (struct poison_note){.key = key};
    return note;
}

static const struct poison_note *known(const struct wave *wave, uint64_t key)
{
    const struct poison_trail *trail = wave->trail;
    const struct poison_note *note = trail && trail->room ? find(trail, key) : NULL;
    return note && note->key ? note : NULL;
}

void poison_trail_clear(struct poison_trail *trail)
{
    if (!trail || (!trail->count && !trail->full))
        return;
    if (trail->room > NOTES_KEPT) {
        free(trail->notes);
        *trail = (struct poison_trail){0};
    } else if (trail->room) {
        memset(trail->notes, 0, trail->room * sizeof *trail->notes);
    }
    trail->count = 0;
    trail->full = false;
}

/* NULL: nothing to copy, or out of memory: then the copy has neither notes nor the flag `full`. */
struct poison_trail *poison_trail_copy(const struct poison_trail *trail)
{
    struct poison_trail *copy = trail ? calloc(1, sizeof *copy) : NULL;
    if (!copy)
        return NULL;
    struct poison_note *notes = trail->room ? calloc(trail->room, sizeof *notes) : NULL;
    *copy = *trail;
    copy->notes = notes;
    if (notes)
        memcpy(notes, trail->notes, trail->room * sizeof *notes);
    else
        *copy = (struct poison_trail){.full = trail->count > 0 || trail->full};
    return copy;
}

void poison_trail_free(struct poison_trail *trail)
{
    if (trail)
        free(trail->notes);
    free(trail);
}

/* ---- what is noted --------------------------------------------------------------------------- */

/* The note on the store into these bytes of the lane's private memory. Unknown if that store also wrote
 * other bytes of one of their words. False: no note. */
static bool left_in(const struct wave *wave, uint32_t lane, uint64_t address, uint32_t bytes,
                    struct poison_end *out_end)
{
    if (!wave_is_private_address(address))
        return false;
    for (uint64_t word = address / 4 * 4; word < address + bytes; word += 4) {
        const struct poison_note *note = known(wave, key_of_word(word, lane));
        if (!note)
            continue;
        const bool all = note->low <= address && note->high >= address + bytes;
        *out_end = all ? note->end : (struct poison_end){.bytes = bytes};
        return true;
    }
    return false;
}

static bool is_same_place(const struct poison_end *a, const struct poison_end *b)
{
    return a->kind == b->kind && a->source == b->source && a->address == b->address && a->bytes == b->bytes &&
           a->image == b->image;
}

static bool is_source(const struct wave *wave, uint32_t source)
{
    return source && source < wave->code->poison_source_count;
}

static void add_end(struct wave *wave, uint32_t source, uint32_t lane, const struct poison_end *end)
{
    struct poison_note *note = note_of(wave, key_of_source(source, lane));
    if (note && note->end.kind == POISON_END_UNKNOWN && !note->end.bytes)
        note->end = *end;
    else if (note && is_same_place(&note->end, end))
        note->end.more = note->end.more > end->more ? note->end.more : end->more;
    else if (note)
        note->end.more += note->end.more < UINT32_MAX;
}

void poison_trail_read(struct wave *wave, uint32_t source, uint32_t lane, uint64_t address, uint32_t bytes)
{
    struct poison_end end;
    if (!is_source(wave, source))
        return;
    if (!left_in(wave, lane, address, bytes, &end))
        end = (struct poison_end){
            .kind = POISON_END_MEMORY, .source = source, .bytes = bytes, .address = address};
    add_end(wave, source, lane, &end);
}

void poison_trail_texel(struct wave *wave, uint32_t source, uint32_t lane, uint32_t image, uint64_t address,
                        uint32_t bytes)
{
    const struct poison_end end = {
        .kind = POISON_END_MEMORY, .source = source, .bytes = bytes, .address = address, .image = image};
    if (is_source(wave, source))
        add_end(wave, source, lane, &end);
}

void poison_trail_left(struct wave *wave, uint32_t list, uint32_t lane, uint64_t address, uint32_t bytes)
{
    struct poison_end ends[POISON_ENDS];
    if (!wave->code->poison_source_count)
        return;
    const bool one = list && poison_trail_ends(wave, list, lane, ends) == 1;
    const struct poison_end end = one ? ends[0] : (struct poison_end){.bytes = bytes};
    for (uint64_t word = address / 4 * 4; word < address + bytes; word += 4) {
        struct poison_note *note = note_of(wave, key_of_word(word, lane));
        if (note) {
            note->end = end;
            note->low = address;
            note->high = address + bytes;
        }
    }
}

/* ---- queries --------------------------------------------------------------------------- */

/* A read without a note found all its bytes initialised. False: unknown. */
static bool end_of(const struct wave *wave, uint32_t source, uint32_t lane, struct poison_end *out_end,
                   bool *out_found)
{
    const struct poison_note *note;
    *out_found = true;
    if (wave->code->poison_sources[source].origin != POISON_READ) {
        *out_end = (struct poison_end){.kind = POISON_END_SOURCE, .source = source};
        return true;
    }
    note = known(wave, key_of_source(source, lane));
    *out_found = note != NULL;
    if (note)
        *out_end = note->end;
    return !note || note->end.kind != POISON_END_UNKNOWN;
}

uint32_t poison_trail_ends(const struct wave *wave, uint32_t list, uint32_t lane,
                           struct poison_end out_ends[POISON_ENDS])
{
    const struct code *code = wave->code;
    uint32_t count = 0;
    if (!list || list >= code->poison_list_words || (wave->trail && wave->trail->full))
        return 0;
    const uint32_t *sources = &code->poison_lists[list + 1];
    for (uint32_t i = 0; i < code->poison_lists[list]; i++) {
        struct poison_end end;
        bool found, same = false;
        if (!end_of(wave, sources[i], lane, &end, &found))
            return 0;
        for (uint32_t k = 0; found && k < count; k++)
            if (is_same_place(&out_ends[k], &end)) {
                out_ends[k].more = end.more > out_ends[k].more ? end.more : out_ends[k].more;
                same = true;
            }
        if (!found || same)
            continue;
        if (count == POISON_ENDS)
            return 0;
        out_ends[count++] = end;
    }
    return count;
}
