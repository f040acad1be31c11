/* SPDX-License-Identifier: Apache-2.0 */
/* Relaxed updates by many members of a group at once: what order_atomic would do for one after another. */
#include "order_replay.h"
#include "order_handoff.h"

#include <string.h>

#include "sim/memmodel/common/lane_mask.h"

/* What a unit that reads the object now has read of it together with others is among what it reads. */
static bool covers(const struct waiting *waiting, const struct variable *variable, uint64_t unit)
{
    return waiting->stream == variable->stream && waiting->act.size == variable->size &&
           waiting->act.region == variable->region && !is_relaxed_of_another(&waiting->store, unit);
}

static bool was_delivered(struct group_order *group, const struct variable *variable, uint64_t unit,
                          uint64_t local)
{
    struct waiting *waiting = group->waiting;
    if (!waiting || !member_bit(waiting->reader, local))
        return true;
    if (!covers(waiting, variable, unit))
        return false;
    waiting->reader[local / 64] &= ~(UINT64_C(1) << local % 64);
    return true;
}

void order_updates_begin(struct order *order, struct group_order *group, const struct atomic_act *act,
                         struct update_run *out_run)
{
    *out_run = (struct update_run){.order = order, .group = group, .act = *act};
}

static inline struct variable *object_of(struct update_run *run, uint64_t address)
{
    struct variable **recent = &run->recent[address / 4 % UPDATES_RECENT], *variable = *recent;
    if (__builtin_expect(run->rests != run->order->rest.rests, 0)) {
        memset(run->recent, 0, sizeof run->recent);
        run->rests = run->order->rest.rests;
        variable = NULL;
    }
    if (!variable || variable->address != address)
        variable = *recent = variable_find(run->order, address);
    return variable && (run->act.region != IN_LOCAL || variable->group == run->group->number) ? variable
                                                                                              : NULL;
}

/* Objects stay in the hand-off for as long as it lasts. NULL: it cannot be there. */
static inline struct handoff_object *relayed_object(struct update_run *run)
{
    if (!run->relayed || run->relayed_address != run->act.address) {
        run->relayed = order_handoff_object(run->order, run->group->handoff, &run->act);
        run->relayed_address = run->act.address;
    }
    return run->relayed;
}

static bool come_relayed(struct update_run *run, uint64_t local)
{
    struct handoff_object *object = relayed_object(run);
    if (!object)
        return false;
    if (run->group->waiting && member_bit(run->group->waiting->reader, local))
        order_handoff_hear(run->order, run->group, local);
    handoff_turn(run->order, object, local, &run->act);
    return true;
}

/* By a member of a hand-off that did so before. */
static inline bool update_relayed(struct update_run *run, uint64_t local)
{
    struct handoff_object *object = run->relayed;
    struct waiting *waiting = run->group->waiting;
    if (!run->group->handoff || !object || run->relayed_address != run->act.address ||
        !(object->handoff->acted[local] & object->bit) || !object->variable->store.releases ||
        (waiting && member_bit(waiting->reader, local) &&
         !handoff_hear_again(object->handoff, waiting, local)))
        return false;
    handoff_pass(run->order, object, local, &run->act);
    return true;
}

static bool update_listed(struct update_run *run, uint64_t local)
{
    struct item_order *item = run->group->items[local];
    struct variable *variable = item && item->fences.count == 1 ? object_of(run, run->act.address) : NULL;
    return variable && was_delivered(run->group, variable, item->unit, local) &&
           update_again(run->order, item, variable, &run->act, &run->seen_at);
}

/* By itself, as any atomic. */
static uint64_t update_alone(struct update_run *run, uint64_t local)
{
    struct unit_state unit_state;
    order_member(run->order, run->group->number, run->group, local, &unit_state);
    order_atomic(run->order, &unit_state, &run->act);
    return order_slice(&unit_state);
}

static __attribute__((noinline)) void update_anew(struct update_run *run, uint64_t local)
{
    if (!(run->group->handoff ? come_relayed(run, local) : update_listed(run, local)))
        update_alone(run, local);
}

void order_update(struct update_run *run, uint64_t local)
{
    if (!update_relayed(run, local))
        update_anew(run, local);
}

/* One member after another with one sort of fence, each of which holds what the one before sent. */
struct succession {
    struct variable *variable;          /* NULL: none */
    const struct release_clock *sender; /* the list's latest; its release and version are set at the end */
    struct release *release;
    uint64_t version; /* the list's by now */
    uint64_t unit;    /* the latest member */
    uint32_t seen_at;
};

static inline bool is_like(const struct release_clock *release_clock, const struct release_clock *sender)
{
    return release_clock->scope == sender->scope && release_clock->flags == sender->flags &&
           release_clock->fence == sender->fence && release_clock->svm_atomics == sender->svm_atomics;
}

static inline void replace_release(struct order *order, struct release **slot, struct release *release)
{
    release_share(release);
    release_drop(order, *slot);
    *slot = release;
}

/* After an update by one of them. */
static struct succession succession_of(const struct update_run *run, const struct item_order *item)
{
    struct variable *variable = object_of((struct update_run *)run, run->act.address);
    const struct release_clock *latest = &variable->release_clocks.items[variable->release_clocks.count - 1];
    if (run->order->rule != SCOPE_RULE_EQUAL || latest->scope == SCOPE_SUB_GROUP)
        return (struct succession){.variable = NULL};
    return (struct succession){variable,          latest,     latest->release,
                               variable->version, item->unit, run->seen_at};
}

/* As update_again, where nothing becomes pending. */
static inline bool succeed(struct order *order, struct succession *succession, struct item_order *item)
{
    struct list_seen *seen = &item->seen[succession->seen_at];
    const struct variable *variable = succession->variable;
    if (seen->stream != variable->stream || !seen->pending || variable->others > seen->version ||
        item->fences.count != 1)
        return false;
    struct live_release *live = &item->live[seen->live - 1];
    struct release *release = item->fences.items[0].release;
    if (live->address != variable->address || live->generation != variable->generation ||
        !is_like(&live->release_clock, succession->sender) || !release_holds(release, succession->release))
        return false;
    seen->version = succession->version;
    succession->unit = item->unit;
    if (live->release_clock.release == release)
        return true;
    replace_release(order, &live->release_clock.release, release);
    succession->release = release;
    succession->version = ++order->versions;
    return true;
}

static void succession_end(struct order *order, const struct succession *succession,
                           const struct atomic_act *act)
{
    struct variable *variable = succession->variable;
    if (!variable)
        return;
    struct release_clock *latest = &variable->release_clocks.items[variable->release_clocks.count - 1];
    variable->store = (struct latest_store){act->site, succession->unit, order->clock, true};
    if (variable->version == succession->version)
        return;
    variable->version = variable->counted = latest->version = succession->version;
    replace_release(order, &latest->release, succession->release);
}

static bool reads_among(const struct group_order *group, uint64_t first, const uint64_t mask[LANE_MASK_WORDS])
{
    uint64_t both = 0;
    for (uint32_t w = 0; first % 64 == 0 && w + first / 64 < LANE_MASK_WORDS; w++)
        both |= group->waiting->reader[first / 64 + w] & mask[w];
    if (first % 64 == 0)
        return both;
    EACH_LANE_OF(mask, lane)
    if (member_bit(group->waiting->reader, first + lane))
        return true;
    return false;
}

/* As handoff_turn by one after another. */
static void updates_relayed(struct update_run *run, struct handoff_object *object,
                            const uint64_t mask[LANE_MASK_WORDS], struct update_lanes *lanes)
{
    const struct handoff *handoff = object->handoff;
    struct latest_store *store = &object->variable->store;
    uint32_t position = object->position;
    uint64_t local = 0;
    EACH_LANE_OF(mask, lane)
    {
        local = lanes->first + lane;
        const uint32_t sent = handoff->sent[local];
        if (handoff->pending[local] < position)
            handoff->pending[local] = position;
        if (__builtin_expect(!(handoff->acted[local] & object->bit) || !store->releases, 0))
            order_handoff_come(run->order, object, local, store, &run->act);
        object->sent[local] = sent;
        position = position < sent ? sent : position;
        if (__builtin_expect(!sent || !store->releases, 0))
            *store =
                (struct latest_store){run->act.site, handoff->first_unit + local, run->order->clock, sent};
        lanes->slice[lane] = handoff->slice[local];
    }
    object->position = position;
    *store = (struct latest_store){run->act.site, handoff->first_unit + local, run->order->clock,
                                   handoff->sent[local]};
}

static bool take_updates(struct update_run *run, const uint64_t mask[LANE_MASK_WORDS],
                         struct update_lanes *lanes)
{
    struct group_order *group = run->group;
    struct handoff_object *object = group->handoff ? relayed_object(run) : NULL;
    if (!object)
        return false;
    if (group->waiting && reads_among(group, lanes->first, mask))
        EACH_LANE_OF(mask, lane)
    if (member_bit(group->waiting->reader, lanes->first + lane))
        order_handoff_hear(run->order, group, lanes->first + lane);
    updates_relayed(run, object, mask, lanes);
    return true;
}

void order_updates(struct update_run *run, const uint64_t mask[LANE_MASK_WORDS], struct update_lanes *lanes)
{
    struct group_order *group = run->group;
    if (take_updates(run, mask, lanes))
        return;
    const bool apart = group->waiting && reads_among(group, lanes->first, mask);
    struct succession succession = {.variable = NULL};
    EACH_LANE_OF(mask, lane)
    {
        const uint64_t local = lanes->first + lane;
        struct item_order *item = group->items[local];
        if (succession.variable && item && succeed(run->order, &succession, item)) {
            fast_path_taken(run->order->fast_paths, FAST_PATH_SUCCESSION);
        } else {
            succession_end(run->order, &succession, &run->act);
            succession.variable = NULL;
            if (!(group->handoff ? update_relayed(run, local) || come_relayed(run, local)
                                 : update_listed(run, local))) {
                lanes->slice[lane] = (uint32_t)update_alone(run, local);
                continue;
            }
            if (!apart)
                succession = succession_of(run, item);
        }
        lanes->slice[lane] = (uint32_t)order_member_slice(group, item);
    }
    succession_end(run->order, &succession, &run->act);
}
