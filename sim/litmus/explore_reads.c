/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executions in which every value has a cause: some order executes each store before the reads of its
 * value. Threads run in any order, stores as soon as possible, and each read takes any earlier store that
 * the axioms allow. The reads so far are a position; two orders with the same reads reach the same
 * position, which is explored once.
 */
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "orders.h"

enum { INITIAL_STORE = 0xffff, POSITIONS_MOST = 1 << 22 };

/* A thread's operations so far: what each reads, and the store that it takes it from. */
struct history {
    uint32_t count;
    struct step *steps[EVENTS_MOST];
    struct reading read[EVENTS_MOST];
    uint16_t source[EVENTS_MOST];
};

struct read_explorer {
    struct unfold *unfold;
    uint32_t threads;
    bool thin_air, cut;
    enum status status;
    struct step *next[THREADS_MOST];
    struct history history[THREADS_MOST];
    struct orders orders;
    uint32_t *table; /* hash table of positions: 1 + offset in keys */
    size_t table_size, position_count;
    uint32_t *keys; /* each with its length in front */
    size_t keys_used, keys_room;
    uint32_t key[THREADS_MOST * (EVENTS_MOST + 1)];
};

static bool going(const struct read_explorer *reader)
{
    return reader->status == STATUS_OK && !reader->orders.stopped;
}

static void fail(struct read_explorer *reader)
{
    reader->status = reader->unfold->status != STATUS_OK ? reader->unfold->status : STATUS_OUT_OF_MEMORY;
}

/* ---- positions ------------------------------------------------------------------------------ */

static uint32_t make_key(struct read_explorer *reader)
{
    uint32_t length = 0;
    for (uint32_t i = 0; i < reader->threads; i++) {
        const struct history *history = &reader->history[i];
        reader->key[length++] = reader->next[i]->number;
        CHECKED(length <= sizeof reader->key / sizeof *reader->key && history->count <= EVENTS_MOST);
        for (uint32_t k = 0; k < history->count; k++)
            if (step_reads(history->steps[k]))
                reader->key[length++] = history->source[k];
    }
    return length;
}

static size_t slot_of(const struct read_explorer *reader, const uint32_t *key, uint32_t length)
{
    CHECKED((reader->table_size & (reader->table_size - 1)) == 0 &&
            reader->position_count < reader->table_size);
    uint64_t hash = 0xcbf29ce484222325;
    for (uint32_t i = 0; i < length; i++)
        hash = (hash ^ key[i]) * 0x100000001b3;
    size_t slot = (size_t)(hash ^ hash >> 29) & (reader->table_size - 1);
    for (; reader->table[slot]; slot = (slot + 1) & (reader->table_size - 1)) {
        const uint32_t *other = &reader->keys[reader->table[slot] - 1];
        if (other[0] == length && memcmp(other + 1, key, length * sizeof *key) == 0)
            break;
    }
    return slot;
}

static bool table_grow(struct read_explorer *reader)
{
    uint32_t *old = reader->table;
    size_t old_size = reader->table_size, size = old_size ? old_size * 2 : 1024;
    uint32_t *table = calloc(size, sizeof *table);
    if (!table)
        return false;
    reader->table = table;
    reader->table_size = size;
    for (size_t i = 0; i < old_size; i++)
        if (old[i])
            table[slot_of(reader, &reader->keys[old[i] - 1] + 1, reader->keys[old[i] - 1])] = old[i];
    free(old);
    return true;
}

static bool keys_grow(struct read_explorer *reader, uint32_t length)
{
    size_t room = reader->keys_room ? reader->keys_room : 4096;
    while (room < reader->keys_used + length + 1)
        room *= 2;
    uint32_t *keys = realloc(reader->keys, room * sizeof *keys);
    if (!keys)
        return false;
    reader->keys = keys;
    reader->keys_room = room;
    return true;
}

/* False: the position was explored before, or the exploration is over. */
static bool new_position(struct read_explorer *reader)
{
    uint32_t length = make_key(reader);
    if ((reader->position_count * 2 >= reader->table_size && !table_grow(reader)) ||
        (reader->keys_used + length + 1 > reader->keys_room && !keys_grow(reader, length))) {
        fail(reader);
        return false;
    }
    size_t slot = slot_of(reader, reader->key, length);
    if (reader->table[slot])
        return false;
    if (reader->position_count == POSITIONS_MOST) {
        reader->cut = true;
        return false;
    }
    reader->table[slot] = (uint32_t)reader->keys_used + 1;
    CHECKED(reader->keys_used + length < reader->keys_room);
    reader->keys[reader->keys_used] = length;
    memcpy(&reader->keys[reader->keys_used + 1], reader->key, length * sizeof *reader->key);
    reader->keys_used += length + 1;
    reader->position_count++;
    return true;
}

/* ---- steps ------------------------------------------------------------------------------------ */

static void take_step(struct read_explorer *reader, uint32_t thread, struct reading read, uint16_t source)
{
    struct history *history = &reader->history[thread];
    struct step *step = reader->next[thread];
    if (history->count == EVENTS_MOST) {
        reader->cut = true;
        reader->orders.stopped = true;
        return;
    }
    history->steps[history->count] = step;
    history->read[history->count] = read;
    CHECKED(history->count < EVENTS_MOST);
    history->source[history->count++] = source;
    reader->next[thread] = unfold_next(reader->unfold, step, read);
    if (!reader->next[thread])
        fail(reader);
}

static void undo_to(struct read_explorer *reader, uint32_t thread, uint32_t count)
{
    struct history *history = &reader->history[thread];
    if (history->count == count)
        return;
    reader->next[thread] = history->steps[count];
    history->count = count;
}

static bool group_arrived(const struct read_explorer *reader, uint32_t thread)
{
    const uint32_t *group = reader->unfold->places.group;
    for (uint32_t i = 0; i < reader->threads; i++)
        if (group[i] == group[thread] &&
            (reader->next[i]->kind != STEP_BARRIER || reader->next[i]->label != reader->next[thread]->label))
            return false;
    return true;
}

static bool settle_thread(struct read_explorer *reader, uint32_t thread)
{
    const uint32_t *group = reader->unfold->places.group;
    enum step_kind kind = reader->next[thread]->kind;
    if (kind == STEP_WRITE || kind == STEP_FENCE) {
        take_step(reader, thread, (struct reading){0, false}, 0);
        return true;
    }
    if (kind != STEP_BARRIER || !group_arrived(reader, thread))
        return false;
    for (uint32_t i = 0; i < reader->threads && going(reader); i++)
        if (group[i] == group[thread])
            take_step(reader, i, (struct reading){0, false}, 0);
    return true;
}

static void settle(struct read_explorer *reader)
{
    for (uint32_t i = 0; i < reader->threads && going(reader);)
        i = settle_thread(reader, i) ? 0 : i + 1;
}

/* ---- an execution: complete, or what is left waits ------------------------------------------------ */

/* The events so far, and what they read. False: there are too many. */
static bool make_candidate(struct read_explorer *reader)
{
    struct candidate *candidate = &reader->orders.candidate;
    uint32_t event_of[THREADS_MOST][EVENTS_MOST];
    reader->orders.latest = 0;
    candidate_init(candidate, reader->unfold, reader->thin_air);
    for (uint32_t i = 0; i < reader->threads; i++) {
        const struct history *history = &reader->history[i];
        reader->orders.last[i] = reader->next[i];
        for (uint32_t k = 0, barriers = 0; k < history->count; k++) {
            event_of[i][k] = candidate->count;
            if (!candidate_add(candidate, history->steps[k], history->read[k], barriers))
                return false;
            barriers += history->steps[k]->kind == STEP_BARRIER;
        }
    }
    candidate_link(candidate);
    orders_list_stores(&reader->orders);
    for (uint32_t i = 0; i < reader->threads; i++) {
        const struct history *history = &reader->history[i];
        const struct step *again = reader->next[i]->again;
        bool spins = false;
        for (uint32_t k = 0; k < history->count; k++) {
            uint16_t source = history->source[k];
            spins |= history->steps[k] == again;
            if (spins && step_reads(history->steps[k]))
                reader->orders.latest |= one_event(event_of[i][k]);
            if (step_reads(history->steps[k]))
                candidate->reads_from[event_of[i][k]] =
                    source == INITIAL_STORE ? orders_initial(&reader->orders, history->steps[k]->cell)
                                            : event_of[source >> 8][source & 0xff];
        }
    }
    return true;
}

static void judge(struct read_explorer *reader, enum execution_end end)
{
    reader->orders.end = end;
    if (make_candidate(reader))
        orders_visit(&reader->orders);
    else
        reader->cut = true;
}

/* ---- the search ------------------------------------------------------------------------------------- */

static void explore(struct read_explorer *reader);

/* Reads of older stores are refused as soon as they are made, not only once the execution is complete. */
static bool has_other_store(const struct read_explorer *reader, uint32_t cell, uint16_t source)
{
    for (uint32_t i = 0; i < reader->threads; i++) {
        const struct history *history = &reader->history[i];
        for (uint32_t k = 0; k < history->count; k++)
            if (step_is_access(history->steps[k]) && history->steps[k]->cell == cell &&
                step_writes(history->steps[k], history->read[k]) && (uint16_t)(i << 8 | k) != source)
                return true;
    }
    return false;
}

static bool is_possible(struct read_explorer *reader, uint32_t cell, uint16_t source)
{
    if (!has_other_store(reader, cell, source) || !make_candidate(reader) ||
        orders_are_possible(&reader->orders))
        return true;
    reader->orders.stopped |= !unfold_spend(reader->unfold, 1);
    return false;
}

static void read_from(struct read_explorer *reader, uint32_t thread, struct reading read, uint16_t source)
{
    uint32_t counts[THREADS_MOST];
    const uint32_t cell = reader->next[thread]->cell;
    for (uint32_t i = 0; i < reader->threads; i++)
        counts[i] = reader->history[i].count;
    take_step(reader, thread, read, source);
    if (going(reader) && is_possible(reader, cell, source))
        explore(reader);
    for (uint32_t i = 0; i < reader->threads; i++)
        undo_to(reader, i, counts[i]);
}

/* The thread's latest access in the cell's modification order: its last store of the cell, or the store
 * that it read. */
static bool last_source(const struct read_explorer *reader, uint32_t thread, uint32_t cell,
                        uint16_t *out_source)
{
    const struct history *history = &reader->history[thread];
    for (uint32_t k = history->count; k-- > 0;) {
        const struct step *step = history->steps[k];
        if (!step_is_access(step) || step->cell != cell)
            continue;
        *out_source = step_writes(step, history->read[k]) ? (uint16_t)(thread << 8 | k) : history->source[k];
        return true;
    }
    return false;
}

/* The store is certainly older than what the thread has read or stored. The axioms would refuse the other
 * cases, too; without this check a loop could read old stores for ever. */
static bool is_hidden(const struct read_explorer *reader, uint32_t thread, uint16_t source)
{
    uint16_t last;
    if (reader->thin_air || reader->unfold->explains ||
        !last_source(reader, thread, reader->next[thread]->cell, &last) || source == last)
        return false;
    return source == INITIAL_STORE || (last != INITIAL_STORE && source >> 8 == last >> 8 && source < last);
}

/* An update that stores reads it already: the next update has to read what that one stored. */
static bool is_taken(const struct read_explorer *reader, uint32_t cell, uint16_t source)
{
    if (reader->unfold->explains)
        return false;
    for (uint32_t i = 0; i < reader->threads; i++) {
        const struct history *history = &reader->history[i];
        for (uint32_t k = 0; k < history->count; k++) {
            const struct step *step = history->steps[k];
            if (step->kind == STEP_UPDATE && step->cell == cell && history->source[k] == source &&
                step_writes(step, history->read[k]))
                return true;
        }
    }
    return false;
}

static void try_source(struct read_explorer *reader, uint32_t thread, int32_t value, uint16_t source)
{
    const struct step *step = reader->next[thread];
    if (is_hidden(reader, thread, source))
        return;
    const struct reading read = {value, false}, refused = {value, true};
    if (step->kind != STEP_UPDATE || !step_writes(step, read) || !is_taken(reader, step->cell, source))
        read_from(reader, thread, read, source);
    if (step_may_refuse(step, value) && going(reader))
        read_from(reader, thread, refused, source);
}

static int32_t initial_value(const struct litmus *test, uint32_t cell)
{
    uint32_t i = 0;
    while (cell - test->locations[i].first_cell >= test->locations[i].cells)
        i++;
    return test->locations[i].initial[cell - test->locations[i].first_cell];
}

static void read_any(struct read_explorer *reader, uint32_t thread)
{
    uint32_t cell = reader->next[thread]->cell;
    try_source(reader, thread, initial_value(reader->unfold->test, cell), INITIAL_STORE);
    for (uint32_t i = 0; i < reader->threads; i++) {
        const struct history *history = &reader->history[i];
        for (uint32_t k = 0, count = history->count; k < count && going(reader); k++) {
            const struct step *step = history->steps[k];
            if (step_is_access(step) && step->cell == cell && step_writes(step, history->read[k]))
                try_source(reader, thread, step_stored(step, history->read[k]), (uint16_t)(i << 8 | k));
        }
    }
}

/* A spinning thread is not continued: the continuation exists without the iteration, too, except for its
 * races. */
static bool may_read(const struct read_explorer *reader, const struct step *next)
{
    return step_reads(next) && (!next->again || unfold_follows(reader->unfold, next));
}

/* The thread may wait here for ever. */
static bool waits(const struct step *next)
{
    return !step_reads(next) || (next->again && !next->by_chance);
}

/* ---- positions that lead to no execution ------------------------------------------------------------ */

/* The first of the accesses that the thread repeats for ever; count: it does not. */
static uint32_t spin_start(const struct read_explorer *reader, uint32_t thread)
{
    const struct history *history = &reader->history[thread];
    const struct step *next = reader->next[thread];
    uint32_t k = 0;
    if (!next->again || may_read(reader, next))
        return history->count;
    while (k < history->count && history->steps[k] != next->again)
        k++;
    return k;
}

/* Does an access follow the source in the modification order? */
static bool follows(const struct read_explorer *reader, uint32_t thread, uint32_t k, uint16_t source)
{
    const bool later = source != INITIAL_STORE && source >> 8 == thread && (source & 0xff) < k;
    return source == INITIAL_STORE || later ||
           (reader->history[thread].steps[k]->kind == STEP_UPDATE &&
            reader->history[thread].source[k] == source);
}

static bool is_superseded(const struct read_explorer *reader, const uint32_t *starts, uint32_t cell,
                          uint16_t source)
{
    for (uint32_t i = 0; i < reader->threads; i++) {
        const struct history *history = &reader->history[i];
        for (uint32_t k = 0; k < starts[i]; k++) {
            const struct step *step = history->steps[k];
            if (step_is_access(step) && step->cell == cell && step_writes(step, history->read[k]) &&
                follows(reader, i, k, source))
                return true;
        }
    }
    return false;
}

/* A thread that spins for ever reads the last store in the end (orders.c). Does one of them read another? */
static bool is_doomed(const struct read_explorer *reader)
{
    uint32_t starts[THREADS_MOST];
    for (uint32_t i = 0; i < reader->threads; i++)
        starts[i] = spin_start(reader, i);
    for (uint32_t i = 0; i < reader->threads && !reader->unfold->explains; i++) {
        const struct history *history = &reader->history[i];
        for (uint32_t k = starts[i]; k < history->count; k++)
            if (step_reads(history->steps[k]) &&
                is_superseded(reader, starts, history->steps[k]->cell, history->source[k]))
                return true;
    }
    return false;
}

static void explore(struct read_explorer *reader)
{
    reader->orders.stopped |= !unfold_spend(reader->unfold, 1);
    settle(reader);
    if (!going(reader) || is_doomed(reader) || !new_position(reader))
        return;
    bool ended = true, all_wait = true;
    for (uint32_t i = 0; i < reader->threads; i++) {
        const struct step *next = reader->next[i];
        reader->cut |= next->kind == STEP_CUT;
        if (next->kind == STEP_CUT || (next->by_chance && !may_read(reader, next)))
            return;
        ended &= next->kind == STEP_END;
        all_wait &= waits(next);
    }
    if (all_wait)
        judge(reader, ended ? EXECUTION_ENDED : EXECUTION_STUCK);
    for (uint32_t i = 0; i < reader->threads && going(reader); i++)
        if (may_read(reader, reader->next[i]))
            read_any(reader, i);
}

enum status explore_reads(struct unfold *unfold, bool thin_air, bool *out_cut, execution_visit *visit,
                          void *self)
{
    struct read_explorer *reader = calloc(1, sizeof *reader);
    if (!reader)
        return STATUS_OUT_OF_MEMORY;
    reader->unfold = unfold;
    reader->threads = unfold->test->thread_count;
    reader->thin_air = thin_air;
    reader->orders.unfold = unfold;
    reader->orders.visit = visit;
    reader->orders.self = self;
    unfold->spinners_stay = true;
    for (uint32_t i = 0; i < reader->threads && going(reader); i++)
        if (!(reader->next[i] = unfold_first(unfold, i)))
            fail(reader);
    if (going(reader))
        explore(reader);
    enum status status = reader->status;
    *out_cut |= reader->cut;
    free(reader->table);
    free(reader->keys);
    free(reader);
    return status;
}
