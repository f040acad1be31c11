/* SPDX-License-Identifier: Apache-2.0 */
/* Which epochs happen before a unit's next operation, and the reason if they do not. */
#include "order_handoff.h"
#include "orrery/checked.h"

/* The ways in which an epoch of a unit may be in a map; or a key of another unit, and no unit: 0: none. */
struct subject {
    uint64_t unit, group;
    uint32_t sub_group;
    uint64_t key;
};

/* From near by, without the map. */
static bool is_shown(const struct order *order, const struct vclock *map, const struct subject *of,
                     uint64_t clock)
{
    const struct vclock_pool *pool = &order->pool;
    return vclock_step_of(map) &&
           (vclock_shows(pool, map, unit_key(of->unit), clock) ||
            (of->unit < UNIT_COPIES &&
             ((order->group_keys && vclock_shows(pool, map, group_key(of->group), clock)) ||
              (order->sub_group_keys &&
               vclock_shows(pool, map, sub_group_key(order, of->group, of->sub_group), clock)))));
}

static bool map_has(const struct order *order, struct vclock *map, const struct subject *of, uint64_t clock)
{
    if (map && of->key)
        return vclock_get(order_pool(order), map, of->key);
    if (!map || is_shown(order, map, of, clock))
        return map;
    return clock < vclock_get(order_pool(order), map, unit_key(of->unit)) ||
           (order->launches &&
            vclock_get(order_pool(order), map, launch_key(order->group_launch[of->group]))) ||
           (of->unit < UNIT_COPIES &&
            ((order->group_keys && clock < vclock_get(order_pool(order), map, group_key(of->group))) ||
             (order->sub_group_keys &&
              clock < vclock_get(order_pool(order), map, sub_group_key(order, of->group, of->sub_group)))));
}

static struct subject subject_of(const struct order *order, uint64_t unit)
{
    CHECKED(unit < UNIT_END);
    return (struct subject){
        .unit = unit, .group = order_unit_group(order, unit), .sub_group = order_unit_sub_group(order, unit)};
}

static struct subject subject_of_key(uint64_t key)
{
    return (struct subject){.unit = UNIT_END, .group = UINT64_MAX, .key = key};
}

bool order_map_has(const struct order *order, struct vclock *known, uint64_t unit, uint64_t clock)
{
    const struct subject of = subject_of(order, unit);
    return map_has(order, known, &of, clock);
}

/* Is there a release of the unit up to the position that was after the clock value? */
static inline bool was_handed(const struct order *order, const struct handoff *handoff, uint32_t position,
                              uint64_t unit, uint64_t clock)
{
    CHECKED(position <= handoff->count);
    const uint64_t local = unit - handoff->first_unit;
    const uint32_t at = position && local < order->group_items ? handing_at(handoff, local, position) : 0;
    return at && clock < handoff->handed[at].clock;
}

/* Does the release that the hand-off's position stands for happen before? */
static bool position_has(const struct order *order, const struct handoff *handoff, uint32_t position,
                         const struct subject *of, uint64_t clock)
{
    return was_handed(order, handoff, position, of->unit, clock) ||
           (position && map_has(order, handoff->first, of, clock));
}

static bool handoff_has(const struct order *order, const struct unit_state *unit_state, int region,
                        const struct subject *of, uint64_t clock)
{
    const struct handoff *handoff = unit_state->group ? unit_state->group->handoff : NULL;
    return handoff && handoff->region == region && !unit_state->copy &&
           position_has(order, handoff, handoff->acquired[unit_state->unit - handoff->first_unit], of, clock);
}

bool order_handoff_has(const struct order *order, const struct unit_state *unit_state, int region,
                       uint64_t unit, uint64_t clock)
{
    const struct handoff *handoff = unit_state->group->handoff;
    const uint32_t position =
        handoff->region == region ? handoff->acquired[unit_state->unit - handoff->first_unit] : 0;
    return was_handed(order, handoff, position, unit, clock) ||
           (position && clock < vclock_get(order_pool(order), handoff->first, unit_key(unit)));
}

static uint32_t latest_acquired(const struct order *order, const struct handoff *handoff)
{
    uint32_t latest = 0;
    for (uint64_t i = 0; i < order->group_items; i++)
        latest = handoff->acquired[i] > latest ? handoff->acquired[i] : latest;
    return latest;
}

static void join_handoff(struct order *order, const struct handoff *handoff, struct vclock **slot)
{
    struct vclock *known = order_handoff_known(order, handoff, latest_acquired(order, handoff));
    join_into(order, slot, known);
    vclock_drop(&order->pool, known);
}

void order_group_learned(struct order *order, uint64_t number, struct vclock *const begun[ORDER_REGIONS],
                         struct vclock *into[ORDER_REGIONS])
{
    const struct group_order *group = order_group_find(order, number);
    for (int r = 0; r < ORDER_REGIONS && group; r++) {
        uint32_t left = group->item_count;
        if (group->acquired[r] != begun[r])
            join_into(order, &into[r], group->acquired[r]);
        for (uint32_t i = 0; group->sub_groups && i < order->sub_group_count; i++)
            join_into(order, &into[r], group->sub_groups[i].acquired[r]);
        for (uint64_t i = 0; left; i++)
            if (group->items[i]) {
                join_into(order, &into[r], group->items[i]->acquired[r]);
                left--;
            }
        if (group->handoff && group->handoff->region == r)
            join_handoff(order, group->handoff, &into[r]);
    }
}

void order_group_vclock(struct order *order, uint64_t number, struct vclock *out_known[ORDER_REGIONS])
{
    static struct vclock *const nothing[ORDER_REGIONS];
    for (int r = 0; r < ORDER_REGIONS; r++)
        out_known[r] = NULL;
    order_group_learned(order, number, nothing, out_known);
}

static bool member_has(const struct order *order, const struct unit_state *member, int region,
                       const struct subject *of, uint64_t clock)
{
    const struct sub_group_order *sub = order_sub_group_of(member);
    if (of->unit == member->unit)
        return true;
    if (sub && of->unit < UNIT_COPIES && of->group == member->place.group &&
        of->sub_group == member->place.sub_group && clock < sub->base[region])
        return true;
    return (sub && map_has(order, sub->acquired[region], of, clock)) ||
           (member->item && map_has(order, member->item->acquired[region], of, clock)) ||
           handoff_has(order, member, region, of, clock);
}

/* The part of a member's clock that precedes the others'. */
static bool member_had(const struct order *order, const struct copy_member *then, uint64_t member, int region,
                       const struct subject *of, uint64_t clock)
{
    const bool same = of->unit < UNIT_COPIES && of->group == order_unit_group(order, member) &&
                      of->sub_group == order_unit_sub_group(order, member);
    return !then->came || (of->unit == member && clock < then->slice) ||
           (same && clock < then->sub_base[region]) || map_has(order, then->sub[region], of, clock) ||
           map_has(order, then->item[region], of, clock);
}

static bool clock_snapshot_has(const struct order *order, const struct order_clock_snapshot *clock_snapshot,
                               int region, const struct subject *of, uint64_t clock)
{
    return (of->unit < UNIT_COPIES && of->group == order_unit_group(order, clock_snapshot->unit) &&
            clock < clock_snapshot->base[region]) ||
           map_has(order, clock_snapshot->acquired[region], of, clock) ||
           member_had(order, &clock_snapshot->self, clock_snapshot->unit, region, of, clock);
}

bool order_clock_snapshot_has(const struct order *order, const struct order_clock_snapshot *clock_snapshot,
                              int region, uint64_t unit, uint64_t clock)
{
    const struct subject of = subject_of(order, unit);
    return clock_snapshot_has(order, clock_snapshot, region, &of, clock);
}

bool order_clock_snapshot_has_key(const struct order *order,
                                  const struct order_clock_snapshot *clock_snapshot, int region, uint64_t key)
{
    const struct subject of = subject_of_key(key);
    return clock_snapshot_has(order, clock_snapshot, region, &of, 0);
}

static bool all_had(const struct order *order, const struct copy_order *copy, int region,
                    const struct subject *of, uint64_t clock)
{
    const uint64_t count = order_group_size(order, copy->group);
    if (RULE(37))
        for (uint64_t i = 0; i < count; i++)
            if (!member_had(order, &copy->members[i], copy->group * order->group_items + i, region, of,
                            clock))
                return false;
    return true;
}

/* A copy comes after all that happens before its call in each work-item of its group: the least of their
 * clocks. If all of them called it together its accesses follow at once, so their clocks are now those of the
 * call. */
static bool all_have(const struct order *order, const struct group_order *group, int region,
                     const struct subject *of, uint64_t clock)
{
    const uint64_t first = group->number * order->group_items;
    if (!group->items && !group->sub_groups && order_group_size(order, group->number) > 1)
        return false;
    for (uint64_t i = 0; i < order_group_size(order, group->number); i++) {
        struct unit_state member;
        order_unit_state(order, first + i, &member);
        if (!member_has(order, &member, region, of, clock))
            return false;
    }
    return true;
}

static bool group_has(const struct order *order, const struct group_order *group, int region,
                      const struct subject *of, uint64_t clock)
{
    return (of->unit < UNIT_COPIES && of->group == group->number && clock < group->base[region]) ||
           map_has(order, group->acquired[region], of, clock);
}

/* All of it comes after all of the other's launch: no map has to be queried. */
static bool begun_after(const struct order *order, uint64_t group, uint64_t unit)
{
    const struct order_launch *launch = order_launch_of(order, group);
    const uint32_t earlier = launch ? order->group_launch[order_unit_group(order, unit)] : 0;
    return launch && earlier / 64 < launch->begun_words && launch->begun[earlier / 64] >> earlier % 64 & 1;
}

static bool unit_state_has(const struct order *order, const struct unit_state *unit_state, int region,
                           const struct subject *of, uint64_t clock)
{
    const struct group_order *group = unit_state->group;
    if (unit_state->copy && unit_state->copy->members)
        return group_has(order, group, region, of, clock) ||
               all_had(order, unit_state->copy, region, of, clock);
    if (unit_state->copy && RULE(37))
        return group_has(order, group, region, of, clock) || all_have(order, group, region, of, clock);
    return group_has(order, group, region, of, clock) || member_has(order, unit_state, region, of, clock);
}

bool order_has_epoch(const struct order *order, const struct unit_state *unit_state, int region,
                     uint64_t unit, uint64_t clock)
{
    if (begun_after(order, unit_state->place.group, unit))
        return true;
    const struct subject of = subject_of(order, unit);
    return unit_state_has(order, unit_state, region, &of, clock);
}

bool order_has_key(const struct order *order, const struct unit_state *unit_state, int region, uint64_t key)
{
    const struct subject of = subject_of_key(key);
    return unit_state->group && unit_state_has(order, unit_state, region, &of, 0);
}

bool order_sees_own_image(const struct unit_state *unit_state, uint64_t clock)
{
    const struct sub_group_order *sub = order_sub_group_of(unit_state);
    return (unit_state->group && clock < unit_state->group->base[IN_IMAGE]) ||
           (sub && clock < sub->base[IN_IMAGE]) || (unit_state->item && clock < unit_state->item->image_base);
}

/* ---- explaining -------------------------------------------------------------------------------- */

/* It has read a value that a member of its group released, and did not reach a fence since. */
static bool spins_on_fence(const struct order *order, const struct unit_state *unit_state, int region,
                           const struct subject *of, uint64_t clock, struct missed_edge *out_missed)
{
    const struct handoff *handoff =
        unit_state->group && !unit_state->copy ? unit_state->group->handoff : NULL;
    const uint32_t pending =
        handoff && handoff->region == region ? handoff->pending[unit_state->unit - handoff->first_unit] : 0;
    if (!pending || !position_has(order, handoff, pending, of, clock))
        return false;
    const struct handing *latest = &handoff->handed[pending];
    *out_missed = (struct missed_edge){.why = MISSED_ACQUIRE,
                                       .release_site = latest->site,
                                       .acquire_site = UINT32_MAX,
                                       .release_scope = SCOPE_WORK_GROUP,
                                       .release_unit = handoff->first_unit + latest->local,
                                       .local = region == IN_LOCAL};
    return true;
}

bool order_explain(const struct order *order, const struct unit_state *unit_state, int region, uint64_t unit,
                   uint64_t clock, struct missed_edge *out_missed)
{
    const struct subject of = subject_of(order, unit);
    const bool placed = !order->sync_log || !order->sync_log->full; /* each operation begins a slice */
    for (uint32_t i = 0; unit_state->item && i < MISSED_KEPT; i++) {
        const struct missed_edge *edge =
            &unit_state->item->missed[(unit_state->item->missed_next + MISSED_KEPT - 1 - i) % MISSED_KEPT];
        bool would =
            edge->why == MISSED_RELEASE
                ? placed && edge->release_unit == unit && clock <= edge->clock
                : edge->why != MISSED_NOTHING && map_has(order, edge->release->known[region], &of, clock);
        if (would) {
            *out_missed = *edge;
            return true;
        }
    }
    for (int r = 0; unit_state->item && r < ORDER_REGIONS; r++) {
        for (uint32_t i = 0; i < unit_state->item->pending[r].list.count; i++) {
            const struct release_clock *release_clock = &unit_state->item->pending[r].list.items[i];
            if (!map_has(order, release_clock->release->known[region], &of, clock))
                continue;
            *out_missed = (struct missed_edge){.why = MISSED_ACQUIRE,
                                               .release_site = release_clock->release->site,
                                               .acquire_site = UINT32_MAX,
                                               .release_scope = release_clock->scope,
                                               .release_unit = release_clock->release->unit,
                                               .local = r == IN_LOCAL};
            return true;
        }
    }
    return spins_on_fence(order, unit_state, region, &of, clock, out_missed);
}
