/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where no room is left, notes that say the same again are left out: the same work-items did the same by the
 * same instruction, at the same places and clock values, as in a loop that keeps a sum in memory. A replay of
 * one is a replay of all: it takes notes in no order, and of one unit's accesses to a cell by one instruction
 * in one segment it keeps one.
 *
 * Notes are found again by a hash of their bytes, and compared byte by byte; note_room() clears what a note
 * has between its fields. Of the work-items a note has the place of the first note that named the same ones.
 */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "access_log_state.h"

/* 1 + where a note stands, by hash; a note in the log after notes of other work-items has theirs beside
 * it. */
struct known_note {
    size_t at, items;
};

struct search {
    struct access_log *access_log;
    struct known_note *known;
    size_t room;  /* a power of two */
    size_t items; /* 1 + where those that the notes speak of are named first */
};

static struct note *note_at(const struct access_log *access_log, size_t at)
{
    return (struct note *)(void *)(access_log->bytes + at);
}

/* The note like it that stands further ahead, by the same work-items; else it becomes known, and the
 * result is its own. */
static size_t find_or_add(struct search *search, size_t at, size_t items)
{
    const struct note *note = note_at(search->access_log, at);
    size_t slot = XXH3_64bits_withSeed(note, note->bytes, items) & (search->room - 1);
    for (; search->known[slot].at; slot = (slot + 1) & (search->room - 1)) {
        const struct known_note *known = &search->known[slot];
        const struct note *other = note_at(search->access_log, known->at - 1);
        if (known->items == items && other->bytes == note->bytes && memcmp(other, note, note->bytes) == 0)
            return known->at - 1;
    }
    search->known[slot] = (struct known_note){at + 1, items};
    return at;
}

static size_t count_access_log(const struct access_log *access_log)
{
    size_t count = 0;
    for (size_t at = 0; at < access_log->used; at += note_at(access_log, at)->bytes)
        count++;
    return count;
}

/* The note that names no work-items of any other note is written over by the next that names some. */
static bool is_single(const struct access_log *access_log, size_t last_named, size_t used)
{
    return last_named != SIZE_MAX && last_named + note_at(access_log, last_named)->bytes == used;
}

/* The note at `at` moves to `used`, which is at or before it, if it stays. The result: where the next one
 * goes. */
static size_t keep(struct search *search, size_t at, size_t used, size_t *last_named)
{
    struct access_log *access_log = search->access_log;
    const bool names = note_at(access_log, at)->shape == NOTE_WAVE_ITEMS;
    const size_t bytes = note_at(access_log, at)->bytes;
    if (names && is_single(access_log, *last_named, used))
        used = *last_named;
    memmove(access_log->bytes + used, access_log->bytes + at, bytes);
    if (!names)
        return find_or_add(search, used, search->items) == used ? used + bytes : used;
    *last_named = used;
    search->items = 1 + find_or_add(search, used, 0);
    return used + bytes;
}

bool access_log_leave_repeats(struct access_log *access_log)
{
    struct search search = {.access_log = access_log, .room = 1};
    const size_t before = access_log->used, count = count_access_log(access_log);
    size_t used = 0, last_named = SIZE_MAX;
    while (search.room < 2 * count)
        search.room *= 2;
    search.known = calloc(search.room, sizeof *search.known);
    if (!search.known)
        return false;
    for (size_t at = 0, bytes; at < before; at += bytes) {
        bytes = note_at(access_log, at)->bytes;
        used = keep(&search, at, used, &last_named);
    }
    free(search.known);
    access_log->used = access_log->grained = used;
    return used <= before - before / 4; /* else it would not last */
}
