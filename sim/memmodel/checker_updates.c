/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics of many lanes at once. Relaxed ones order nothing: they go through the epoch filter or into their
 * words' access sets if the group has not synchronised. In a group that synchronises, updates of a race-free
 * word need only extend its access set and the release sequence (struct member_updates). Compare-exchanges
 * that fail read one value together. Everything else goes lane by lane. */
#include "checker_state.h"

#include <stdlib.h>
#include <string.h>

static void access_lane(struct checker *checker, const struct access_event *event, uint64_t lane)
{
    uint64_t mask[LANE_MASK_WORDS] = {0};
    mask[lane / 64] = UINT64_C(1) << lane % 64;
    checker_access_lanes(checker, event, mask);
}

/* ---- relaxed updates of a group that synchronises ------------------------------------------ */

/* One update by a work-item of the group, of the race-free word. False: the work-item has no state of its
 * own, since it has not synchronised. */
static inline bool update_member(struct checker *checker, struct member_updates *member_updates,
                                 uint64_t lane)
{
    const uint64_t local = checker->wave_items.first_member + lane;
    const struct group_order *group = member_updates->run.group;
    if (!group->slices && !group->items[local])
        return false;
    member_updates->atomic.how.clock =
        group->slices ? group->slices[local] : (uint32_t)order_member_segment(group, group->items[local]);
    checker->shadow.failed |= !shadow_add(member_updates->word.access_set, &member_updates->atomic,
                                          checker->wave_items.first_unit + lane);
    fast_path_taken(checker->fast_paths, FAST_PATH_MEMBER_UPDATE);
    order_update(&member_updates->run, local);
    return true;
}

static __attribute__((noinline)) void update_one(struct checker *checker,
                                                 struct member_updates *member_updates,
                                                 const struct access_event *event, uint64_t lane)
{
    const uint64_t address = lane_address(event, lane);
    member_updates->run.act.address = address;
    if (!is_in(member_updates->region, address) ||
        !shadow_stays_race_free(member_updates->region, &member_updates->word, &member_updates->atomic,
                                address) ||
        !update_member(checker, member_updates, lane))
        access_lane(checker, event, lane);
}

static __attribute__((noinline)) bool
member_updates_anew(struct checker *checker, const struct access_event *event, struct member_updates *out)
{
    const struct wave_items *wave_items = &checker->wave_items;
    struct group_order *group =
        wave_items->one_group ? order_group_find(&checker->order, wave_items->group) : NULL;
    const bool updates_words = event->kind == ACCESS_ATOMIC_UPDATE && !event->image && event->size_bytes == 4;
    if (!updates_words || !group || !group->items)
        return false;
    if (checker->order.formal || order_logs(&checker->order))
        return false;
    struct shadow_region *region = region_at(checker, first_address(event));
    if (!region || !region->affine_filter.replayed || !region->atomic)
        return false;
    const bool local = region->space == IN_LOCAL;
    if (local)
        checker_renew_local(checker, region, wave_items->group);
    const struct atomic_operation act = checker_operation(event, region, false);
    *out = (struct member_updates){
        .region = region,
        .atomic = {.group = wave_items->group,
                   .how = {.site = event->origin.site,
                           .size = event->size_bytes,
                           .kind = (uint8_t)event->kind,
                           .order = (uint8_t)event->order,
                           .scope = (uint8_t)scope_in(checker, region, event->scope)}}};
    out->run = (struct update_run){.order = &checker->order, .group = group, .act = act};
    out->relaxed = event->order == ORDER_RELAXED;
    out->failed.act = act;
    out->failed.act.order = ORDER_RELAXED;
    out->failed.act.writes = false;
    out->failed.atomic = out->atomic;
    out->failed.atomic.how.kind = ACCESS_ATOMIC_READ;
    out->failed.atomic.how.order = ORDER_RELAXED;
    out->failed.sort = shadow_conflict_class(&out->failed.atomic.how);
    out->wave_items = local ? 0 : wave_items->serial; /* local memory is forgotten at barriers */
    out->site = event->origin.site;
    return true;
}

/* Were the updates made for this wave and this instruction, and do they have the event's allocation? */
static inline bool is_of_updates(const struct checker *checker, const struct member_updates *member_updates,
                                 const struct access_event *event)
{
    return member_updates->wave_items == checker->wave_items.serial &&
           member_updates->site == event->origin.site && is_in(member_updates->region, first_address(event));
}

/* NULL: this is no update of a group that synchronises, of a word whose accesses are in the shadow. */
static struct member_updates *begin_member_updates(struct checker *checker, const struct access_event *event)
{
    struct member_updates *member_updates = &checker->member_updates[event->origin.site % MEMBER_UPDATES];
    if (is_of_updates(checker, member_updates, event))
        return member_updates;
    return member_updates_anew(checker, event, member_updates) ? member_updates : NULL;
}

/* Updates of the race-free word by several lanes. */
static void update_word(struct checker *checker, struct member_updates *member_updates, const uint64_t *mask)
{
    struct update_lanes lanes;
    lanes.first = checker->wave_items.first_member;
    member_updates->run.act.address = member_updates->word.address;
    order_updates(&member_updates->run, mask, &lanes);
    checker->shadow.failed |= !shadow_add_lanes(member_updates->word.access_set, &member_updates->atomic,
                                                checker->wave_items.first_unit, mask, lanes.slice);
    fast_path_taken(checker->fast_paths, FAST_PATH_MEMBER_UPDATE);
}

static __attribute__((noinline)) void update_words(struct checker *checker,
                                                   struct member_updates *member_updates,
                                                   const struct access_event *event, const uint64_t *mask)
{
    if (event->shape == ADDRESS_UNIFORM &&
        shadow_stays_race_free(member_updates->region, &member_updates->word, &member_updates->atomic,
                               event->base)) {
        update_word(checker, member_updates, mask);
        return;
    }
    EACH_LANE_OF(mask, lane)
    update_one(checker, member_updates, event, lane);
}

static inline void update_members(struct checker *checker, struct member_updates *member_updates,
                                  const struct access_event *event, const uint64_t *mask)
{
    uint64_t lane;
    if (only_lane(mask, event->lane_count, &lane))
        update_one(checker, member_updates, event, lane);
    else
        update_words(checker, member_updates, event, mask);
}

/* Lanes of which none is a failed compare-exchange. */
static void update_lanes(struct checker *checker, const struct access_event *event, const uint64_t *mask)
{
    struct member_updates *member_updates =
        event->order == ORDER_RELAXED ? begin_member_updates(checker, event) : NULL;
    if (member_updates)
        update_members(checker, member_updates, event, mask);
    else
        checker_access_lanes(checker, event, mask);
}

/* ---- relaxed atomics ---------------------------------------------------------------------- */

/* Adds the lanes' atomics to the sync log, all with one new clock value: nothing executes between them. */
static void remember_atomics(struct checker *checker, const struct access_event *event,
                             const struct shadow_region *region)
{
    const uint64_t clock = order_next_segment(&checker->order);
    EACH_LANE_OF(event->mask, lane)
    {
        const struct atomic_operation act = checker_operation(event, region, lane_in(event->failed, lane));
        order_log_update(&checker->order, &act, checker->wave_items.unit[lane], lane_address(event, lane),
                         clock);
        if (order_logs(&checker->order))
            checker_note_values(checker, event, lane, checker->wave_items.unit[lane]);
    }
}

/* Loads in a waiting loop repeat without end. The shadow keeps each once, so they go there when the log
 * becomes longer than the allocation. */
static bool may_note_loads(const struct access_event *event, const struct shadow_region *region)
{
    enum { ACCESS_LOG_LEAST = HOSTILE(1 << 16, 1 << 12) };
    return event->shape == ADDRESS_LIST ||
           (event->shape == ADDRESS_AFFINE &&
            region->epoch_filter.access_log.used <= ACCESS_LOG_LEAST + (region->high - region->low));
}

/* Those lanes of the event, which all load or all update. */
static bool filter_lanes(struct checker *checker, const struct access_event *event, enum access_kind kind,
                         const uint64_t *mask, struct shadow_region *region, uint64_t clock, uint64_t base)
{
    struct access_event some = *event;
    some.kind = kind;
    some.mask = mask;
    some.failed = NULL;
    return checker_take_epoch_filter(checker, &some, region, clock, base);
}

/* Failed compare-exchanges are loads. If the filter takes them and then refuses the others, all lanes are
 * processed again, which is harmless. */
static bool filter_by_outcome(struct checker *checker, const struct access_event *event,
                              struct shadow_region *region, uint64_t clock, uint64_t base)
{
    uint64_t failed[LANE_MASK_WORDS], done[LANE_MASK_WORDS], any_failed = 0, any_done = 0;
    if (!event->failed)
        return filter_lanes(checker, event, event->kind, event->mask, region, clock, base);
    for (uint32_t w = 0; w < LANE_MASK_WORDS; w++) {
        any_failed |= failed[w] = event->mask[w] & event->failed[w];
        any_done |= done[w] = event->mask[w] & ~event->failed[w];
    }
    return (!any_failed || filter_lanes(checker, event, ACCESS_ATOMIC_READ, failed, region, clock, base)) &&
           (!any_done || filter_lanes(checker, event, event->kind, done, region, clock, base));
}

/* All lanes through the epoch filter. Its atomics must include each other, so scopes must cover all units. */
static bool filter_atomics(struct checker *checker, const struct access_event *event)
{
    const struct group_order *group =
        checker->wave_items.one_group ? order_group_find(&checker->order, checker->wave_items.group) : NULL;
    struct shadow_region *shadow = region_at(checker, first_address(event));
    const bool loads = event->kind == ACCESS_ATOMIC_READ || event->failed;
    uint64_t clock;
    if (!shadow || !checker_common_clock(checker, &clock))
        return false;
    if (shadow->space == IN_LOCAL)
        checker_renew_local(checker, shadow, checker->wave_items.group);
    const bool local = shadow->space == IN_LOCAL;
    if (scope_in(checker, shadow, event->scope) < (local ? SCOPE_WORK_GROUP : SCOPE_DEVICE) ||
        checker->order.group_device)
        return false; /* some unit is outside of the scope */
    if (shadow->affine_filter.replayed || (loads && !may_note_loads(event, shadow)) ||
        !filter_by_outcome(checker, event, shadow, clock, group ? group->base[shadow->space] : 1))
        return false;
    shadow->atomic = true;
    fast_path_taken(checker->fast_paths, loads ? FAST_PATH_FILTERED_LOADS : FAST_PATH_FILTERED_UPDATES);
    if (order_logs(&checker->order))
        remember_atomics(checker, event, shadow);
    return true;
}

static bool is_relaxed(const struct access_event *event)
{
    const bool reads_atomically = event->kind == ACCESS_ATOMIC_UPDATE || event->kind == ACCESS_ATOMIC_READ;
    return reads_atomically && event->order == ORDER_RELAXED &&
           (!event->failed || event->failure_order == ORDER_RELAXED);
}

/* Updates of words in the shadow, each into its word's access set if nothing there races with it. The other
 * lanes go one by one. */
static void join_words(struct checker *checker, const struct access_event *event,
                       struct shadow_region *region, uint64_t clock)
{
    const struct shadow_atomic atomic = {.group = checker->wave_items.group,
                                         .how = {.clock = (uint32_t)clock,
                                                 .site = event->origin.site,
                                                 .size = event->size_bytes,
                                                 .kind = (uint8_t)event->kind,
                                                 .order = (uint8_t)event->order,
                                                 .scope = (uint8_t)scope_in(checker, region, event->scope)}};
    struct race_free_word word = {.access_set = NULL};
    uint64_t rest[LANE_MASK_WORDS] = {0};
    EACH_LANE_OF(event->mask, lane)
    {
        const uint64_t address = lane_address(event, lane);
        if (is_in(region, address) && shadow_stays_race_free(region, &word, &atomic, address))
            checker->shadow.failed |= !shadow_add(word.access_set, &atomic, checker->wave_items.unit[lane]);
        else
            rest[lane / 64] |= UINT64_C(1) << lane % 64;
    }
    if (next_lane(rest, 0, event->lane_count, true) < event->lane_count)
        checker_access_lanes(checker, event, rest);
}

/* Relaxed updates and loads, before the work-group has synchronised: all through the epoch filter, or updates
 * by word. */
static bool take_atomics(struct checker *checker, const struct access_event *event)
{
    const struct wave_items *wave_items = &checker->wave_items;
    const struct group_order *group =
        wave_items->one_group ? order_group_find(&checker->order, wave_items->group) : NULL;
    if (!is_relaxed(event) || checker->order.formal || event->image)
        return false;
    /* of several groups the common clock value is tested later */
    if (!order_updates_add_nothing(&checker->order, group))
        return false;
    checker_fill_units(checker, &event->origin);
    if (filter_atomics(checker, event))
        return true;
    const bool loads = event->kind == ACCESS_ATOMIC_READ || event->failed;
    struct shadow_region *region = region_at(checker, first_address(event));
    if (loads || order_logs(&checker->order) || !wave_items->one_group || !region)
        return false;
    if (region->space == IN_LOCAL)
        checker_renew_local(checker, region, wave_items->group);
    region->atomic = true;
    checker_replay(checker, region);
    join_words(checker, event, region, group ? group->slice : 1);
    return true;
}

/* ---- waiting in a loop ---------------------------------------------------------------------- */

static inline uint64_t slice_of_member(const struct checker *checker, struct group_order *group,
                                       uint64_t local)
{
    struct unit_state unit_state;
    if (group->slices)
        return group->slices[local];
    if (group->items[local])
        return order_member_segment(group, group->items[local]);
    order_member(&checker->order, group->number, group, local, &unit_state);
    return order_segment(&unit_state);
}

/* waiting->done has the lanes whose failed exchange is recorded for their present segment. It holds while all
 * failures are at the same address and instruction, and the word's access set does not change. */
static void begin_wait(struct waiting *waiting, const struct member_updates *member_updates, uint64_t address)
{
    struct atomic_done *done = &waiting->latest;
    if (done->address == address && done->clock_version == member_updates->word.clock_version &&
        done->sort == member_updates->failed.sort && done->site == member_updates->site)
        return;
    memset(waiting->done, 0, sizeof waiting->done);
    *done = (struct atomic_done){.address = address,
                                 .clock_version = member_updates->word.clock_version,
                                 .sort = member_updates->failed.sort,
                                 .site = member_updates->site};
}

/* Records the failed exchanges of the lanes that have none recorded in their present segment. */
static inline __attribute__((always_inline)) void
record_failed(struct checker *checker, struct member_updates *member_updates, const uint64_t *lanes)
{
    struct group_order *group = member_updates->run.group;
    struct waiting *waiting = group->waiting;
    struct shadow_atomic *atomic = &member_updates->failed.atomic;
    const uint64_t first = checker->wave_items.group * checker->order.group_items;
    for (uint32_t w = 0; w * 64 < checker->wave_items.lane_count; w++) {
        uint64_t rest = lanes[w] & ~waiting->done[w];
        for (waiting->done[w] |= lanes[w]; rest; rest &= rest - 1) {
            const uint64_t local = w * 64 + (uint64_t)__builtin_ctzll(rest);
            atomic->how.clock = (uint32_t)slice_of_member(checker, group, local);
            checker->shadow.failed |= !shadow_add(member_updates->word.access_set, atomic, first + local);
        }
    }
}

/* Failed exchanges of several lanes at a race-free word, one after another without a write between them: all
 * read the same value. False: nothing was done. */
static inline __attribute__((always_inline)) bool fail_together(struct checker *checker,
                                                                const struct access_event *event,
                                                                struct member_updates *member_updates,
                                                                const uint64_t *lanes)
{
    struct group_order *group = member_updates->run.group;
    if (!shadow_stays_race_free(member_updates->region, &member_updates->word, &member_updates->atomic,
                                event->base))
        return false;
    member_updates->failed.act.address = event->base;
    if (!(group->waiting || (group->waiting = calloc(1, sizeof *group->waiting))) ||
        !order_read_together(&checker->order, group, &member_updates->failed.act, lanes))
        return false;
    begin_wait(group->waiting, member_updates, event->base);
    record_failed(checker, member_updates, lanes);
    return true;
}

static void fail_lanes(struct checker *checker, const struct access_event *event, const uint64_t *lanes)
{
    struct member_updates *member_updates = begin_member_updates(checker, event);
    if (!member_updates || !fail_together(checker, event, member_updates, lanes))
        checker_access_lanes(checker, event, lanes);
}

/* Compare-exchanges of one object by a whole work-group of one wave. */
static bool take_exchanges(struct checker *checker, const struct access_event *event)
{
    const struct wave_items *wave_items = &checker->wave_items;
    if (event->image || event->failure_order != ORDER_RELAXED)
        return false;
    if (!wave_items->one_group || wave_items->first_lane)
        return false;
    if (checker->order.formal || order_logs(&checker->order))
        return false;
    uint64_t failed[LANE_MASK_WORDS], done[LANE_MASK_WORDS], lanes[LANE_MASK_WORDS];
    for (uint32_t w = 0; w < LANE_MASK_WORDS; w++) {
        failed[w] = event->mask[w] & event->failed[w];
        done[w] = event->mask[w] & ~event->failed[w];
    }
    const uint32_t end = event->lane_count;
    for (uint32_t from = 0; from < end;) {
        uint32_t to = next_lane(failed, from, end, true);
        if (lanes_between(done, from, to, lanes))
            update_lanes(checker, event, lanes);
        from = next_lane(done, to, end, true);
        if (lanes_between(failed, to, from, lanes))
            fail_lanes(checker, event, lanes);
    }
    return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static __attribute__((noinline)) void access_anew(struct checker *checker, const struct access_event *event)
{
    if (checker->atomics_wanted)
        misuse_access(&checker->misuse, event);
    if (!checker->races_wanted)
        return;
    checker_enter_wave(checker, &event->origin, event->lane_count);
    if (event->failed && event->shape == ADDRESS_UNIFORM ? !take_exchanges(checker, event)
                                                         : !take_atomics(checker, event))
        (event->failed ? checker_access_lanes : update_lanes)(checker, event, event->mask);
}

/* Do the same lanes execute the same instruction again, at one address? Then misuse was checked before. */
static inline bool is_again(const struct checker *checker, const struct member_updates *member_updates,
                            const struct access_event *event)
{
    return event->shape == ADDRESS_UNIFORM &&
           wave_items_spans(&checker->wave_items, &event->origin, event->lane_count) &&
           is_of_updates(checker, member_updates, event);
}

void checker_atomic_access(struct checker *checker, const struct access_event *event)
{
    struct member_updates *member_updates = &checker->member_updates[event->origin.site % MEMBER_UPDATES];
    if (!is_again(checker, member_updates, event))
        access_anew(checker, event);
    else if (!event->failed && member_updates->relaxed)
        update_members(checker, member_updates, event, event->mask);
    else
        access_anew(checker, event);
}
