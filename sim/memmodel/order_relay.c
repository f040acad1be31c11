/* SPDX-License-Identifier: Apache-2.0 */
#include "order_relay.h"

#include <stdlib.h>

#include "lane_mask.h"

/* ---- life -------------------------------------------------------------------------------------- */

static struct relay *relay_new(uint64_t items)
{
    struct relay *relay = calloc(1, sizeof *relay);
    uint32_t *positions = calloc(items, 4 * sizeof *positions + sizeof *relay->acted);
    if (!relay || !positions) {
        free(relay);
        free(positions);
        return NULL;
    }
    relay->sent = positions;
    relay->acquired = positions + items;
    relay->pending = positions + 2 * items;
    relay->slice = positions + 3 * items;
    relay->acted = (uint16_t *)(positions + 4 * items);
    return relay;
}

static void part_with(struct relay_object *object)
{
    struct relay_object **at = &object->variable->relayed;
    while (*at != object)
        at = &(*at)->next;
    *at = object->next;
    free(object->sent);
}

void order_relay_free(struct order *order, struct group_order *group)
{
    struct relay *relay = group->relay;
    if (!relay)
        return;
    for (uint32_t i = 0; i < relay->object_count; i++)
        part_with(&relay->objects[i]);
    knowledge_drop(&order->pool, relay->first);
    free(relay->handed);
    free(relay->sent);
    free(relay);
    group->relay = NULL;
    group->slices = NULL;
}

static bool has_no_fences(const struct order *order, const struct group_order *group)
{
    bool none = true;
    for (uint64_t i = 0; group->items && i < order->group_items; i++)
        none &= !group->items[i] || !group->items[i]->fences.count;
    return none;
}

static bool may_begin(const struct order *order, const struct group_order *group, const struct endpoint *end, enum memory_order how)
{
    return releases(how) && end->scope == SCOPE_WORK_GROUP && (end->flags == REGION_GLOBAL || end->flags == REGION_LOCAL) &&
           order->rule == SCOPE_RULE_EQUAL && !order->formal && !order->wide && !order_remembers(order) && !group->sub_groups &&
           !group->copy_count && has_no_fences(order, group);
}

static void relay_begin(struct order *order, struct agent *agent, const struct endpoint *end, enum memory_order how)
{
    if (!order_make_item(order, agent))
        return;
    struct group_order *group = agent->group;
    struct relay *relay = !group->relay_tried && may_begin(order, group, end, how) ? relay_new(order->group_items) : NULL;
    group->relay_tried = true;
    if (!relay)
        return;
    order_part_all(order, group);
    relay->group = group;
    relay->first_unit = group->number * order->group_items;
    relay->region = end->flags == REGION_GLOBAL ? IN_GLOBAL : IN_LOCAL;
    for (uint64_t i = 0; i < order->group_items; i++)
        relay->slice[i] = (uint32_t)(group->items[i] ? order_member_slice(group, group->items[i]) : group->slice);
    group->relay = relay;
    group->slices = relay->slice;
}

/* ---- objects ----------------------------------------------------------------------------------- */

/* Messages that stay within other groups. */
static bool are_foreign(const struct message_list *list, uint64_t group)
{
    bool foreign = true;
    for (uint32_t i = 0; i < list->count; i++)
        foreign &= list->items[i].scope <= SCOPE_WORK_GROUP && list->items[i].place.group != group;
    return foreign;
}

struct relay_object *order_relay_object(struct order *order, struct relay *relay, const struct atomic_act *act)
{
    struct variable *variable = order_variable(order, act);
    struct relay_object *object = variable ? relay_object_of(relay, variable) : NULL;
    const bool fits = variable && act->size == 4 && variable->size == 4 && act->region == relay->region && variable->region == act->region &&
                      !act->svm_atomics && !variable->svm_atomics && !order->wide;
    if (object || !fits || relay->object_count == RELAY_OBJECTS)
        return fits ? object : NULL;
    if (act->region == IN_LOCAL && variable->group != relay->group->number && (variable->relayed || variable->messages.count))
        return NULL; /* the memory of another group (R38) */
    if (!are_foreign(&variable->messages, relay->group->number))
        return NULL;
    uint32_t *sent = calloc(order->group_items, sizeof *sent);
    if (!sent)
        return NULL;
    variable->group = relay->group->number;
    object = &relay->objects[relay->object_count];
    *object = (struct relay_object){.variable = variable, .relay = relay, .next = variable->relayed, .bit = 1u << relay->object_count, .sent = sent};
    variable->relayed = object;
    relay->object_count++;
    return object;
}

static void member(struct order *order, const struct relay *relay, uint64_t local, struct agent *out_agent)
{
    order_member(order, relay->group->number, relay->group, local, out_agent);
    order_make_item(order, out_agent);
}

/* What other groups sent reaches nobody here; a few are kept for explanations. */
static void enter(struct order *order, struct agent *agent, struct relay_object *object, uint64_t local)
{
    struct relay *relay = object->relay;
    relay->acted[local] |= (uint16_t)object->bit;
    if (!object->variable->messages.count || agent->item->pending[relay->region].list.count >= MISSED_KEPT)
        return;
    order_take(order, agent, &object->variable->messages, object->variable->stream, 0, relay->region);
    relay->acted[local] &= (uint16_t)~RELAY_MET;
}

void order_relay_come(struct order *order, struct relay_object *object, uint64_t local, const struct latest_store *store, const struct atomic_act *act)
{
    struct agent agent;
    member(order, object->relay, local, &agent);
    if (!agent.item)
        return;
    if (!(object->relay->acted[local] & object->bit))
        enter(order, &agent, object, local);
    note_relaxed_store(order, agent.item, store, act);
}

/* ---- waiting together -------------------------------------------------------------------------- */

void order_relay_hear(struct order *order, struct group_order *group, uint64_t local)
{
    struct relay *relay = group->relay;
    group->waiting->reader[local / 64] &= ~(UINT64_C(1) << local % 64);
    relay_read(order, relay->awaited, local, relay->awaited_position, &relay->awaited_store, &relay->awaited_act);
}

static void hear_all(struct order *order, struct group_order *group)
{
    for (uint32_t w = 0; group->waiting && w < LANE_MASK_WORDS; w++)
        for (uint64_t rest = group->waiting->reader[w]; rest; rest &= rest - 1)
            order_relay_hear(order, group, w * 64 + (uint64_t)__builtin_ctzll(rest));
}

static __attribute__((noinline)) bool wait_otherwise(struct order *order, struct group_order *group, const struct atomic_act *act,
                                                     const uint64_t reader[LANE_MASK_WORDS])
{
    struct relay *relay = group->relay;
    struct relay_object *object = order_relay_object(order, relay, act);
    if (!object) {
        order_relay_leave(order, group);
        return order_wait_listed(order, group, act, reader);
    }
    hear_all(order, group);
    relay->awaited = object;
    relay->awaited_act = *act;
    return order_relay_wait(order, group, act, reader);
}

/* The same object, and all that read it before read on. */
static inline bool goes_on(const struct order *order, const struct relay *relay, const struct waiting *waiting, const struct atomic_act *act,
                           const uint64_t reader[LANE_MASK_WORDS])
{
    uint64_t left = 0;
    for (uint32_t w = 0; w < order->member_words; w++)
        left |= waiting->reader[w] & ~reader[w];
    return relay->awaited && relay->awaited->variable->address == act->address && !left && relay->awaited_act.site == act->site;
}

bool order_relay_wait(struct order *order, struct group_order *group, const struct atomic_act *act, const uint64_t reader[LANE_MASK_WORDS])
{
    struct relay *relay = group->relay;
    if (!goes_on(order, relay, group->waiting, act, reader))
        return wait_otherwise(order, group, act, reader);
    const struct relay_object *object = relay->awaited;
    relay->awaited_position = object->position;
    if (!(object->variable->store.releases && relay->awaited_store.releases)) /* who releases is not asked after */
        relay->awaited_store = object->variable->store;
    for (uint32_t w = 0; w < order->member_words; w++)
        group->waiting->reader[w] = reader[w];
    return true;
}

/* ---- one by one -------------------------------------------------------------------------------- */

/* Of the old sequences only its own goes on (R8). */
static void restart(struct order *order, struct relay_object *object, uint64_t local, const struct atomic_act *act)
{
    struct variable *variable = object->variable;
    const struct relay *relay = object->relay;
    order_list_clear(order, &variable->messages);
    variable->version = variable->stream = ++order->versions;
    variable->generation++;
    memset(object->sent, 0, order->group_items * sizeof *object->sent);
    object->position = object->sent[local] = relay->sent[local];
    variable->store = (struct latest_store){act->site, relay->first_unit + local, order->tick, relay->sent[local]};
}

bool order_relay_atomic(struct order *order, struct agent *agent, const struct atomic_act *act)
{
    struct relay *relay = agent->group->relay;
    const uint64_t local = agent->unit - relay->first_unit;
    struct relay_object *object = act->order == ORDER_RELAXED && !agent->copy ? order_relay_object(order, relay, act) : NULL;
    const bool alone = object && object->variable->relayed == object && !object->next;
    if (!object || !(act->reads || alone) || !order_make_item(order, agent)) {
        order_relay_leave(order, agent->group);
        return false;
    }
    if (act->reads)
        relay_turn(order, object, local, act);
    else
        restart(order, object, local, act);
    return true;
}

/* ---- fences ------------------------------------------------------------------------------------ */

/* Everything in `less` is in `more`. */
static bool is_part(struct order *order, struct knowledge *less, struct knowledge *more)
{
    struct knowledge *both = less ? knowledge_join(&order->pool, more, less) : NULL;
    const bool part = !less || both == more;
    knowledge_drop(&order->pool, both);
    return part;
}

static bool is_held(struct order *order, struct relay *relay, const struct agent *agent, uint64_t local)
{
    if (!(relay->acted[local] & RELAY_HELD) && !is_part(order, agent->item->acquired[relay->region], relay->first))
        return false;
    relay->acted[local] |= RELAY_HELD;
    return true;
}

static bool has_room(struct order *order, struct relay *relay)
{
    if (relay->count >= RELAY_MOST)
        return false;
    while (relay->count + 1 >= relay->room)
        if (!order_grow(order, (void **)&relay->handed, &relay->room, sizeof *relay->handed))
            return false;
    return true;
}

static inline bool release_next(struct order *order, struct relay *relay, struct agent *agent, uint64_t local, uint32_t site)
{
    const uint32_t tick = (uint32_t)order_release_tick(order);
    if (relay->acquired[local] != relay->count || (relay->count + 1 >= relay->room && !has_room(order, relay)))
        return false;
    if (!relay->count)
        set(order, &relay->first, order_publish(order, agent, relay->region, tick));
    if (!(relay->acted[local] & RELAY_HELD) && !is_held(order, relay, agent, local))
        return false;
    if (!relay->count)
        relay->handed[0] = (struct handing){0};
    relay->handed[relay->count + 1] = handing_next(relay, local, tick, site);
    relay->count++;
    relay->sent[local] = relay->acquired[local] = relay->count;
    relay->slice[local] = tick;
    agent->item->slice = tick;
    return true;
}

/* What it read before it came to the relay, and of other groups, meets such a fence. */
static __attribute__((noinline)) void meet(struct order *order, struct relay *relay, struct agent *agent, uint64_t local, const struct endpoint *end)
{
    order_acquire_pending(order, agent, end);
    relay->acted[local] = (uint16_t)((relay->acted[local] | RELAY_MET) & ~RELAY_HELD);
}

bool order_relay_fence(struct order *order, struct agent *agent, const struct endpoint *end, enum memory_order how)
{
    if (!agent->group || !agent->group->relay)
        relay_begin(order, agent, end, how);
    struct relay *relay = agent->group ? agent->group->relay : NULL;
    if (!relay)
        return false;
    const uint64_t local = agent->unit - relay->first_unit;
    bool holds = end->scope == SCOPE_WORK_GROUP && end->flags == 1u << relay->region && order_make_item(order, agent);
    if (holds && acquires(how)) {
        if (!(relay->acted[local] & RELAY_MET))
            meet(order, relay, agent, local, end);
        if (relay->acquired[local] < relay->pending[local])
            relay->acquired[local] = relay->pending[local];
    }
    if (holds && releases(how))
        holds = release_next(order, relay, agent, local, end->site);
    if (holds)
        way_taken(order->ways, WAY_RELAY);
    else
        order_relay_leave(order, agent->group);
    return holds;
}

/* ---- leaving ----------------------------------------------------------------------------------- */

/* The tick of a member's latest release up to there; 0: none. */
static uint32_t tick_at(const struct relay *relay, uint64_t local, uint32_t position)
{
    const uint32_t at = handing_at(relay, local, position);
    return at ? relay->handed[at].tick : 0;
}

struct knowledge *order_relay_known(struct order *order, const struct relay *relay, uint32_t position)
{
    enum { AT_ONCE = 64 };
    struct knowledge *known = position ? knowledge_share(relay->first) : NULL;
    for (uint64_t from = 0; position && from < order->group_items; from += AT_ONCE) {
        uint32_t tick[AT_ONCE];
        uint32_t count = 0;
        for (; count < AT_ONCE && from + count < order->group_items; count++)
            tick[count] = tick_at(relay, from + count, position);
        set(order, &known, knowledge_put_row(&order->pool, known, relay->first_unit + from, tick, count));
    }
    return known;
}

/* What positions become: each is made once. */
struct leaving { struct order *order; struct relay *relay; struct release **made; };

/* Of the one who was the latest to release. */
static struct release *release_at(struct leaving *leaving, uint32_t position)
{
    struct order *order = leaving->order;
    const struct relay *relay = leaving->relay;
    struct release *release = leaving->made ? leaving->made[position] : NULL;
    if (release)
        return release_share(release);
    release = order_release_new(order, relay->first_unit + relay->handed[position].local, relay->handed[position].site);
    set(order, &release->known[relay->region], order_relay_known(order, relay, position));
    if (leaving->made)
        leaving->made[position] = release_share(release);
    return release;
}

static struct message message_at(struct leaving *leaving, uint32_t position)
{
    const struct relay *relay = leaving->relay;
    struct agent agent;
    order_member(leaving->order, relay->group->number, relay->group, relay->handed[position].local, &agent);
    return (struct message){.scope = SCOPE_WORK_GROUP, .flags = 1u << relay->region, .fence = true, .place = agent.place,
                            .release = release_at(leaving, position)};
}

static void spell_object(struct leaving *leaving, const struct relay_object *object)
{
    struct order *order = leaving->order;
    struct variable *variable = object->variable;
    if (!object->position)
        return;
    struct message message = message_at(leaving, object->position);
    variable->version = message.version = ++order->versions;
    order_list_trim(order, &variable->messages);
    order_list_add(order, &variable->messages, &message);
    if (!variable->stream)
        variable->stream = variable->version;
    release_drop(order, message.release);
}

/* What it read stays what it has read: another fence may come. */
static void spell_pending(struct leaving *leaving, struct agent *agent, uint32_t position)
{
    struct pending *pending = &agent->item->pending[leaving->relay->region];
    const struct message message = message_at(leaving, position);
    order_list_add(leaving->order, &pending->list, &message);
    pending->met = false;
    release_drop(leaving->order, message.release);
}

static void spell_member(struct leaving *leaving, uint64_t local)
{
    struct order *order = leaving->order;
    const struct relay *relay = leaving->relay;
    struct agent agent;
    if (!(relay->sent[local] | relay->acquired[local] | relay->pending[local]))
        return;
    member(order, relay, local, &agent);
    if (!agent.item)
        return;
    if (relay->pending[local])
        spell_pending(leaving, &agent, relay->pending[local]);
    if (relay->acquired[local]) {
        struct release *release = release_at(leaving, relay->acquired[local]);
        join_into(order, &agent.item->acquired[relay->region], release->known[relay->region]);
        release_drop(order, release);
    }
    if (relay->sent[local]) {
        const struct message message = message_at(leaving, relay->sent[local]);
        order_list_renew(order, &agent.item->fences, &message, 0);
        release_drop(order, message.release);
    }
    for (uint32_t i = 0; i < relay->object_count; i++) {
        const struct relay_object *object = &relay->objects[i];
        if (!object->sent[local])
            continue;
        const struct message message = message_at(leaving, object->sent[local]);
        order_begin_live(order, &agent, object->variable, &message);
        release_drop(order, message.release);
    }
    memset(agent.item->seen, 0, sizeof agent.item->seen);
}

static void leave(struct order *order, struct group_order *group, bool members)
{
    struct relay *relay = group->relay;
    struct leaving leaving = {order, relay, calloc((size_t)relay->count + 1, sizeof *leaving.made)};
    hear_all(order, group);
    for (uint32_t i = 0; i < relay->object_count; i++)
        spell_object(&leaving, &relay->objects[i]);
    for (uint64_t local = 0; members && local < order->group_items; local++)
        spell_member(&leaving, local);
    for (uint32_t i = 1; leaving.made && i <= relay->count; i++)
        release_drop(order, leaving.made[i]);
    free(leaving.made);
    order_relay_free(order, group);
}

void order_relay_leave(struct order *order, struct group_order *group)
{
    if (group->relay)
        leave(order, group, true);
}

void order_relay_leave_object(struct order *order, const struct variable *variable)
{
    while (variable->relayed)
        order_relay_leave(order, variable->relayed->relay->group);
}

void order_relay_leave_all(struct order *order)
{
    for (struct group_order *group = order->groups; group; group = group->next)
        order_relay_leave(order, group);
}

void order_relay_end(struct order *order, struct group_order *group)
{
    if (group->relay)
        leave(order, group, false);
}
