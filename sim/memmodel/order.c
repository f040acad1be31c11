/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/limits.h"
#include "orrery/rule.h"

/* An atomic object, by its address. */
struct variable {
    uint64_t address;
    uint32_t size;
    int region;
    bool svm_atomics;         /* it lies in fine-grained SVM with atomics */
    uint64_t group;           /* local: whose memory it was when last used */
    uint64_t generation;      /* counts the stores that began a new list */
    uint64_t version, stream; /* of the list, of the generation: numbers that no other of the launch has; 0: none yet */
    uint64_t counted, others; /* at that version of the list: the newest message but the one that was added last */
    struct message_list messages;
    struct latest_store store;
    struct variable *next;
};

enum { VARIABLE_BUCKETS = HOSTILE(256, 1), LIST_SHORT = HOSTILE(8, 1), STREAMS_MOST = HOSTILE(16, 2) };

/* ---- keys of knowledge ------------------------------------------------------------- */

static uint64_t unit_key(uint64_t unit) { return unit << 2; }
static uint64_t group_key(uint64_t group) { return group << 2 | 1; }

static uint64_t sub_group_key(const struct order *order, uint64_t group, uint32_t sub_group)
{
    return (group * order->sub_group_count + sub_group) << 2 | 2;
}

static void set(struct order *order, struct knowledge **slot, struct knowledge *value)
{
    knowledge_drop(&order->pool, *slot);
    *slot = value;
}

static void join_into(struct order *order, struct knowledge **slot, struct knowledge *more)
{
    if (more && *slot != more)
        set(order, slot, knowledge_join(&order->pool, *slot, more));
}

static void put_into(struct order *order, struct knowledge **slot, uint64_t key, uint64_t tick)
{
    set(order, slot, knowledge_put(&order->pool, *slot, key, tick));
}

static void drop_all(struct order *order, struct knowledge *known[ORDER_REGIONS])
{
    for (int r = 0; r < ORDER_REGIONS; r++)
        set(order, &known[r], NULL);
}

static void share_all(struct knowledge *to[ORDER_REGIONS], struct knowledge *const from[ORDER_REGIONS])
{
    for (int r = 0; r < ORDER_REGIONS; r++)
        to[r] = knowledge_share(from[r]);
}

/* ---- messages ----------------------------------------------------------------------- */

static bool grow(struct order *order, void **items, uint32_t *room, size_t size)
{
    uint32_t wanted = *room ? *room * 2 : HOSTILE(4, 1);
    void *grown = realloc(*items, wanted * size);
    if (!grown) {
        order->failed = true;
        return false;
    }
    *items = grown;
    *room = wanted;
    return true;
}

/* Do both reach the same readers? A reader of a narrower scope may ask for the place of a wider release. */
static bool same_sender(const struct order *order, const struct message *a, const struct message *b)
{
    if (a->scope != b->scope || a->fence != b->fence || a->flags != b->flags || a->svm_atomics != b->svm_atomics)
        return false;
    if (order->rule == SCOPE_RULE_INCLUSIVE31)
        return a->place.group == b->place.group && a->place.sub_group == b->place.sub_group;
    if (a->scope > SCOPE_WORK_GROUP)
        return a->scope != SCOPE_DEVICE || a->place.device == b->place.device;
    return a->place.group == b->place.group && (a->scope != SCOPE_SUB_GROUP || a->place.sub_group == b->place.sub_group);
}

static struct message *list_find(const struct order *order, const struct message_list *list, const struct message *like,
                                 uint64_t stream)
{
    for (uint32_t i = list->count; i-- > 0;) /* the latest to come is the likeliest */
        if (list->items[i].stream == stream && same_sender(order, &list->items[i], like))
            return &list->items[i];
    return NULL;
}

/* The list keeps references of its own. */
static void list_append(struct order *order, struct message_list *list, const struct message *message)
{
    if (list->count == list->room && !grow(order, (void **)&list->items, &list->room, sizeof *list->items))
        return;
    list->items[list->count] = *message;
    list->items[list->count].tried.met = false;
    share_all(list->items[list->count++].known, message->known);
}

static void join_message(struct order *order, struct message *old, const struct message *message)
{
    for (int r = 0; r < ORDER_REGIONS; r++)
        join_into(order, &old->known[r], message->known[r]);
    old->tried.met = false;
    old->unit = message->unit;
    old->site = message->site;
    old->version = message->version;
}

static inline void renew_message(struct order *order, struct message *old, const struct message *message)
{
    for (int r = 0; r < ORDER_REGIONS; r++) {
        if (old->known[r] == message->known[r])
            continue;
        set(order, &old->known[r], knowledge_share(message->known[r]));
        old->tried.met = false;
    }
    old->unit = message->unit;
    old->site = message->site;
    old->version = message->version;
}

/* What includes the same readers becomes one message. */
static void list_add(struct order *order, struct message_list *list, const struct message *message)
{
    struct message *old = list_find(order, list, message, 0);
    if (old)
        join_message(order, old, message);
    else
        list_append(order, list, message);
}

/* Within one generation of an object a later message holds all of an earlier one. What came of it is kept by itself, while
 * there is room: replacing is cheaper than joining. */
static void list_renew(struct order *order, struct message_list *list, const struct message *message, uint64_t stream)
{
    struct message *old = list_find(order, list, message, stream);
    if (!old && list->count >= STREAMS_MOST) {
        list_add(order, list, message);
        return;
    }
    if (!old) {
        struct message own = *message;
        own.stream = stream;
        list_append(order, list, &own);
        return;
    }
    renew_message(order, old, message);
}

static void list_clear(struct order *order, struct message_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        drop_all(order, list->items[i].known);
    list->count = 0;
}

static void list_free(struct order *order, struct message_list *list)
{
    list_clear(order, list);
    free(list->items);
    *list = (struct message_list){0};
}

static void remember(struct order *order, const struct happening *happening)
{
    if (order->history)
        history_add(order->history, happening);
}

/* ---- life ------------------------------------------------------------------------------ */

void order_init(struct order *order, enum scope_rule rule)
{
    *order = (struct order){.rule = rule, .tick = 1};
    knowledge_pool_init(&order->pool);
}

static void item_free(struct order *order, struct item_order *item)
{
    drop_all(order, item->acquired);
    list_free(order, &item->fences);
    for (int r = 0; r < ORDER_REGIONS; r++)
        list_free(order, &item->pending[r]);
    for (uint32_t i = 0; i < item->live_count; i++)
        drop_all(order, item->live[i].message.known);
    for (uint32_t i = 0; i < MISSED_KEPT; i++)
        drop_all(order, item->missed[i].known);
    free(item->live);
    free(item);
}

static void members_free(struct order *order, struct copy_order *copy)
{
    for (uint64_t i = 0; copy->members && i < order->group_items; i++) {
        drop_all(order, copy->members[i].sub);
        drop_all(order, copy->members[i].item);
    }
    free(copy->members);
    copy->members = NULL;
}

static void group_free(struct order *order, struct group_order *group)
{
    for (uint32_t i = 0; i < group->copy_count; i++)
        members_free(order, &order->copies[group->copies[i]]);
    free(group->calls);
    for (uint64_t i = 0; group->items && i < order->group_items; i++)
        if (group->items[i])
            item_free(order, group->items[i]);
    for (uint32_t i = 0; group->sub_groups && i < order->sub_group_count; i++)
        drop_all(order, group->sub_groups[i].acquired);
    drop_all(order, group->acquired);
    if (group->waiting)
        list_free(order, &group->waiting->list);
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
    for (uint32_t b = 0; b < order->variable_buckets; b++) {
        for (struct variable *variable = order->variables[b], *next; variable; variable = next) {
            next = variable->next;
            list_free(order, &variable->messages);
            free(variable);
        }
    }
    free(order->variables);
    free(order->copies);
    if (order->ways)
        order->ways[WAY_CHAIN] += order->pool.chained;
    free(order->arrivals);
    knowledge_pool_fini(&order->pool);
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
    order->sub_group_size = launch->sub_group_size ? launch->sub_group_size : 1;
    order->sub_group_count = (uint32_t)((order->group_items + order->sub_group_size - 1) / order->sub_group_size);
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
    item = calloc(1, sizeof *item);
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

/* ---- who -------------------------------------------------------------------------------- */

uint64_t order_unit_group(const struct order *order, uint64_t unit)
{
    return unit >= UNIT_COPIES ? order->copies[unit - UNIT_COPIES].group : unit / order->group_items;
}

uint32_t order_unit_sub_group(const struct order *order, uint64_t unit)
{
    return unit >= UNIT_COPIES ? UINT32_MAX : (uint32_t)(unit % order->group_items / order->sub_group_size);
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
    const struct launch_info *launch = order->launch;
    uint64_t size = 1;
    for (int axis = 0; axis < 3; axis++) {
        const uint64_t id = number % launch->group_count[axis], left = launch->global_size[axis] - id * launch->local_size[axis];
        number /= launch->group_count[axis];
        size *= left < launch->local_size[axis] ? left : launch->local_size[axis];
    }
    return size;
}

/* ---- knowing ------------------------------------------------------------------------------- */

/* The ways in which a map may know of a unit. */
struct subject { uint64_t unit, group; uint32_t sub_group; };

static bool map_knows(const struct order *order, const struct knowledge *map, const struct subject *of, uint64_t tick)
{
    if (!map)
        return false;
    return tick < knowledge_get(map, unit_key(of->unit)) ||
           (of->unit < UNIT_COPIES && ((order->group_keys && tick < knowledge_get(map, group_key(of->group))) ||
                                       (order->sub_group_keys && tick < knowledge_get(map, sub_group_key(order, of->group, of->sub_group)))));
}

static struct subject subject_of(const struct order *order, uint64_t unit)
{
    return (struct subject){unit, order_unit_group(order, unit), order_unit_sub_group(order, unit)};
}

bool order_map_knows(const struct order *order, const struct knowledge *known, uint64_t unit, uint64_t tick)
{
    const struct subject of = subject_of(order, unit);
    return map_knows(order, known, &of, tick);
}

void order_group_knowledge(struct order *order, uint64_t number, struct knowledge *out_known[ORDER_REGIONS])
{
    const struct group_order *group = order_group_find(order, number);
    for (int r = 0; r < ORDER_REGIONS; r++) {
        out_known[r] = group ? knowledge_share(group->acquired[r]) : NULL;
        for (uint32_t i = 0; group && group->sub_groups && i < order->sub_group_count; i++)
            join_into(order, &out_known[r], group->sub_groups[i].acquired[r]);
        for (uint64_t i = 0; group && group->items && i < order->group_items; i++)
            if (group->items[i])
                join_into(order, &out_known[r], group->items[i]->acquired[r]);
    }
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
           (member->item && map_knows(order, member->item->acquired[region], of, tick));
}

/* What a member knew that came before others. */
static bool member_knew(const struct order *order, const struct copy_member *then, uint64_t member, int region, const struct subject *of,
                        uint64_t tick)
{
    const bool same = of->unit < UNIT_COPIES && of->group == order_unit_group(order, member) &&
                      of->sub_group == order_unit_sub_group(order, member);
    return !then->came || of->unit == member || (same && tick < then->sub_base[region]) ||
           map_knows(order, then->sub[region], of, tick) || map_knows(order, then->item[region], of, tick);
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
    if (!group->items && !group->sub_groups && order->group_items > 1)
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

bool order_knows_of(const struct order *order, const struct agent *agent, int region, uint64_t unit, uint64_t tick)
{
    const struct group_order *group = agent->group;
    const struct subject of = subject_of(order, unit);
    if (agent->copy && agent->copy->members)
        return group_knows(order, group, region, &of, tick) || all_knew(order, agent->copy, region, &of, tick);
    if (agent->copy && RULE(37))
        return group_knows(order, group, region, &of, tick) || all_know(order, group, region, &of, tick);
    return group_knows(order, group, region, &of, tick) || member_knows(order, agent, region, &of, tick);
}

bool order_sees_own_image(const struct agent *agent, uint64_t tick)
{
    const struct sub_group_order *sub = order_sub_group_of(agent);
    return (agent->group && tick < agent->group->base[IN_IMAGE]) || (sub && tick < sub->base[IN_IMAGE]) ||
           (agent->item && tick < agent->item->image_base);
}

/* ---- releasing ------------------------------------------------------------------------------- */

/* Everything the agent knows in a region, its own deeds before tick among it. */
static struct knowledge *publish(struct order *order, const struct agent *agent, int region, uint64_t tick)
{
    struct knowledge *known = NULL;
    const struct sub_group_order *sub = order_sub_group_of(agent);
    const struct group_order *group = agent->group;
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

static bool releases(enum memory_order how)
{
    return how == ORDER_RELEASE || how == ORDER_ACQ_REL || how == ORDER_SEQ_CST;
}

static bool acquires(enum memory_order how)
{
    return how == ORDER_ACQUIRE || how == ORDER_ACQ_REL || how == ORDER_SEQ_CST;
}

static bool make_item(struct order *order, struct agent *agent)
{
    if (agent->item)
        return true;
    agent->group = order_group(order, agent->place.group);
    if (agent->group)
        agent->item = item_of(order, agent->group, agent->unit % order->group_items);
    return agent->item != NULL;
}

/* ---- acquiring ---------------------------------------------------------------------------------- */

/* How one side of an edge was written. */
struct endpoint { enum memory_scope scope; bool fence; uint32_t flags; uint32_t site; };

static bool is_dual(bool fence, uint32_t flags)
{
    return fence && (flags & (REGION_GLOBAL | REGION_LOCAL)) == (REGION_GLOBAL | REGION_LOCAL);
}

static bool is_noted(const struct missed_edge *edge, enum missed_why why, const struct message *message, const struct endpoint *end,
                     int region)
{
    bool same = edge->why == why && edge->release_unit == message->unit && edge->release_site == message->site &&
                edge->acquire_site == end->site && edge->release_scope == message->scope && edge->acquire_scope == end->scope &&
                edge->local == (region == IN_LOCAL);
    for (int r = 0; r < ORDER_REGIONS; r++)
        same &= edge->known[r] == message->known[r];
    return same;
}

static void note_missed(struct order *order, struct item_order *item, enum missed_why why, const struct message *message,
                        const struct endpoint *end, int region)
{
    for (uint32_t i = 0; i < MISSED_KEPT; i++)
        if (is_noted(&item->missed[i], why, message, end, region))
            return;
    struct missed_edge *edge = &item->missed[item->missed_next];
    item->missed_next = (item->missed_next + 1) % MISSED_KEPT;
    drop_all(order, edge->known);
    *edge = (struct missed_edge){.why = why, .release_site = message->site, .acquire_site = end->site,
                                 .release_scope = message->scope, .acquire_scope = end->scope,
                                 .release_unit = message->unit, .local = region == IN_LOCAL};
    share_all(edge->known, message->known);
}

/* False: it does not reach the agent. */
static bool apply(struct order *order, const struct agent *agent, const struct message *message, int region,
                  const struct endpoint *end)
{
    enum memory_scope scope = order_scope(order, end->scope, region == IN_LOCAL, message->svm_atomics);
    struct item_order *item = agent->item;
    if (!scope_inclusive(order->rule, message->scope, &message->place, scope, &agent->place)) {
        note_missed(order, item, MISSED_SCOPE, message, end, region);
        return false;
    }
    join_into(order, &item->acquired[region], message->known[region]);
    bool dual = is_dual(message->fence, message->flags) && is_dual(end->fence, end->flags) && RULE(15);
    if (dual || !RULE(16)) /* seq_cst alone would not do: no data race chain passes through it (R21) */
        for (int r = IN_GLOBAL; r <= IN_LOCAL; r++)
            join_into(order, &item->acquired[r], message->known[r]);
    else if (message->known[IN_GLOBAL] && message->known[IN_LOCAL])
        note_missed(order, item, MISSED_REGION, message, end, region);
    return true;
}

static void acquire_pending(struct order *order, struct agent *agent, const struct endpoint *end)
{
    for (int region = 0; region < ORDER_REGIONS; region++)
        for (uint32_t i = 0; end->flags >> region & 1 && i < agent->item->pending[region].count; i++) {
            struct message *message = &agent->item->pending[region].items[i];
            struct tried *tried = &message->tried;
            if (tried->met && tried->scope == end->scope && tried->flags == end->flags && (tried->reached || tried->site == end->site)) {
                way_taken(order->ways, WAY_TRIED);
                continue;
            }
            const bool reached = apply(order, agent, message, region, end);
            *tried = (struct tried){true, reached, end->scope, end->flags, end->site};
        }
}

static struct variable **bucket(const struct order *order, uint64_t address)
{
    return &order->variables[(address >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (order->variable_buckets - 1)];
}

static struct variable *variable_find(const struct order *order, uint64_t address)
{
    struct variable *variable = order->variable_buckets ? *bucket(order, address) : NULL;
    while (variable && variable->address != address)
        variable = variable->next;
    return variable;
}

/* ---- remembering --------------------------------------------------------------------------------- */

/* Who waits in a loop reads the same store again and again: once is enough. */
static bool is_repetition(const struct order *order, const struct agent *agent, const struct happening *happening)
{
    const struct happening *latest = agent->item->latest ? &order->history->items[agent->item->latest - 1] : NULL;
    const struct variable *variable = variable_find(order, happening->address);
    return latest && latest->kind == HAPPENED_ATOMIC && !latest->writes && !happening->writes && latest->site == happening->site &&
           latest->address == happening->address && (!variable || variable->store.tick <= latest->tick);
}

/* Each operation begins a slice, so that the ticks of accesses tell what they were between. */
static void remember_own(struct order *order, struct agent *agent, struct happening *happening, uint64_t before)
{
    if (!order->history || order->history->full || !make_item(order, agent) || is_repetition(order, agent, happening))
        return;
    if (agent->item->slice <= before)
        agent->item->slice = ++order->tick;
    happening->by = agent->unit;
    happening->tick = order->tick;
    if (history_add(order->history, happening))
        agent->item->latest = order->history->count;
}

static void nobody_done(struct group_order *group);

/* ---- fences ------------------------------------------------------------------------------------------ */

static void release_fence(struct order *order, struct agent *agent, const struct endpoint *end, uint64_t tick)
{
    struct message message = {.scope = end->scope, .flags = end->flags, .fence = true, .place = agent->place,
                              .unit = agent->unit, .site = end->site};
    for (int r = 0; r < ORDER_REGIONS; r++)
        if (end->flags >> r & 1)
            message.known[r] = publish(order, agent, r, tick);
    list_renew(order, &agent->item->fences, &message, 0); /* snapshots only grow: the newest holds all */
    drop_all(order, message.known);
}

static void fence(struct order *order, struct agent *agent, uint32_t regions, enum memory_order how, enum memory_scope scope,
                  uint32_t site)
{
    struct endpoint end = {scope, true, RULE(6) ? regions : REGION_GLOBAL | REGION_LOCAL, site};
    if (how == ORDER_RELAXED || !regions || !make_item(order, agent))
        return;
    if (acquires(how) && RULE(13))
        acquire_pending(order, agent, &end);
    if (releases(how) && RULE(12)) {
        uint64_t tick = ++order->tick;
        agent->item->slice = tick;
        release_fence(order, agent, &end, tick);
        if (acquires(how) && regions & REGION_IMAGE)
            agent->item->image_base = tick;
    }
}

void order_fence(struct order *order, struct agent *agent, uint32_t regions, enum memory_order how,
                 enum memory_scope scope, uint32_t site)
{
    struct happening happening = {.kind = HAPPENED_FENCE, .order = (uint8_t)how, .scope = (uint8_t)scope,
                                  .regions = (uint8_t)regions, .site = site};
    uint64_t before = order->tick;
    order_deliver(order, agent);
    fence(order, agent, regions, how, scope, site);
    remember_own(order, agent, &happening, before);
}

/* ---- barriers ------------------------------------------------------------------------------------------ */

/* A barrier of the usual scope tells its own members nothing by way of atomics that they do not learn by the
 * barrier itself; one of a wider scope is a release fence at its entry and an acquire fence at its exit (R17). */
static bool is_fence_too(enum memory_scope scope, enum memory_scope own)
{
    return scope > own && RULE(17);
}

static void enter(struct order *order, struct group_order *group, uint64_t local, const struct endpoint *end)
{
    struct agent agent;
    order_agent(order, group->number * order->group_items + local, &agent);
    if (make_item(order, &agent))
        release_fence(order, &agent, end, order->tick);
}

static void leave(struct order *order, struct group_order *group, uint64_t local, const struct endpoint *end)
{
    struct agent agent;
    order_agent(order, group->number * order->group_items + local, &agent);
    order_deliver(order, &agent);
    if (agent.item)
        acquire_pending(order, &agent, end);
}

/* What members learned by themselves becomes everybody's. */
static void pool_items(struct order *order, struct group_order *group, uint64_t from, uint64_t to, int region,
                       struct knowledge **into)
{
    for (uint64_t i = from; group->items && group->item_count && i < to; i++) {
        struct item_order *item = group->items[i];
        if (!item || !item->acquired[region])
            continue;
        join_into(order, into, item->acquired[region]);
        set(order, &item->acquired[region], NULL);
    }
}

void order_barrier(struct order *order, uint64_t number, uint32_t regions, enum memory_scope scope, uint32_t site)
{
    struct group_order *group = order_group(order, number);
    if (!group)
        return;
    uint64_t tick = ++order->tick;
    struct endpoint end = {scope, true, regions, site};
    bool fence = regions && is_fence_too(scope, SCOPE_WORK_GROUP);
    for (uint64_t i = 0; fence && i < order->group_items; i++)
        enter(order, group, i, &end);
    for (int r = 0; r < ORDER_REGIONS; r++) {
        if (!(regions >> r & 1) || !RULE(17))
            continue;
        pool_items(order, group, 0, order->group_items, r, &group->acquired[r]);
        for (uint32_t s = 0; group->sub_groups && s < order->sub_group_count; s++) {
            join_into(order, &group->acquired[r], group->sub_groups[s].acquired[r]);
            set(order, &group->sub_groups[s].acquired[r], NULL);
        }
        group->base[r] = tick;
    }
    group->slice = tick;
    nobody_done(group);
    group->barrier = (struct barrier_seen){site, regions, tick, false, false};
    for (uint64_t i = 0; fence && i < order->group_items; i++)
        leave(order, group, i, &end);
    remember(order, &(struct happening){.kind = HAPPENED_BARRIER, .scope = (uint8_t)scope, .regions = (uint8_t)regions,
                                        .site = site, .by = number, .tick = tick});
}

static bool make_sub_groups(struct order *order, struct group_order *group)
{
    if (group->sub_groups)
        return true;
    group->sub_groups = calloc(order->sub_group_count, sizeof *group->sub_groups);
    order->failed |= !group->sub_groups;
    return group->sub_groups != NULL;
}

void order_sub_group_barrier(struct order *order, uint64_t number, uint32_t sub_group, uint32_t regions,
                             enum memory_scope scope, uint32_t site)
{
    struct group_order *group = order_group(order, number);
    if (!group || !make_sub_groups(order, group) || !RULE(19))
        return;
    struct sub_group_order *sub = &group->sub_groups[sub_group];
    uint64_t tick = ++order->tick, from = (uint64_t)sub_group * order->sub_group_size, to = from + order->sub_group_size;
    if (to > order->group_items)
        to = order->group_items;
    struct endpoint end = {scope, true, regions, site};
    bool fence = regions && is_fence_too(scope, SCOPE_SUB_GROUP);
    for (uint64_t i = from; fence && i < to; i++)
        enter(order, group, i, &end);
    for (int r = 0; r < ORDER_REGIONS; r++) {
        if (!(regions >> r & 1))
            continue;
        pool_items(order, group, from, to, r, &sub->acquired[r]);
        sub->base[r] = tick;
    }
    sub->slice = tick;
    nobody_done(group);
    group->barrier = (struct barrier_seen){site, regions, tick, true, false};
    for (uint64_t i = from; fence && i < to; i++)
        leave(order, group, i, &end);
    remember(order, &(struct happening){.kind = HAPPENED_SUB_GROUP_BARRIER, .scope = (uint8_t)scope, .regions = (uint8_t)regions,
                                        .site = site, .number = sub_group, .by = number, .tick = tick});
}

/* Sub-groups that meet: each learns what the others did and knew. */
void order_named_arrival(struct order *order, uint64_t number, uint32_t sub_group)
{
    if (order->arrival_count == order->arrival_room && !grow(order, (void **)&order->arrivals, &order->arrival_room, sizeof *order->arrivals))
        return;
    order->arrivals[order->arrival_count++] = sub_group;
    remember(order, &(struct happening){.kind = HAPPENED_NAMED_ARRIVAL, .number = sub_group, .by = number, .tick = order->tick});
}

static uint64_t first_of(const struct order *order, uint32_t sub_group)
{
    const uint64_t first = (uint64_t)sub_group * order->sub_group_size;
    return first < order->group_items ? first : order->group_items;
}

static void all_arrived(struct order *order, struct group_order *group, const struct endpoint *end,
                        void (*pass)(struct order *, struct group_order *, uint64_t, const struct endpoint *))
{
    for (uint32_t a = 0; a < order->arrival_count; a++)
        for (uint64_t i = first_of(order, order->arrivals[a]); i < first_of(order, order->arrivals[a] + 1); i++)
            pass(order, group, i, end);
}

static void share_region(struct order *order, struct group_order *group, int region)
{
    struct knowledge *known = NULL;
    order->sub_group_keys = true;
    for (uint32_t a = 0; a < order->arrival_count; a++) {
        const uint32_t s = order->arrivals[a];
        pool_items(order, group, first_of(order, s), first_of(order, s + 1), region, &group->sub_groups[s].acquired[region]);
        join_into(order, &known, group->sub_groups[s].acquired[region]);
        set(order, &known, knowledge_put(&order->pool, known, sub_group_key(order, group->number, s), order->tick));
    }
    for (uint32_t a = 0; a < order->arrival_count; a++) {
        struct sub_group_order *sub = &group->sub_groups[order->arrivals[a]];
        set(order, &sub->acquired[region], knowledge_share(known));
        sub->base[region] = order->tick;
    }
    knowledge_drop(&order->pool, known);
}

void order_named_barrier(struct order *order, uint64_t number, uint32_t regions, enum memory_scope scope, uint32_t site)
{
    struct group_order *group = order_group(order, number);
    if (group && make_sub_groups(order, group)) {
        const uint64_t tick = ++order->tick;
        const struct endpoint end = {scope, true, regions, site};
        const bool fence = regions && is_fence_too(scope, SCOPE_SUB_GROUP); /* the scope holds sub-groups that do not come */
        if (fence)
            all_arrived(order, group, &end, enter);
        for (int r = 0; r < ORDER_REGIONS; r++)
            if (regions >> r & 1)
                share_region(order, group, r);
        for (uint32_t a = 0; a < order->arrival_count; a++)
            group->sub_groups[order->arrivals[a]].slice = tick;
        nobody_done(group);
        group->barrier = (struct barrier_seen){site, regions, tick, false, true};
        if (fence)
            all_arrived(order, group, &end, leave);
        remember(order, &(struct happening){.kind = HAPPENED_NAMED_BARRIER, .scope = (uint8_t)scope, .regions = (uint8_t)regions,
                                            .site = site, .by = number, .tick = tick});
    }
    order->arrival_count = 0;
}

/* ---- atomics ------------------------------------------------------------------------------------------- */

static void rehash(struct order *order)
{
    uint32_t count = order->variable_buckets;
    struct variable **old = order->variables, **wider = calloc(count ? 2 * (size_t)count : VARIABLE_BUCKETS, sizeof *wider);
    if (!wider) {
        order->failed |= !count;
        return;
    }
    order->variables = wider;
    order->variable_buckets = count ? 2 * count : VARIABLE_BUCKETS;
    for (uint32_t b = 0; b < count; b++) {
        for (struct variable *variable = old[b], *next; variable; variable = next) {
            next = variable->next;
            variable->next = *bucket(order, variable->address);
            *bucket(order, variable->address) = variable;
        }
    }
    free(old);
}

static struct variable *variable_of(struct order *order, const struct atomic_act *act)
{
    struct variable *variable = variable_find(order, act->address);
    if (variable)
        return variable;
    if (order->variable_count >= order->variable_buckets)
        rehash(order);
    variable = order->variable_buckets ? calloc(1, sizeof *variable) : NULL;
    if (!variable) {
        order->failed = true;
        return NULL;
    }
    variable->address = act->address;
    variable->size = act->size;
    variable->region = act->region;
    variable->svm_atomics = act->svm_atomics;
    variable->store.unit = UNIT_END;
    variable->next = *bucket(order, act->address);
    *bucket(order, act->address) = variable;
    order->variable_count++;
    return variable;
}

/* The agent's own releases whose sequences are still in the variable's list. */
static struct live_release *live_of(const struct agent *agent, const struct variable *variable, uint32_t *at)
{
    for (; agent->item && *at < agent->item->live_count; (*at)++)
        if (agent->item->live[*at].address == variable->address &&
            agent->item->live[*at].generation == variable->generation)
            return &agent->item->live[(*at)++];
    return NULL;
}

static struct live_release *live_like(const struct order *order, const struct agent *agent, const struct variable *variable,
                                      const struct message *message)
{
    uint32_t at = 0;
    for (struct live_release *live; (live = live_of(agent, variable, &at));)
        if (same_sender(order, &live->message, message))
            return live;
    return NULL;
}

static void begin_live(struct order *order, struct agent *agent, const struct variable *variable, const struct message *message)
{
    struct item_order *item = agent->item;
    uint32_t at;
    for (at = 0; at < item->live_count; at++) { /* the place of one whose sequence has ended */
        const struct variable *its = variable_find(order, item->live[at].address);
        if (!its || its->generation != item->live[at].generation)
            break;
    }
    if (at == item->live_count) {
        if (at == item->live_room && !grow(order, (void **)&item->live, &item->live_room, sizeof *item->live))
            return;
        item->live_count++;
    } else {
        drop_all(order, item->live[at].message.known);
    }
    item->live[at] = (struct live_release){variable->address, variable->generation, *message};
    share_all(item->live[at].message.known, message->known);
}

/* live: the same one's before, if there is one. */
static void keep_live(struct order *order, struct agent *agent, const struct variable *variable, struct live_release *live,
                      const struct message *message)
{
    if (!live) {
        begin_live(order, agent, variable, message);
        return;
    }
    renew_message(order, &live->message, message);
}

static void changed(struct order *order, struct variable *variable)
{
    variable->version = ++order->versions;
}

/* Every sequence ends: bytes were written that are no part of this object (R36). */
static void break_off(struct order *order, struct variable *variable)
{
    list_clear(order, &variable->messages);
    changed(order, variable);
    variable->stream = variable->version;
    variable->generation++;
}

/* A store that is no read-modify-write: of the old sequences only the agent's own go on (R8). */
static void restart(struct order *order, struct agent *agent, struct variable *variable)
{
    uint64_t before = variable->generation;
    if (!RULE(8))
        return;
    list_clear(order, &variable->messages);
    changed(order, variable);
    variable->stream = variable->version;
    uint32_t at = 0;
    for (struct live_release *live; (live = live_of(agent, variable, &at));) {
        live->message.version = variable->version;
        list_add(order, &variable->messages, &live->message);
    }
    variable->generation++;
    for (uint32_t i = 0; agent->item && i < agent->item->live_count; i++)
        if (agent->item->live[i].address == variable->address && agent->item->live[i].generation == before)
            agent->item->live[i].generation = variable->generation;
}

/* Messages that stay within groups that have ended reach nobody. */
static void list_trim(struct order *order, struct message_list *list)
{
    uint32_t kept = 0;
    if (list->count < LIST_SHORT || list->count < list->room)
        return;
    for (uint32_t i = 0; i < list->count; i++) {
        struct message *message = &list->items[i];
        if (message->scope <= SCOPE_WORK_GROUP && !order_group_find(order, message->place.group))
            drop_all(order, message->known);
        else
            list->items[kept++] = *message;
    }
    list->count = kept;
}

static void send(struct order *order, struct agent *agent, struct variable *variable, struct message *message)
{
    message->scope = order_scope(order, message->scope, variable->region == IN_LOCAL, variable->svm_atomics);
    message->svm_atomics = variable->svm_atomics;
    if (message->scope == SCOPE_WORK_ITEM)
        return;
    struct live_release *live = live_like(order, agent, variable, message);
    if (live && memcmp(live->message.known, message->known, sizeof message->known) == 0) {
        way_taken(order->ways, WAY_SENT);
        return;
    }
    changed(order, variable);
    message->version = variable->version;
    list_trim(order, &variable->messages);
    list_add(order, &variable->messages, message);
    if (!variable->stream)
        variable->stream = variable->version;
    keep_live(order, agent, variable, live, message);
}

static void send_own(struct order *order, struct agent *agent, struct variable *variable, const struct atomic_act *act,
                     uint64_t tick)
{
    struct message message = {.scope = act->scope, .place = agent->place, .unit = agent->unit, .site = act->site};
    for (int r = IN_GLOBAL; r <= IN_LOCAL; r++)
        if (r == act->region || !RULE(16))
            message.known[r] = publish(order, agent, r, tick);
    send(order, agent, variable, &message);
    drop_all(order, message.known);
}

/* Objects that overlap this one and begin elsewhere. */
static void break_neighbours(struct order *order, const struct atomic_act *act)
{
    struct variable *before = variable_find(order, act->address - 4), *inside = variable_find(order, act->address + 4);
    if (before && before->size == 8)
        break_off(order, before);
    if (inside && act->size == 8)
        break_off(order, inside);
}

static void store(struct order *order, struct agent *agent, struct variable *variable, const struct atomic_act *act)
{
    bool release = releases(act->order) && RULE(5);
    if (variable->size != act->size)
        break_off(order, variable);
    else if (!act->reads)
        restart(order, agent, variable);
    variable->size = act->size;
    if (order->wide)
        break_neighbours(order, act);
    for (uint32_t i = 0; agent->item && i < agent->item->fences.count; i++) {
        struct message message = agent->item->fences.items[i];
        if (message.flags >> act->region & 1)
            send(order, agent, variable, &message);
    }
    uint64_t tick = order->tick;
    if (release && make_item(order, agent)) {
        tick = ++order->tick;
        agent->item->slice = tick;
        send_own(order, agent, variable, act, tick);
    }
    variable->store.site = act->site;
    variable->store.unit = agent->unit;
    variable->store.tick = tick;
    variable->store.releases = release || (agent->item && agent->item->fences.count);
}

static void add_relaxed_store(struct order *order, struct item_order *item, const struct latest_store *store,
                              const struct atomic_act *act)
{
    for (uint32_t i = 0; i < MISSED_KEPT; i++)
        if (item->missed[i].why == MISSED_RELEASE && item->missed[i].release_unit == store->unit && item->missed[i].tick == store->tick)
            return;
    struct missed_edge *edge = &item->missed[item->missed_next];
    item->missed_next = (item->missed_next + 1) % MISSED_KEPT;
    drop_all(order, edge->known);
    *edge = (struct missed_edge){.why = MISSED_RELEASE, .release_site = store->site, .acquire_site = act->site,
                                 .acquire_scope = act->scope, .release_unit = store->unit,
                                 .tick = store->tick, .local = act->region == IN_LOCAL};
}

static inline bool is_relaxed_of_another(const struct latest_store *store, uint64_t unit)
{
    return store->unit != UNIT_END && store->unit != unit && !store->releases;
}

static inline void note_relaxed_store(struct order *order, struct item_order *item, const struct latest_store *store,
                                      const struct atomic_act *act)
{
    if (is_relaxed_of_another(store, item->unit))
        add_relaxed_store(order, item, store, act);
}

/* Messages that cannot reach the agent are kept for explanations: a few do. */
static bool is_wanted(const struct message_list *pending, const struct message *message, uint64_t group)
{
    return message->scope > SCOPE_WORK_GROUP || message->place.group == group || pending->count < MISSED_KEPT;
}

static struct list_seen *seen_find(struct item_order *item, uint64_t stream)
{
    for (uint32_t i = 0; i < LISTS_SEEN; i++)
        if (item->seen[i].stream == stream)
            return &item->seen[i];
    return NULL;
}

static struct list_seen *seen_of(struct item_order *item, uint64_t stream)
{
    struct list_seen *seen = seen_find(item, stream);
    if (seen)
        return seen;
    seen = &item->seen[item->seen_next];
    item->seen_next = (item->seen_next + 1) % LISTS_SEEN;
    *seen = (struct list_seen){.stream = stream};
    return seen;
}

/* What is newer than `since` becomes pending. */
static void take(struct order *order, struct agent *agent, const struct message_list *list, uint64_t stream, uint64_t since, int region)
{
    struct message_list *pending = &agent->item->pending[region];
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].version > since && is_wanted(pending, &list->items[i], agent->place.group))
            list_renew(order, pending, &list->items[i], stream);
}

static void acquire(struct order *order, struct agent *agent, const struct message_list *list, uint64_t since,
                    const struct atomic_act *act)
{
    const struct endpoint end = {act->scope, false, 0, act->site};
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].version > since && (!list->items[i].fence || RULE(14)))
            apply(order, agent, &list->items[i], act->region, &end);
}

static void load(struct order *order, struct agent *agent, const struct variable *variable, const struct atomic_act *act)
{
    const bool acquiring = acquires(act->order) && RULE(11);
    if (!variable->messages.count && !acquiring)
        return;
    if (!make_item(order, agent))
        return;
    struct list_seen *seen = seen_of(agent->item, variable->stream);
    if (acquiring && (seen->acquired < variable->version || seen->scope != act->scope)) {
        const uint64_t since = seen->scope == act->scope ? seen->acquired : 0;
        if (since)
            way_taken(order->ways, WAY_SEEN);
        acquire(order, agent, &variable->messages, since, act);
        seen->acquired = variable->version;
        seen->scope = act->scope;
    }
    if (seen->version)
        way_taken(order->ways, WAY_SEEN);
    if (seen->version < variable->version) {
        take(order, agent, &variable->messages, variable->stream, seen->version, act->region);
        seen->version = variable->version;
    }
    note_relaxed_store(order, agent->item, &variable->store, act);
}

/* ---- waiting together ------------------------------------------------------------------------------------ */

static bool member_bit(const uint64_t mask[LANE_MASK_WORDS], uint64_t local)
{
    return local < WAVE_LANES_MAX && mask[local / 64] >> local % 64 & 1;
}

static void give(struct order *order, struct agent *agent, const struct waiting *waiting)
{
    if (!make_item(order, agent))
        return;
    struct list_seen *seen = seen_of(agent->item, waiting->stream);
    if (seen->version < waiting->version) {
        take(order, agent, &waiting->list, waiting->stream, seen->version, waiting->act.region);
        seen->version = waiting->version;
    }
    note_relaxed_store(order, agent->item, &waiting->store, &waiting->act);
}

void order_deliver(struct order *order, struct agent *agent)
{
    struct waiting *waiting = agent->group && !agent->copy ? agent->group->waiting : NULL;
    const uint64_t local = agent->unit - agent->place.group * order->group_items, bit = UINT64_C(1) << local % 64;
    if (!waiting || local >= WAVE_LANES_MAX)
        return;
    waiting->done[local / 64] &= ~bit;
    if (!(waiting->reader[local / 64] & bit))
        return;
    waiting->reader[local / 64] &= ~bit;
    give(order, agent, waiting);
}

/* A new slice begins for all of them. */
static void nobody_done(struct group_order *group)
{
    if (group->waiting)
        memset(group->waiting->done, 0, sizeof group->waiting->done);
}

/* Who reads no more with the others is given what it read. */
static void part(struct order *order, struct group_order *group, const uint64_t staying[LANE_MASK_WORDS])
{
    struct waiting *waiting = group->waiting;
    for (uint64_t local = 0; local < WAVE_LANES_MAX && local < order->group_items; local++) {
        struct agent agent;
        if (!member_bit(waiting->reader, local) || member_bit(staying, local))
            continue;
        order_agent(order, group->number * order->group_items + local, &agent);
        give(order, &agent, waiting);
    }
    memset(waiting->reader, 0, sizeof waiting->reader);
    list_clear(order, &waiting->list);
}

/* What they read before stays with those who read on, as long as it is of the same generation. */
static void part_from(struct order *order, struct group_order *group, const struct variable *variable, const uint64_t reader[LANE_MASK_WORDS])
{
    const struct waiting *waiting = group->waiting;
    const bool goes_on = waiting->stream == variable->stream;
    uint64_t staying[LANE_MASK_WORDS] = {0}, left = 0;
    for (uint32_t w = 0; w < LANE_MASK_WORDS; w++) {
        staying[w] = goes_on ? reader[w] : 0;
        left |= waiting->reader[w] & ~staying[w];
    }
    if (left)
        part(order, group, staying);
}

/* What waiting members read from here on. */
static void look_anew(struct order *order, struct waiting *waiting, const struct variable *variable, uint64_t group)
{
    const bool goes_on = waiting->stream == variable->stream && waiting->list.count;
    if (!goes_on)
        list_clear(order, &waiting->list);
    for (uint32_t i = 0; i < variable->messages.count; i++) {
        const struct message *message = &variable->messages.items[i];
        if ((!goes_on || message->version > waiting->version) && is_wanted(&waiting->list, message, group))
            list_renew(order, &waiting->list, message, 0);
    }
    waiting->stream = variable->stream;
    waiting->version = variable->version;
    waiting->store = variable->store;
}

bool order_wait(struct order *order, struct group_order *group, const struct atomic_act *act, const uint64_t reader[LANE_MASK_WORDS])
{
    const struct variable *variable = variable_find(order, act->address);
    struct waiting *waiting = group->waiting;
    if (variable && act->region == IN_LOCAL && !order->formal && variable->group != group->number)
        return false;
    if (!variable || variable->size != act->size || !variable->messages.count)
        return true;
    if (waiting->version != variable->version || waiting->act.scope != act->scope || waiting->act.site != act->site) {
        part_from(order, group, variable, reader);
        look_anew(order, waiting, variable, group->number);
        waiting->act = *act;
        memset(waiting->reader, 0, sizeof waiting->reader);
    }
    for (uint32_t w = 0; w < LANE_MASK_WORDS; w++)
        waiting->reader[w] |= reader[w];
    way_taken(order->ways, WAY_TOGETHER);
    return true;
}

/* ---- the same object again ------------------------------------------------------------------------------- */

static bool is_relaxed_update(const struct agent *agent, const struct atomic_act *act)
{
    return act->reads && act->writes && act->order == ORDER_RELAXED && agent->item && agent->item->fences.count == 1;
}

/* Where the next one will find what came of the agent's fence. */
static void note_places(struct order *order, struct agent *agent, const struct variable *variable, const struct atomic_act *act)
{
    struct list_seen *seen = seen_of(agent->item, variable->stream);
    const struct message_list *pending = &agent->item->pending[act->region];
    uint32_t at = 0;
    const struct live_release *live = live_of(agent, variable, &at);
    seen->pending = seen->live = 0;
    if (!live || !live->message.fence || live_of(agent, variable, &at))
        return;
    const struct message *own = list_find(order, pending, &live->message, variable->stream);
    if (!own)
        return;
    seen->pending = (uint32_t)(own - pending->items) + 1;
    seen->live = (uint32_t)(live - agent->item->live) + 1;
}

/* Of all messages but the one that was added last. */
static inline uint64_t newest_of_others(struct variable *variable)
{
    if (variable->counted == variable->version)
        return variable->others;
    variable->counted = variable->version;
    variable->others = 0;
    for (uint32_t i = 0; i + 1 < variable->messages.count; i++)
        if (variable->messages.items[i].version > variable->others)
            variable->others = variable->messages.items[i].version;
    return variable->others;
}

/* What a unit's fence knows need not become pending. */
static inline bool holds(const struct message *fence, const struct message *message)
{
    return knowledge_holds(fence->known[IN_GLOBAL], message->known[IN_GLOBAL]) &&
           knowledge_holds(fence->known[IN_LOCAL], message->known[IN_LOCAL]) && knowledge_holds(fence->known[IN_IMAGE], message->known[IN_IMAGE]);
}

static inline bool is_same_known(const struct message *a, const struct message *b)
{
    return a->known[IN_GLOBAL] == b->known[IN_GLOBAL] && a->known[IN_LOCAL] == b->known[IN_LOCAL] && a->known[IN_IMAGE] == b->known[IN_IMAGE];
}

/* A relaxed update by a unit with one fence: what load() and store() would do, at the places noted. False: they must, for
 * others than senders like it have added to the list since it looked. */
static inline bool update_again(struct order *order, struct item_order *item, struct variable *variable, const struct atomic_act *act)
{
    struct list_seen *seen = seen_find(item, variable->stream);
    if (!seen || !seen->pending || variable->size != act->size || order->wide || newest_of_others(variable) > seen->version)
        return false;
    struct message *pending = &item->pending[act->region].items[seen->pending - 1];
    struct live_release *live = &item->live[seen->live - 1];
    if (live->address != variable->address || live->generation != variable->generation)
        return false;
    struct message *latest = &variable->messages.items[variable->messages.count - 1], *fence = &item->fences.items[0];
    if (!same_sender(order, latest, &live->message))
        return false;
    const bool news = !holds(fence, latest);
    if (news && latest->version > seen->version)
        renew_message(order, pending, latest);
    seen->version = variable->version;
    note_relaxed_store(order, item, &variable->store, act);
    if (!is_same_known(&live->message, fence)) {
        variable->counted = ++order->versions;
        fence->version = variable->version = variable->counted;
        (news ? join_message : renew_message)(order, latest, fence);
        renew_message(order, &live->message, fence);
    }
    variable->store = (struct latest_store){act->site, item->unit, order->tick, true};
    way_taken(order->ways, WAY_AGAIN);
    return true;
}

/* ---- atomics, one by one --------------------------------------------------------------------------------- */

static void atomic(struct order *order, struct agent *agent, const struct atomic_act *act)
{
    struct variable *variable = variable_find(order, act->address);
    bool silent = !releases(act->order) && !(agent->item && agent->item->fences.count);
    if (!variable && silent && (act->reads || !act->writes)) /* nothing that anybody could learn from */
        return;
    if (!variable)
        variable = variable_of(order, act);
    if (!variable)
        return;
    order->wide |= act->size == 8;
    if (act->region == IN_LOCAL && !order->formal && variable->group != agent->place.group)
        break_off(order, variable); /* the memory of another group (R38) */
    variable->group = agent->place.group;
    const bool simple = is_relaxed_update(agent, act);
    if (simple && update_again(order, agent->item, variable, act))
        return;
    if (act->reads && variable->size == act->size)
        load(order, agent, variable, act);
    if (act->writes)
        store(order, agent, variable, act);
    if (simple)
        note_places(order, agent, variable, act);
}

void order_atomic(struct order *order, struct agent *agent, const struct atomic_act *act)
{
    uint64_t before = order->tick;
    if (agent->group && agent->group->waiting)
        order_deliver(order, agent);
    atomic(order, agent, act);
    if (!order_remembers(order))
        return;
    struct happening happening = {.kind = HAPPENED_ATOMIC, .order = (uint8_t)act->order, .scope = (uint8_t)act->scope,
                                  .region = (int8_t)act->region, .reads = act->reads, .writes = act->writes,
                                  .svm_atomics = act->svm_atomics, .site = act->site, .size = act->size, .address = act->address};
    remember_own(order, agent, &happening, before);
}

/* What a unit that reads the object now has read of it together with others is among what it reads. */
static bool covers(const struct waiting *waiting, const struct variable *variable, uint64_t unit)
{
    return waiting->stream == variable->stream && waiting->act.size == variable->size && waiting->act.region == variable->region &&
           !is_relaxed_of_another(&waiting->store, unit);
}

static bool was_delivered(struct group_order *group, const struct variable *variable, uint64_t unit, uint64_t local)
{
    struct waiting *waiting = group->waiting;
    if (!waiting || !member_bit(waiting->reader, local))
        return true;
    if (!covers(waiting, variable, unit))
        return false;
    waiting->reader[local / 64] &= ~(UINT64_C(1) << local % 64);
    return true;
}

void order_updates_begin(struct order *order, struct group_order *group, const struct atomic_act *act, struct update_run *out_run)
{
    *out_run = (struct update_run){.order = order, .group = group, .act = *act};
}

bool order_update(struct update_run *run, uint64_t local)
{
    struct order *order = run->order;
    struct item_order *item = run->group->items[local];
    if (!item || item->fences.count != 1)
        return false;
    if (!run->variable || run->variable->address != run->act.address) {
        run->variable = variable_find(order, run->act.address);
        if (!run->variable || (run->act.region == IN_LOCAL && run->variable->group != run->group->number)) {
            run->variable = NULL;
            return false;
        }
    }
    return was_delivered(run->group, run->variable, item->unit, local) &&
           update_again(order, item, run->variable, &run->act);
}

bool order_is_silent(const struct order *order, const struct group_order *group)
{
    return !order->variable_count && (!group || !(group->items || group->sub_groups || group->copy_count));
}

bool order_remembers(const struct order *order)
{
    return order->history && !order->history->full;
}

uint64_t order_next_slice(struct order *order)
{
    return ++order->tick;
}

void order_remember_update(struct order *order, const struct atomic_act *act, uint64_t unit, uint64_t address, uint64_t tick)
{
    struct group_order *group = order->groups;
    const uint64_t number = order_unit_group(order, unit);
    if (!group || group->number != number)
        group = order_group(order, number);
    if (!group)
        return;
    group->slice = tick;
    history_add(order->history, &(struct happening){.kind = HAPPENED_ATOMIC, .order = (uint8_t)act->order, .scope = (uint8_t)act->scope,
                                                    .region = (int8_t)act->region, .reads = act->reads, .writes = act->writes,
                                                    .svm_atomics = act->svm_atomics, .site = act->site,
                                                    .size = act->size, .by = unit, .address = address, .tick = tick});
}

static void overwrite_one(struct order *order, struct agent *agent, uint64_t address, uint64_t low, uint64_t high,
                          uint32_t site)
{
    struct variable *variable = variable_find(order, address);
    if (!variable || address >= high || address + variable->size <= low)
        return;
    remember(order, &(struct happening){.kind = HAPPENED_OVERWRITE, .writes = true, .region = (int8_t)variable->region, .site = site,
                                        .size = (uint32_t)(high - low), .by = agent->unit, .address = low});
    restart(order, agent, variable);
    variable->store.site = site;
    variable->store.unit = agent->unit;
    variable->store.tick = order->tick;
    variable->store.releases = false;
}

void order_overwrite(struct order *order, struct agent *agent, uint64_t address, uint32_t size, uint32_t site)
{
    if (!order->variable_count)
        return;
    for (uint64_t at = (address & ~UINT64_C(3)) - 4; at < address + size; at += 4)
        overwrite_one(order, agent, at, address, address + size, site);
}

/* ---- copies ---------------------------------------------------------------------------------------------- */

uint64_t order_copy_unit(const struct order *order, uint64_t group, uint32_t number)
{
    const struct group_order *found = order_group_find(order, group);
    if (found && found->performed != UNIT_END)
        return found->performed;
    for (uint32_t i = found ? found->copy_count : 0; i-- > 0;)
        if (order->copies[found->copies[i]].number == number)
            return UNIT_COPIES + found->copies[i];
    return UNIT_END;
}

uint64_t order_copy_start(struct order *order, uint64_t number, uint32_t copy_number, uint32_t site)
{
    struct group_order *group = order_group(order, number);
    if (!group)
        return UNIT_END;
    if (order->copy_count == order->copy_room &&
        !grow(order, (void **)&order->copies, &order->copy_room, sizeof *order->copies))
        return UNIT_END;
    uint32_t *open = realloc(group->copies, (group->copy_count + 1) * sizeof *open);
    if (!open) {
        order->failed = true;
        return UNIT_END;
    }
    group->copies = open;
    struct copy_order *copy = &order->copies[order->copy_count];
    *copy = (struct copy_order){.group = number, .number = copy_number, .site = site, .tick = ++order->tick};
    remember(order, &(struct happening){.kind = HAPPENED_COPY, .site = site, .number = copy_number, .by = number, .tick = copy->tick});
    group->copies[group->copy_count++] = order->copy_count;
    group->performed = UNIT_END;
    return UNIT_COPIES + order->copy_count++;
}

/* The copy that is so many calls behind the member's first; the first who comes makes it. */
static struct copy_order *called(struct order *order, struct group_order *group, uint32_t call, uint32_t number, uint32_t site)
{
    for (uint32_t i = 0; i < group->copy_count; i++)
        if (order->copies[group->copies[i]].members && order->copies[group->copies[i]].call == call)
            return &order->copies[group->copies[i]];
    const uint64_t performed = group->performed, unit = order_copy_start(order, group->number, number, site);
    group->performed = performed;
    struct copy_order *copy = unit == UNIT_END ? NULL : &order->copies[unit - UNIT_COPIES];
    if (!copy)
        return NULL;
    copy->call = call;
    copy->absent = order_group_size(order, group->number);
    copy->members = calloc(order->group_items, sizeof *copy->members);
    order->failed |= !copy->members;
    return copy->members ? copy : NULL;
}

void order_copy_arrive(struct order *order, uint64_t unit, uint32_t number, uint32_t site)
{
    struct agent agent;
    struct group_order *group = order_group(order, order_unit_group(order, unit));
    const uint64_t local = unit % order->group_items;
    if (group && !group->calls && !(group->calls = calloc(order->group_items, sizeof *group->calls)))
        order->failed = true;
    struct copy_order *copy = group && group->calls ? called(order, group, group->calls[local]++, number, site) : NULL;
    if (!copy)
        return;
    order_agent(order, unit, &agent);
    order_deliver(order, &agent);
    const struct sub_group_order *sub = order_sub_group_of(&agent);
    struct copy_member *member = &copy->members[local];
    member->came = true;
    copy->absent--;
    if (sub) {
        memcpy(member->sub_base, sub->base, sizeof member->sub_base);
        share_all(member->sub, sub->acquired);
    }
    if (agent.item)
        share_all(member->item, agent.item->acquired);
    if (local == 0)
        group->performed = UNIT_COPIES + (uint64_t)(copy - order->copies);
}

bool order_copy_complete(const struct order *order, uint64_t unit)
{
    return !order->copies[unit - UNIT_COPIES].absent;
}

static void wait_for(struct order *order, struct group_order *group, uint64_t unit)
{
    for (int r = 0; r < ORDER_REGIONS; r++)
        put_into(order, &group->acquired[r], unit_key(unit), order->tick);
}

void order_copy_wait(struct order *order, uint64_t number, uint32_t copy_number)
{
    struct group_order *group = order_group_find(order, number);
    uint32_t kept = 0;
    if (!group || !group->copy_count)
        return;
    order->tick++;
    remember(order, &(struct happening){.kind = HAPPENED_COPY_WAIT, .number = copy_number, .by = number, .tick = order->tick});
    for (uint32_t i = 0; i < group->copy_count; i++) {
        if (order->copies[group->copies[i]].number != copy_number) {
            group->copies[kept++] = group->copies[i];
            continue;
        }
        wait_for(order, group, UNIT_COPIES + group->copies[i]);
        members_free(order, &order->copies[group->copies[i]]);
    }
    group->copy_count = kept;
}

/* ---- explaining ------------------------------------------------------------------------------------------ */

bool order_explain(const struct order *order, const struct agent *agent, int region, uint64_t unit, uint64_t tick,
                   struct missed_edge *out_missed)
{
    const struct subject of = subject_of(order, unit);
    const bool placed = !order->history || !order->history->full; /* each operation begins a slice */
    for (uint32_t i = 0; agent->item && i < MISSED_KEPT; i++) {
        const struct missed_edge *edge = &agent->item->missed[(agent->item->missed_next + MISSED_KEPT - 1 - i) % MISSED_KEPT];
        bool would = edge->why == MISSED_RELEASE ? placed && edge->release_unit == unit && tick <= edge->tick
                     : edge->why != MISSED_NOTHING && map_knows(order, edge->known[region], &of, tick);
        if (would) {
            *out_missed = *edge;
            return true;
        }
    }
    for (int r = 0; agent->item && r < ORDER_REGIONS; r++) {
        for (uint32_t i = 0; i < agent->item->pending[r].count; i++) {
            const struct message *message = &agent->item->pending[r].items[i];
            if (!map_knows(order, message->known[region], &of, tick))
                continue;
            *out_missed = (struct missed_edge){.why = MISSED_ACQUIRE, .release_site = message->site,
                                               .acquire_site = UINT32_MAX, .release_scope = message->scope,
                                               .release_unit = message->unit, .local = r == IN_LOCAL};
            return true;
        }
    }
    return false;
}
