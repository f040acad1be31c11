/* SPDX-License-Identifier: Apache-2.0 */
/* Who knows of what, and why not. */
#include "order_relay.h"

/* The ways in which a map may know of a unit; or of a key of somebody else's, and no unit: 0: none. */
struct subject { uint64_t unit, group; uint32_t sub_group; uint64_t key; };

/* From near by, without the map. */
static bool is_shown(const struct order *order, const struct knowledge *map, const struct subject *of, uint64_t tick)
{
    const struct knowledge_pool *pool = &order->pool;
    return knowledge_step_of(map) &&
           (knowledge_shows(pool, map, unit_key(of->unit), tick) ||
            (of->unit < UNIT_COPIES && ((order->group_keys && knowledge_shows(pool, map, group_key(of->group), tick)) ||
                                        (order->sub_group_keys && knowledge_shows(pool, map, sub_group_key(order, of->group, of->sub_group), tick)))));
}

static bool map_knows(const struct order *order, struct knowledge *map, const struct subject *of, uint64_t tick)
{
    if (map && of->key)
        return knowledge_get(order_pool(order), map, of->key);
    if (!map || is_shown(order, map, of, tick))
        return map;
    return tick < knowledge_get(order_pool(order), map, unit_key(of->unit)) ||
           (order->launches && knowledge_get(order_pool(order), map, launch_key(order->group_launch[of->group]))) ||
           (of->unit < UNIT_COPIES && ((order->group_keys && tick < knowledge_get(order_pool(order), map, group_key(of->group))) ||
                                       (order->sub_group_keys && tick < knowledge_get(order_pool(order), map, sub_group_key(order, of->group, of->sub_group)))));
}

static struct subject subject_of(const struct order *order, uint64_t unit)
{
    return (struct subject){.unit = unit, .group = order_unit_group(order, unit), .sub_group = order_unit_sub_group(order, unit)};
}

static struct subject subject_of_key(uint64_t key)
{
    return (struct subject){.unit = UNIT_END, .group = UINT64_MAX, .key = key};
}

bool order_map_knows(const struct order *order, struct knowledge *known, uint64_t unit, uint64_t tick)
{
    const struct subject of = subject_of(order, unit);
    return map_knows(order, known, &of, tick);
}

/* Is there a release of the unit up to the position that was behind the tick? */
static inline bool was_handed(const struct order *order, const struct relay *relay, uint32_t position, uint64_t unit, uint64_t tick)
{
    const uint64_t local = unit - relay->first_unit;
    const uint32_t at = position && local < order->group_items ? handing_at(relay, local, position) : 0;
    return at && tick < relay->handed[at].tick;
}

/* Does one who knows what the relay's position stands for? */
static bool position_knows(const struct order *order, const struct relay *relay, uint32_t position, const struct subject *of, uint64_t tick)
{
    return was_handed(order, relay, position, of->unit, tick) || (position && map_knows(order, relay->first, of, tick));
}

static bool relay_knows(const struct order *order, const struct agent *agent, int region, const struct subject *of, uint64_t tick)
{
    const struct relay *relay = agent->group ? agent->group->relay : NULL;
    return relay && relay->region == region && !agent->copy &&
           position_knows(order, relay, relay->acquired[agent->unit - relay->first_unit], of, tick);
}

bool order_relay_knows(const struct order *order, const struct agent *agent, int region, uint64_t unit, uint64_t tick)
{
    const struct relay *relay = agent->group->relay;
    const uint32_t position = relay->region == region ? relay->acquired[agent->unit - relay->first_unit] : 0;
    return was_handed(order, relay, position, unit, tick) || (position && tick < knowledge_get(order_pool(order), relay->first, unit_key(unit)));
}

static uint32_t latest_acquired(const struct order *order, const struct relay *relay)
{
    uint32_t latest = 0;
    for (uint64_t i = 0; i < order->group_items; i++)
        latest = relay->acquired[i] > latest ? relay->acquired[i] : latest;
    return latest;
}

static void join_relay(struct order *order, const struct relay *relay, struct knowledge **slot)
{
    struct knowledge *known = order_relay_known(order, relay, latest_acquired(order, relay));
    join_into(order, slot, known);
    knowledge_drop(&order->pool, known);
}

void order_group_learned(struct order *order, uint64_t number, struct knowledge *const begun[ORDER_REGIONS], struct knowledge *into[ORDER_REGIONS])
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
        if (group->relay && group->relay->region == r)
            join_relay(order, group->relay, &into[r]);
    }
}

void order_group_knowledge(struct order *order, uint64_t number, struct knowledge *out_known[ORDER_REGIONS])
{
    static struct knowledge *const nothing[ORDER_REGIONS];
    for (int r = 0; r < ORDER_REGIONS; r++)
        out_known[r] = NULL;
    order_group_learned(order, number, nothing, out_known);
}

static bool member_knows(const struct order *order, const struct agent *member, int region, const struct subject *of, uint64_t tick)
{
    const struct sub_group_order *sub = order_sub_group_of(member);
    if (of->unit == member->unit)
        return true;
    if (sub && of->unit < UNIT_COPIES && of->group == member->place.group && of->sub_group == member->place.sub_group &&
        tick < sub->base[region])
        return true;
    return (sub && map_knows(order, sub->acquired[region], of, tick)) ||
           (member->item && map_knows(order, member->item->acquired[region], of, tick)) || relay_knows(order, member, region, of, tick);
}

/* What a member knew that came before others. */
static bool member_knew(const struct order *order, const struct copy_member *then, uint64_t member, int region, const struct subject *of,
                        uint64_t tick)
{
    const bool same = of->unit < UNIT_COPIES && of->group == order_unit_group(order, member) &&
                      of->sub_group == order_unit_sub_group(order, member);
    return !then->came || (of->unit == member && tick < then->slice) || (same && tick < then->sub_base[region]) ||
           map_knows(order, then->sub[region], of, tick) || map_knows(order, then->item[region], of, tick);
}

static bool moment_knows(const struct order *order, const struct order_moment *moment, int region, const struct subject *of, uint64_t tick)
{
    return (of->unit < UNIT_COPIES && of->group == order_unit_group(order, moment->unit) && tick < moment->base[region]) ||
           map_knows(order, moment->acquired[region], of, tick) || member_knew(order, &moment->self, moment->unit, region, of, tick);
}

bool order_moment_knows(const struct order *order, const struct order_moment *moment, int region, uint64_t unit, uint64_t tick)
{
    const struct subject of = subject_of(order, unit);
    return moment_knows(order, moment, region, &of, tick);
}

bool order_moment_knows_key(const struct order *order, const struct order_moment *moment, int region, uint64_t key)
{
    const struct subject of = subject_of_key(key);
    return moment_knows(order, moment, region, &of, 0);
}

static bool all_knew(const struct order *order, const struct copy_order *copy, int region, const struct subject *of, uint64_t tick)
{
    const uint64_t count = order_group_size(order, copy->group);
    if (RULE(37))
        for (uint64_t i = 0; i < count; i++)
            if (!member_knew(order, &copy->members[i], copy->group * order->group_items + i, region, of, tick))
                return false;
    return true;
}

/* A copy comes after what every work-item of its group knows when it comes to it: the least of their clocks. Where all came
 * at once its accesses follow at once, so what they know now is what they knew then. */
static bool all_know(const struct order *order, const struct group_order *group, int region, const struct subject *of, uint64_t tick)
{
    const uint64_t first = group->number * order->group_items;
    if (!group->items && !group->sub_groups && order_group_size(order, group->number) > 1)
        return false;
    for (uint64_t i = 0; i < order_group_size(order, group->number); i++) {
        struct agent member;
        order_agent(order, first + i, &member);
        if (!member_knows(order, &member, region, of, tick))
            return false;
    }
    return true;
}

static bool group_knows(const struct order *order, const struct group_order *group, int region, const struct subject *of, uint64_t tick)
{
    return (of->unit < UNIT_COPIES && of->group == group->number && tick < group->base[region]) ||
           map_knows(order, group->acquired[region], of, tick);
}

/* All of it comes after all of the other's launch: no map need be asked. */
static bool begun_behind(const struct order *order, uint64_t group, uint64_t unit)
{
    const struct order_launch *launch = order_launch_of(order, group);
    const uint32_t earlier = launch ? order->group_launch[order_unit_group(order, unit)] : 0;
    return launch && earlier / 64 < launch->begun_words && launch->begun[earlier / 64] >> earlier % 64 & 1;
}

static bool agent_knows(const struct order *order, const struct agent *agent, int region, const struct subject *of, uint64_t tick)
{
    const struct group_order *group = agent->group;
    if (agent->copy && agent->copy->members)
        return group_knows(order, group, region, of, tick) || all_knew(order, agent->copy, region, of, tick);
    if (agent->copy && RULE(37))
        return group_knows(order, group, region, of, tick) || all_know(order, group, region, of, tick);
    return group_knows(order, group, region, of, tick) || member_knows(order, agent, region, of, tick);
}

bool order_knows_of(const struct order *order, const struct agent *agent, int region, uint64_t unit, uint64_t tick)
{
    if (begun_behind(order, agent->place.group, unit))
        return true;
    const struct subject of = subject_of(order, unit);
    return agent_knows(order, agent, region, &of, tick);
}

bool order_knows_key(const struct order *order, const struct agent *agent, int region, uint64_t key)
{
    const struct subject of = subject_of_key(key);
    return agent->group && agent_knows(order, agent, region, &of, 0);
}

bool order_sees_own_image(const struct agent *agent, uint64_t tick)
{
    const struct sub_group_order *sub = order_sub_group_of(agent);
    return (agent->group && tick < agent->group->base[IN_IMAGE]) || (sub && tick < sub->base[IN_IMAGE]) ||
           (agent->item && tick < agent->item->image_base);
}

/* ---- explaining -------------------------------------------------------------------------------- */

/* It has read what a member of its group released, and did not come to a fence since. */
static bool awaits_fence(const struct order *order, const struct agent *agent, int region, const struct subject *of, uint64_t tick,
                         struct missed_edge *out_missed)
{
    const struct relay *relay = agent->group && !agent->copy ? agent->group->relay : NULL;
    const uint32_t pending = relay && relay->region == region ? relay->pending[agent->unit - relay->first_unit] : 0;
    if (!pending || !position_knows(order, relay, pending, of, tick))
        return false;
    const struct handing *latest = &relay->handed[pending];
    *out_missed = (struct missed_edge){.why = MISSED_ACQUIRE, .release_site = latest->site, .acquire_site = UINT32_MAX, .release_scope = SCOPE_WORK_GROUP,
                                       .release_unit = relay->first_unit + latest->local, .local = region == IN_LOCAL};
    return true;
}

bool order_explain(const struct order *order, const struct agent *agent, int region, uint64_t unit, uint64_t tick,
                   struct missed_edge *out_missed)
{
    const struct subject of = subject_of(order, unit);
    const bool placed = !order->history || !order->history->full; /* each operation begins a slice */
    for (uint32_t i = 0; agent->item && i < MISSED_KEPT; i++) {
        const struct missed_edge *edge = &agent->item->missed[(agent->item->missed_next + MISSED_KEPT - 1 - i) % MISSED_KEPT];
        bool would = edge->why == MISSED_RELEASE ? placed && edge->release_unit == unit && tick <= edge->tick
                     : edge->why != MISSED_NOTHING && map_knows(order, edge->release->known[region], &of, tick);
        if (would) {
            *out_missed = *edge;
            return true;
        }
    }
    for (int r = 0; agent->item && r < ORDER_REGIONS; r++) {
        for (uint32_t i = 0; i < agent->item->pending[r].list.count; i++) {
            const struct message *message = &agent->item->pending[r].list.items[i];
            if (!map_knows(order, message->release->known[region], &of, tick))
                continue;
            *out_missed = (struct missed_edge){.why = MISSED_ACQUIRE, .release_site = message->release->site,
                                               .acquire_site = UINT32_MAX, .release_scope = message->scope,
                                               .release_unit = message->release->unit, .local = r == IN_LOCAL};
            return true;
        }
    }
    return awaits_fence(order, agent, region, &of, tick, out_missed);
}
