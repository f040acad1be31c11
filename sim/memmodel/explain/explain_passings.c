/* SPDX-License-Identifier: Apache-2.0 */
/* A flag that is no atomic object, as if it were one. */
#include "explain_replay.h"

struct passed {
    const struct passing *passing;
    uint32_t first_at, store_at;
    bool stored;
};

/* A flag's passings, and where in the history its stores may be put: as late as can be within their slice. */
struct passed_on {
    const struct question *question;
    const struct flag *flag;
    struct passed items[PASSINGS_MOST];
    uint32_t count, meeting_count;
    /* of the first access's segment: it is queried for its clock value when this many sync operations were
     * done */
    uint32_t past[MEETINGS_MOST];
    bool after[MEETINGS_MOST]; /* and the stores that are put there */
};

/* The end of its slice, or where its value was read. */
static uint32_t latest_place(const struct passed_on *on, const struct passed *passed)
{
    const struct sync_log *sync_log = on->question->sync_log;
    uint32_t at = passed->first_at;
    while (at < passed->passing->end &&
           !is_of_unit(on->question, &sync_log->items[at], passed->passing->store.unit))
        at++;
    return at;
}

static void place_passings(struct passed_on *on, const struct passings *passings)
{
    for (uint32_t i = 0; i < passings->count; i++) {
        const struct passing *passing =
            &passings->items[(passings->next + PASSINGS_MOST - passings->count + i) % PASSINGS_MOST];
        const struct meeting store = {.first = passing->store, .end = passing->end};
        const struct question question = {
            .sync_log = on->question->sync_log, .meetings = &store, .meeting_count = 1};
        struct search search = {.question = &question};
        struct passed *passed = &on->items[on->count];
        if (passing->store.site != on->flag->store || passing->load.site != on->flag->load ||
            passing->region != on->flag->region || !search_locate(&search))
            continue;
        *passed = (struct passed){.passing = passing, .first_at = search.first_at[0]};
        passed->store_at = latest_place(on, passed);
        on->count++;
    }
}

/* Operations after a store in its segment may be not published by it. */
static void place_meeting(struct passed_on *on, uint32_t index, uint32_t first_at)
{
    const struct checker_host *host = on->question->host;
    const struct asked *first = &on->question->meetings[index].first;
    on->past[index] = first_at;
    on->after[index] = false;
    for (uint32_t i = 0; i < on->count; i++) {
        const struct passed *passed = &on->items[i];
        if (passed->passing->store.atomic || passed->passing->store.unit != first->unit ||
            passed->first_at != first_at ||
            (host->precedes && host->precedes(host->self, first->site, on->flag->store)))
            continue;
        on->after[index] = true;
        if (passed->store_at > on->past[index])
            on->past[index] = passed->store_at;
    }
}

static void act_on_flag(struct replay *replay, const struct passed_on *on, const struct passing *passing,
                        bool stores)
{
    const struct asked *asked = stores ? &passing->store : &passing->load;
    replay_happen(replay, &(struct sync_op){.kind = HAPPENED_ATOMIC,
                                            .order = stores ? ORDER_RELEASE : ORDER_ACQUIRE,
                                            .scope = (uint8_t)on->flag->scope,
                                            .region = (int8_t)passing->region,
                                            .reads = !stores,
                                            .writes = stores,
                                            .site = asked->site,
                                            .size = asked->size,
                                            .by = asked->unit,
                                            .address = passing->address});
}

/* The slices of first accesses, by that unit; UNIT_END: by whomever. */
static void ask_first(struct replay *replay, const struct passed_on *on, uint32_t at, bool after,
                      uint64_t unit, uint64_t clock[])
{
    for (uint32_t i = 0; i < on->meeting_count; i++) {
        const uint64_t first = on->question->meetings[i].first.unit;
        if (on->past[i] != at || on->after[i] != after || (unit != UNIT_END && first != unit))
            continue;
        clock[i] = replay_slice(replay, first);
    }
}

/* Both by one work-item: did the load begin the slice of the store, or does the code have it first? */
static bool loads_first(const struct passed_on *on, const struct passed *load, const struct passed *store)
{
    const struct checker_host *host = on->question->host;
    const struct passing *passing = load->passing;
    const struct sync_op *items = on->question->sync_log->items;
    uint32_t at = passing->end;
    while (at > 0 && !is_of_unit(on->question, &items[at - 1], passing->load.unit))
        at--;
    return (at > 0 && at <= store->first_at && is_atomic(&items[at - 1]) && items[at - 1].writes &&
            items[at - 1].site == passing->load.site) ||
           (host->precedes && host->precedes(host->self, passing->load.site, on->flag->store));
}

/* Those that are put there, before the load: what it read, and its own work-item's, but for those that it
 * comes before. NULL: the others. */
static void store_before(struct replay *replay, struct passed_on *on, uint32_t at, const struct passed *load,
                         uint64_t clock[])
{
    for (uint32_t i = 0; i < on->count; i++) {
        struct passed *store = &on->items[i];
        const struct asked *asked = &store->passing->store;
        if (store->store_at != at || asked->atomic || store->stored ||
            (load && store != load &&
             (asked->unit != load->passing->load.unit || loads_first(on, load, store))))
            continue;
        act_on_flag(replay, on, store->passing, true);
        store->stored = true;
        ask_first(replay, on, at, true, asked->unit, clock);
    }
}

/* Loads, the stores that they read, and second accesses, in the order in which they were done. */
static uint32_t ask_second(struct replay *replay, struct passed_on *on, uint32_t at, uint64_t clock[],
                           bool *out_first)
{
    const struct question *question = on->question;
    uint32_t found = 0, passed = 0;
    for (uint32_t i = 0; i <= on->meeting_count; i++) {
        const struct meeting *meeting = i < on->meeting_count ? &question->meetings[i] : NULL;
        for (; passed < on->count && (!meeting || on->items[passed].passing->when < meeting->when);
             passed++) {
            if (on->items[passed].passing->end != at)
                continue;
            store_before(replay, on, at, &on->items[passed], clock);
            act_on_flag(replay, on, on->items[passed].passing, false);
        }
        if (!meeting || meeting->end != at)
            continue;
        const bool ordered = replay_has(replay, meeting->second.unit, meeting->first.unit, clock[i]);
        *out_first |= ordered && i == 0;
        found += ordered;
    }
    return found;
}

/* As the source has it with the edit. */
static void happen_with_flag(struct replay *replay, const struct passed_on *on, uint32_t at)
{
    struct sync_op sync_op = on->question->sync_log->items[at];
    if (sync_op.site == on->flag->store && sync_op.kind == HAPPENED_OVERWRITE)
        return; /* the store that is put where it may be */
    if (is_atomic(&sync_op) && sync_op.site == on->flag->store) {
        sync_op.order = (uint8_t)(sync_op.order == ORDER_RELAXED   ? ORDER_RELEASE
                                  : sync_op.order == ORDER_ACQUIRE ? ORDER_ACQ_REL
                                                                   : sync_op.order);
        sync_op.scope = (uint8_t)on->flag->scope;
    }
    replay_happen(replay, &sync_op);
}

uint32_t passings_order(const struct question *question, const struct passings *passings,
                        const struct flag *flag)
{
    const struct sync_log *sync_log = question->sync_log;
    struct search search = {.question = question};
    struct replay replay;
    struct passed_on on = {.question = question, .flag = flag};
    uint64_t clock[MEETINGS_MOST];
    uint32_t found = 0;
    bool first = false;
    if (sync_log->full || !search_locate(&search))
        return 0;
    on.meeting_count = search.meeting_count;
    place_passings(&on, passings);
    for (uint32_t i = 0; i < search.meeting_count; i++) {
        clock[i] = UINT64_MAX;
        place_meeting(&on, i, search.first_at[i]);
    }
    replay_begin(&replay, question);
    for (uint32_t at = 0; at <= sync_log->count; at++) {
        ask_first(&replay, &on, at, false, UNIT_END, clock);
        found += ask_second(&replay, &on, at, clock, &first);
        store_before(&replay, &on, at, NULL, clock);
        if (at < sync_log->count)
            happen_with_flag(&replay, &on, at);
    }
    return replay_end(&replay, first) ? found : 0;
}
