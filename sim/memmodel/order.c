/* SPDX-License-Identifier: Apache-2.0 */
/* A launch and who acts in it; what fences release and acquire. */
#include "order_relay.h"

#include <stdlib.h>
#include <string.h>

/* ---- life -------------------------------------------------------------------------------------- */

void order_init(struct order *order, enum scope_rule rule)
{
    *order = (struct order){.rule = rule, .tick = 1};
    knowledge_pool_init(&order->pool);
}

/* Of who acts no more. */
static void end_all(struct order *order, struct knowledge *known[ORDER_REGIONS])
{
    for (int r = 0; r < ORDER_REGIONS; r++)
        knowledge_end(&order->pool, known[r]);
    drop_all(order, known);
}

static void item_spare(struct order *order, struct item_order *item)
{
    end_all(order, item->acquired);
    order_list_clear(order, &item->fences);
    for (int r = 0; r < ORDER_REGIONS; r++)
        order_list_clear(order, &item->pending[r].list);
    for (uint32_t i = 0; i < item->live_count; i++)
        release_drop(order, item->live[i].message.release);
    for (uint32_t i = 0; i < MISSED_KEPT; i++)
        release_drop(order, item->missed[i].release);
    item->next = order->spare_items;
    order->spare_items = item;
}

/* One that knows of nothing; NULL: no memory. */
static struct item_order *item_new(struct order *order)
{
    struct item_order *item = order->spare_items;
    if (!item)
        return calloc(1, sizeof *item);
    const struct message_list fences = item->fences;
    struct message_list pending[ORDER_REGIONS];
    struct live_release *live = item->live;
    const uint32_t live_room = item->live_room;
    for (int r = 0; r < ORDER_REGIONS; r++)
        pending[r] = item->pending[r].list;
    order->spare_items = item->next;
    memset(item, 0, sizeof *item);
    item->fences = fences;
    for (int r = 0; r < ORDER_REGIONS; r++)
        item->pending[r].list = pending[r];
    item->live = live;
    item->live_room = live_room;
    return item;
}

static void items_fini(struct order *order)
{
    for (struct item_order *item = order->spare_items, *next; item; item = next) {
        next = item->next;
        order_list_free(order, &item->fences);
        for (int r = 0; r < ORDER_REGIONS; r++)
            order_list_free(order, &item->pending[r].list);
        free(item->live);
        free(item);
    }
}

static void group_free(struct order *order, struct group_order *group)
{
    order_relay_free(order, group);
    for (uint32_t i = 0; i < group->copy_count; i++)
        order_members_free(order, &order->copies[group->copies[i]]);
    free(group->calls);
    for (uint64_t i = 0; group->item_count; i++)
        if (group->items[i]) {
            item_spare(order, group->items[i]);
            group->item_count--;
        }
    for (uint32_t i = 0; group->sub_groups && i < order->sub_group_count; i++)
        drop_all(order, group->sub_groups[i].acquired);
    end_all(order, group->acquired);
    drop_all(order, group->handed);
    if (group->waiting)
        order_list_free(order, &group->waiting->list);
    free(group->waiting);
    free(group->items);
    free(group->sub_groups);
    free(group->copies);
    free(group);
}

void order_launch_end(struct order *order)
{
    for (struct group_order *group = order->groups, *next; group; group = next) {
        next = group->next;
        group_free(order, group);
    }
    items_fini(order);
    order_objects_fini(order);
    free(order->copies);
    if (order->ways)
        order->ways[WAY_CHAIN] += order->pool.chained;
    free(order->arrivals);
    free(order->meeting);
    knowledge_pool_fini(&order->pool);
    order_releases_fini(order);
    struct history *history = order->history;
    uint64_t *ways = order->ways;
    order_init(order, order->rule);
    order->history = history;
    order->ways = ways;
}

void order_fini(struct order *order)
{
    order_launch_end(order);
}

void order_launch_begin(struct order *order, const struct launch_info *launch)
{
    order_launch_end(order);
    if (order->history)
        history_clear(order->history);
    order->launch = launch;
    order->group_device = launch->group_device;
    order->formal = launch->formal;
    order->group_items = launch->local_size[0] * launch->local_size[1] * launch->local_size[2];
    order->member_words = order->group_items < WAVE_LANES_MAX ? (uint32_t)(order->group_items + 63) / 64 : LANE_MASK_WORDS;
    order->sub_group_size = launch->sub_group_size ? launch->sub_group_size : 1;
    order->sub_group_count = (uint32_t)((order->group_items + order->sub_group_size - 1) / order->sub_group_size);
}

uint32_t order_unit_family(const struct order *order, uint64_t unit)
{
    return order_launch_of(order, order_unit_group(order, unit))->family;
}

uint32_t order_unit_launch(const struct order *order, uint64_t unit)
{
    return order->group_launch ? order->group_launch[order_unit_group(order, unit)] : 0;
}

uint32_t order_unit_device(const struct order *order, uint64_t unit)
{
    return order->group_device ? order->group_device[order_unit_group(order, unit)] : 0;
}

enum memory_scope order_scope(const struct order *order, enum memory_scope scope, bool local, bool svm_atomics)
{
    return order->formal || scope <= SCOPE_WORK_GROUP ? scope : scope_reduced(scope, local, svm_atomics);
}

struct group_order *order_group_find(const struct order *order, uint64_t number)
{
    struct group_order *group = order->groups;
    while (group && group->number != number)
        group = group->next;
    return group;
}

struct group_order *order_group(struct order *order, uint64_t number)
{
    struct group_order *group = order_group_find(order, number);
    if (group)
        return group;
    group = calloc(1, sizeof *group);
    if (!group) {
        order->failed = true;
        return NULL;
    }
    group->number = number;
    group->slice = 1;
    group->performed = UNIT_END;
    for (int r = 0; r < ORDER_REGIONS; r++)
        group->base[r] = 1;
    group->next = order->groups;
    order->groups = group;
    order->pool.units += order->group_items;
    return group;
}

void order_group_end(struct order *order, uint64_t number)
{
    struct group_order **at = &order->groups;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    if (!*at)
        return;
    remember(order, &(struct happening){.kind = HAPPENED_GROUP_END, .by = number});
    struct group_order *group = *at;
    order_relay_end(order, group);
    *at = group->next;
    group_free(order, group);
}

static struct item_order *item_of(struct order *order, struct group_order *group, uint64_t local)
{
    if (!group->items) {
        group->items = calloc(order->group_items, sizeof(struct item_order *));
        if (!group->items) {
            order->failed = true;
            return NULL;
        }
    }
    struct item_order *item = group->items[local];
    if (item)
        return item;
    item = item_new(order);
    if (!item) {
        order->failed = true;
        return NULL;
    }
    item->unit = group->number * order->group_items + local;
    item->sub_group = (uint32_t)(local / order->sub_group_size);
    group->items[local] = item;
    group->item_count++;
    return item;
}

/* ---- who --------------------------------------------------------------------------------------- */

uint64_t order_unit_group(const struct order *order, uint64_t unit)
{
    return unit >= UNIT_COPIES ? order->copies[unit - UNIT_COPIES].group : unit / order->group_items;
}

uint32_t order_unit_sub_group(const struct order *order, uint64_t unit)
{
    const struct order_launch *launch = unit < UNIT_COPIES ? order_launch_of(order, unit / order->group_items) : NULL;
    const uint64_t size = launch ? launch->sub_group_size : order->sub_group_size;
    return unit >= UNIT_COPIES ? UINT32_MAX : (uint32_t)(unit % order->group_items / size);
}

void order_agent(const struct order *order, uint64_t unit, struct agent *out_agent)
{
    *out_agent = (struct agent){.unit = unit};
    out_agent->place.group = order_unit_group(order, unit);
    out_agent->place.sub_group = order_unit_sub_group(order, unit);
    out_agent->place.device = order_unit_device(order, unit);
    out_agent->group = order_group_find(order, out_agent->place.group);
    if (unit >= UNIT_COPIES)
        out_agent->copy = &order->copies[unit - UNIT_COPIES];
    else if (out_agent->group && out_agent->group->items)
        out_agent->item = out_agent->group->items[unit % order->group_items];
}

void order_member(const struct order *order, uint64_t number, struct group_order *group, uint64_t local, struct agent *out_agent)
{
    const uint32_t sub_group = (uint32_t)local / order->sub_group_size, device = order->group_device ? order->group_device[number] : 0;
    *out_agent = (struct agent){.unit = number * order->group_items + local, .place = {number, sub_group, device}, .group = group,
                                .item = group && group->items ? group->items[local] : NULL};
}

/* Groups at the far ends may be smaller. */
uint64_t order_group_size(const struct order *order, uint64_t number)
{
    const struct order_launch *launch = order_launch_of(order, number);
    const uint64_t *global = launch ? launch->global_size : order->launch->global_size, *local = launch ? launch->local_size : order->launch->local_size;
    const uint64_t *count = launch ? launch->group_count : order->launch->group_count;
    uint64_t size = 1;
    number -= launch ? launch->first_group : 0;
    for (int axis = 0; axis < 3; axis++) {
        const uint64_t left = global[axis] - number % count[axis] * local[axis];
        number /= count[axis];
        size *= left < local[axis] ? left : local[axis];
    }
    return size;
}

bool order_make_item(struct order *order, struct agent *agent)
{
    if (agent->item)
        return true;
    agent->group = order_group(order, agent->place.group);
    if (agent->group)
        agent->item = item_of(order, agent->group, agent->unit % order->group_items);
    return agent->item != NULL;
}

/* ---- releasing --------------------------------------------------------------------------------- */

/* What each member knows by the group: one map for all of them. */
static struct knowledge *handed_by(struct order *order, struct group_order *group, int region)
{
    struct knowledge **handed = &group->handed[region];
    if (group->base[region] == 1)
        return group->acquired[region];
    if (*handed && group->handed_base[region] == group->base[region])
        return *handed;
    order->group_keys = true;
    group->handed_base[region] = group->base[region];
    set(order, handed, knowledge_share(group->acquired[region]));
    put_into(order, handed, group_key(group->number), group->base[region]);
    return *handed;
}

/* Everything the agent knows in a region, its own deeds before tick among it. */
struct knowledge *order_publish(struct order *order, const struct agent *agent, int region, uint64_t tick)
{
    struct knowledge *known = NULL;
    const struct sub_group_order *sub = order_sub_group_of(agent);
    struct group_order *group = agent->group;
    if (RULE(21) && !sub && knowledge_puts_off(&order->pool))
        join_into(order, &agent->item->acquired[region], handed_by(order, group, region));
    if (RULE(21) && !sub && (knowledge_puts_off(&order->pool) || (!group->acquired[region] && group->base[region] == 1)))
        return knowledge_extend(&order->pool, &agent->item->acquired[region], unit_key(agent->unit), tick);
    if (RULE(21)) {
        join_into(order, &known, agent->item->acquired[region]);
        join_into(order, &known, sub ? sub->acquired[region] : NULL);
        join_into(order, &known, group->acquired[region]);
        if (group->base[region] > 1) {
            order->group_keys = true;
            put_into(order, &known, group_key(group->number), group->base[region]);
        }
        if (sub && sub->base[region] > 1) {
            order->sub_group_keys = true;
            put_into(order, &known, sub_group_key(order, group->number, agent->place.sub_group), sub->base[region]);
        }
    }
    put_into(order, &known, unit_key(agent->unit), tick);
    return known;
}

/* ---- acquiring --------------------------------------------------------------------------------- */

static bool is_dual(bool fence, uint32_t flags)
{
    return fence && (flags & (REGION_GLOBAL | REGION_LOCAL)) == (REGION_GLOBAL | REGION_LOCAL);
}

static bool is_noted(const struct missed_edge *edge, enum missed_why why, const struct message *message, const struct endpoint *end,
                     int region)
{
    return edge->why == why && edge->release_unit == message->release->unit && edge->release_site == message->release->site &&
           edge->acquire_site == end->site && edge->release_scope == message->scope && edge->acquire_scope == end->scope &&
           edge->local == (region == IN_LOCAL) && edge->release && release_is_same(edge->release, message->release);
}

static void note_missed(struct order *order, struct item_order *item, enum missed_why why, const struct message *message,
                        const struct endpoint *end, int region)
{
    for (uint32_t i = 0; i < MISSED_KEPT; i++)
        if (is_noted(&item->missed[i], why, message, end, region))
            return;
    struct missed_edge *edge = &item->missed[item->missed_next];
    item->missed_next = (item->missed_next + 1) % MISSED_KEPT;
    release_drop(order, edge->release);
    *edge = (struct missed_edge){.why = why, .release_site = message->release->site, .acquire_site = end->site,
                                 .release_scope = message->scope, .acquire_scope = end->scope, .release_unit = message->release->unit,
                                 .local = region == IN_LOCAL, .apart = message->apart, .svm_atomics = message->svm_atomics,
                                 .release = release_share(message->release)};
}

/* Both of one work-group, and no wider. */
static inline bool is_near(const struct message *message, const struct endpoint *end, const struct agent *agent)
{
    return message->scope == SCOPE_WORK_GROUP && end->scope == SCOPE_WORK_GROUP && message->place.group == agent->place.group;
}

static bool includes(const struct order *order, const struct agent *agent, const struct message *message, int region, const struct endpoint *end)
{
    const enum memory_scope scope = order_scope(order, end->scope, region == IN_LOCAL, message->svm_atomics);
    return !(message->apart && !same_family(order, &message->place, &agent->place)) &&
           scope_inclusive(order->rule, message->scope, &message->place, scope, &agent->place);
}

/* False: it does not reach the agent. */
bool order_apply(struct order *order, const struct agent *agent, const struct message *message, int region,
                 const struct endpoint *end)
{
    struct item_order *item = agent->item;
    if (!is_near(message, end, agent) && !includes(order, agent, message, region, end)) {
        note_missed(order, item, MISSED_SCOPE, message, end, region);
        return false;
    }
    join_into(order, &item->acquired[region], message->release->known[region]);
    bool dual = is_dual(message->fence, message->flags) && is_dual(end->fence, end->flags) && RULE(15);
    if (dual || !RULE(16)) /* seq_cst alone would not do: no data race chain passes through it (R21) */
        for (int r = IN_GLOBAL; r <= IN_LOCAL; r++)
            join_into(order, &item->acquired[r], message->release->known[r]);
    else if (message->release->known[IN_GLOBAL] && message->release->known[IN_LOCAL])
        note_missed(order, item, MISSED_REGION, message, end, region);
    return true;
}

static void acquire_one(struct order *order, struct agent *agent, struct pending *pending, uint32_t at, int region,
                        const struct endpoint *end)
{
    const uint64_t bit = UINT64_C(1) << at % PENDING_BITS;
    const bool reached = order_apply(order, agent, &pending->list.items[at], region, end);
    if (at < PENDING_BITS)
        pending->unreached = reached ? pending->unreached & ~bit : pending->unreached | bit;
}

static void acquire_region(struct order *order, struct agent *agent, int region, const struct endpoint *end)
{
    struct pending *pending = &agent->item->pending[region];
    const uint32_t count = pending->list.count;
    if (pending->met && pending->scope == end->scope && pending->flags == end->flags && count <= PENDING_BITS) {
        uint64_t rest = pending->fresh | (pending->site == end->site ? 0 : pending->unreached);
        for (pending->fresh = 0; rest; rest &= rest - 1)
            acquire_one(order, agent, pending, (uint32_t)__builtin_ctzll(rest), region, end);
        way_taken(order->ways, WAY_TRIED);
    } else {
        for (uint32_t i = 0; i < count; i++)
            acquire_one(order, agent, pending, i, region, end);
        pending->fresh = 0;
        pending->met = true;
        pending->scope = end->scope;
        pending->flags = end->flags;
    }
    pending->site = end->site;
}

void order_acquire_pending(struct order *order, struct agent *agent, const struct endpoint *end)
{
    for (int region = 0; region < ORDER_REGIONS; region++)
        if (end->flags >> region & 1 && agent->item->pending[region].list.count)
            acquire_region(order, agent, region, end);
}

/* ---- remembering ------------------------------------------------------------------------------- */

/* Did somebody write to the object since the latest operation of the agent, or since it was last asked? Of a store that published
 * nothing no object need be known. */
static bool is_written(const struct order *order, struct item_order *item, const struct happening *happening)
{
    const struct history *history = order->history;
    uint32_t at = item->asked > item->latest ? item->asked : item->latest;
    for (item->asked = history->count; at < history->count; at++) {
        const struct happening *later = &history->items[at];
        if (later->writes && later->address < happening->address + happening->size && happening->address < later->address + later->size)
            return true;
    }
    return false;
}

/* Who waits in a loop reads the same store again and again: once is enough. */
static bool is_repetition(const struct order *order, const struct agent *agent, const struct happening *happening)
{
    const struct happening *latest = agent->item->latest ? &order->history->items[agent->item->latest - 1] : NULL;
    return latest && latest->kind == HAPPENED_ATOMIC && !latest->writes && !happening->writes && latest->site == happening->site &&
           latest->address == happening->address && !is_written(order, agent->item, happening);
}

/* Each operation begins a slice, so that the ticks of accesses tell what they were between. */
void order_remember_own(struct order *order, struct agent *agent, struct happening *happening, uint64_t before)
{
    if (!order->history || order->history->full || !order_make_item(order, agent) || is_repetition(order, agent, happening))
        return;
    if (agent->item->slice <= before)
        agent->item->slice = ++order->tick;
    happening->by = agent->unit;
    happening->tick = order->tick;
    if (history_add(order->history, happening))
        agent->item->latest = order->history->count;
}

/* ---- fences ------------------------------------------------------------------------------------ */

/* Where the same fence stands that the unit came by before, and no other. */
static inline struct message *only_fence(const struct agent *agent, const struct endpoint *end)
{
    const struct message_list *fences = &agent->item->fences;
    struct message *one = fences->items;
    return fences->count == 1 && one->scope == end->scope && one->flags == end->flags ? one : NULL;
}

void order_release_fence(struct order *order, struct agent *agent, const struct endpoint *end, uint64_t tick)
{
    struct release *release = order_release_new(order, agent->unit, end->site);
    struct message *before = only_fence(agent, end);
    for (int r = 0; r < ORDER_REGIONS; r++)
        if (end->flags >> r & 1)
            set(order, &release->known[r], order_publish(order, agent, r, tick));
    if (before) { /* snapshots only grow: the newest holds all */
        release_drop(order, before->release);
        before->release = release;
        return;
    }
    const struct message message = {.scope = end->scope, .flags = end->flags, .fence = true, .place = agent->place, .release = release};
    order_list_renew(order, &agent->item->fences, &message, 0);
    release_drop(order, release);
}

static inline uint32_t fenced(uint32_t regions)
{
    return RULE(6) ? regions : REGION_GLOBAL | REGION_LOCAL;
}

static void fence(struct order *order, struct agent *agent, uint32_t regions, enum memory_order how, enum memory_scope scope,
                  uint32_t site)
{
    const struct endpoint end = {scope, true, fenced(regions), site};
    if (how == ORDER_RELAXED || !regions || order_relay_fence(order, agent, &end, how) || !order_make_item(order, agent))
        return;
    if (acquires(how) && RULE(13))
        order_acquire_pending(order, agent, &end);
    if (releases(how) && RULE(12)) {
        uint64_t tick = order_release_tick(order);
        agent->item->slice = tick;
        order_release_fence(order, agent, &end, tick);
        if (acquires(how) && regions & REGION_IMAGE)
            agent->item->image_base = tick;
    }
}

void order_fence(struct order *order, struct agent *agent, uint32_t regions, enum memory_order how,
                 enum memory_scope scope, uint32_t site)
{
    uint64_t before = order->tick;
    if (agent->group && agent->group->waiting)
        order_deliver(order, agent);
    fence(order, agent, regions, how, scope, site);
    if (!order_remembers(order))
        return;
    struct happening happening = {.kind = HAPPENED_FENCE, .order = (uint8_t)how, .scope = (uint8_t)scope,
                                  .regions = (uint8_t)regions, .site = site};
    order_remember_own(order, agent, &happening, before);
}

/* A member that waits with others reads nothing by itself before it is given what it read. Nothing is remembered while there is a relay. */
bool order_fence_again(struct order *order, struct group_order *group, uint64_t local, const struct sync_event *event)
{
    const struct endpoint end = {event->scope, true, fenced(event->regions), event->origin.site};
    struct waiting *waiting = group->waiting;
    if (!group->relay || event->order < ORDER_ACQ_REL || (waiting && member_bit(waiting->reader, local)) || !relay_fence_again(order, group, local, &end))
        return false;
    if (waiting && local < WAVE_LANES_MAX)
        waiting->done[local / 64] &= ~(UINT64_C(1) << local % 64);
    return true;
}
