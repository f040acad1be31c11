/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replays the log with a flag's plain accesses as a release store and an acquire load. Plain accesses have
 * no entries in the log, so each store is put as late in its segment as its readers allow: then it releases
 * most. A store is replayed before a load that read it, and where a race's first access may come after the
 * store in the same segment, that access is asked for after the store.
 */
#include "explain_replay.h"

/* A read of the flag; the log index of its store's segment, and of where the store is replayed. */
struct placed_read {
    const struct flag_read *flag_read;
    uint32_t first_at, store_at;
    bool stored; /* the store was replayed */
};

struct flag_replay {
    const struct question *question;
    const struct flag *flag;
    struct placed_read items[FLAG_READS_MOST];
    uint32_t count;
    /* By instance: the log index at which the first access's clock value is asked for, */
    uint32_t ask_at[RACE_INSTANCES_MOST];
    bool ask_after_stores[RACE_INSTANCES_MOST]; /* whether that is after the stores replayed there, */
    uint64_t clock[RACE_INSTANCES_MOST];        /* and the value */
    struct replay replay;
};

/* Each store is put at the end of its segment, or at the place of the load if that comes first. */
static void place_reads(struct flag_replay *state)
{
    const struct question *question = state->question;
    for (uint32_t i = question->flag_reads->count; i-- > 0;) {
        const struct flag_read *flag_read = flag_read_at(question->flag_reads, i);
        struct placed_read *read = &state->items[state->count];
        if (!is_read_of_flag(flag_read, state->flag))
            continue;
        read->flag_read = flag_read;
        read->first_at = explain_locate(question->sync_log, &flag_read->store, flag_read->end);
        read->store_at = explain_next_of(question, flag_read->store.unit, read->first_at, flag_read->end);
        state->count++;
    }
}

/* Where to ask for the first access of an instance. An access that may follow the unit's store of the flag
 * in the same segment is not released by it, so it is asked for after the store. */
static void place_first_access(struct flag_replay *state, uint32_t index)
{
    const struct racing_access *first = &state->question->instances[index].first;
    const uint32_t first_at = state->question->instances[index].first_at;
    state->ask_at[index] = first_at;
    state->clock[index] = UINT64_MAX;
    state->ask_after_stores[index] = false;
    for (uint32_t i = 0; i < state->count; i++) {
        const struct placed_read *read = &state->items[i];
        const struct racing_access *store = &read->flag_read->store;
        const bool same_segment = store->unit == first->unit && read->first_at == first_at;
        if (store->atomic || !same_segment || ASK(state->question, precedes, first->site, state->flag->store))
            continue;
        state->ask_after_stores[index] = true;
        if (read->store_at > state->ask_at[index])
            state->ask_at[index] = read->store_at;
    }
}

static void replay_flag_access(struct flag_replay *state, const struct flag_read *flag_read, bool stores)
{
    const struct racing_access *access = stores ? &flag_read->store : &flag_read->load;
    replay_happen(&state->replay, &(struct sync_op){.kind = SYNC_OP_ATOMIC,
                                                    .order = stores ? ORDER_RELEASE : ORDER_ACQUIRE,
                                                    .scope = (uint8_t)state->flag->scope,
                                                    .region = (int8_t)flag_read->region,
                                                    .reads = !stores,
                                                    .writes = stores,
                                                    .site = access->site,
                                                    .size = access->size,
                                                    .by = access->unit,
                                                    .address = flag_read->address});
}

/* Asks for the clock values of first accesses of that unit; UNIT_END: of any. */
static void ask_first(struct flag_replay *state, uint32_t at, bool ask_after_stores, uint64_t unit)
{
    for (uint32_t i = 0; i < state->question->instance_count; i++) {
        const uint64_t first = state->question->instances[i].first.unit;
        if (state->ask_at[i] == at && state->ask_after_stores[i] == ask_after_stores &&
            (unit == UNIT_END || first == unit))
            state->clock[i] = replay_segment(&state->replay, first);
    }
}

/* A load and a store of the flag by one work-item: does the load come first? It does if it began the store's
 * segment, or if the code always has it first. */
static bool loads_first(const struct flag_replay *state, const struct placed_read *load,
                        const struct placed_read *store)
{
    const struct flag_read *flag_read = load->flag_read;
    const struct sync_op *items = state->question->sync_log->items;
    const uint32_t at = explain_past_latest_of(state->question, flag_read->load.unit, flag_read->end);
    const struct sync_op *latest = at > 0 ? &items[at - 1] : NULL;
    const bool is_load =
        latest && is_atomic(latest) && latest->writes && latest->site == flag_read->load.site;
    return (is_load && at <= store->first_at) ||
           ASK(state->question, precedes, flag_read->load.site, state->flag->store);
}

static bool comes_before_load(const struct flag_replay *state, const struct placed_read *store,
                              const struct placed_read *load)
{
    return store == load ||
           (store->flag_read->store.unit == load->flag_read->load.unit && !loads_first(state, load, store));
}

/* Replays stores whose place this is: for a load the store that it read, and stores of its own work-item
 * that come before it. load NULL: all that are left. */
static void replay_stores(struct flag_replay *state, uint32_t at, const struct placed_read *load)
{
    for (uint32_t i = 0; i < state->count; i++) {
        struct placed_read *store = &state->items[i];
        const struct racing_access *access = &store->flag_read->store;
        if (store->store_at != at || access->atomic || store->stored)
            continue;
        if (load && !comes_before_load(state, store, load))
            continue;
        replay_flag_access(state, store->flag_read, true);
        store->stored = true;
        ask_first(state, at, true, access->unit);
    }
}

/* Replays the loads at this place of the log and asks about second accesses, in the order of their events. */
static uint32_t ask_second(struct flag_replay *state, uint32_t at, bool *out_first)
{
    const struct question *question = state->question;
    uint32_t found = 0, read = 0;
    for (uint32_t i = 0; i <= question->instance_count; i++) {
        const struct race_instance *instance = i < question->instance_count ? &question->instances[i] : NULL;
        for (; read < state->count && (!instance || state->items[read].flag_read->when < instance->when);
             read++) {
            if (state->items[read].flag_read->end != at)
                continue;
            replay_stores(state, at, &state->items[read]);
            replay_flag_access(state, state->items[read].flag_read, false);
        }
        if (!instance || instance->end != at)
            continue;
        const bool ordered =
            replay_has(&state->replay, instance->second.unit, instance->first.unit, state->clock[i]);
        *out_first |= ordered && i == 0;
        found += ordered;
    }
    return found;
}

/* The log entry with the edit: a store of the flag is a release of the flag's scope. */
static void replay_with_flag(struct flag_replay *state, uint32_t at)
{
    struct sync_op sync_op = state->question->sync_log->items[at];
    if (sync_op.site == state->flag->store && sync_op.kind == SYNC_OP_OVERWRITE)
        return; /* place_reads() has put the store at its place */
    if (is_atomic(&sync_op) && sync_op.site == state->flag->store) {
        sync_op.order = (uint8_t)(sync_op.order == ORDER_RELAXED   ? ORDER_RELEASE
                                  : sync_op.order == ORDER_ACQUIRE ? ORDER_ACQ_REL
                                                                   : sync_op.order);
        sync_op.scope = (uint8_t)state->flag->scope;
    }
    replay_happen(&state->replay, &sync_op);
}

uint32_t explain_flag_orders(const struct question *question, const struct flag *flag)
{
    const struct sync_log *sync_log = question->sync_log;
    struct flag_replay state = {.question = question, .flag = flag};
    uint32_t found = 0;
    bool first = false;
    if (sync_log->full)
        return 0;
    place_reads(&state);
    for (uint32_t i = 0; i < question->instance_count; i++)
        place_first_access(&state, i);
    replay_begin(&state.replay, question);
    for (uint32_t at = 0; at <= sync_log->count; at++) {
        ask_first(&state, at, false, UNIT_END);
        found += ask_second(&state, at, &first);
        replay_stores(&state, at, NULL);
        if (at < sync_log->count)
            replay_with_flag(&state, at);
    }
    return replay_end(&state.replay, first) ? found : 0;
}
