/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic objects: what their releases publish, and who reads it (R5 to R16, R36). */
#include "order_again.h"
#include "order_relay.h"

enum { LIST_SHORT = HOSTILE(8, 1) };

/* ---- objects ----------------------------------------------------------------------------------- */

struct variable *order_variable(struct order *order, const struct atomic_act *act)
{
    struct variable *variable = variable_find(order, act->address);
    if (variable)
        return variable;
    variable = order_object_new(order, act->address);
    if (!variable)
        return NULL;
    variable->size = act->size;
    variable->region = act->region;
    variable->svm_atomics = act->svm_atomics;
    variable->apart = act->apart;
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

void order_begin_live(struct order *order, struct agent *agent, const struct variable *variable, const struct message *message)
{
    struct item_order *item = agent->item;
    uint32_t at;
    for (at = 0; at < item->live_count; at++) /* the place of one whose sequence has ended */
        if (!order_object_lives(order, item->live[at].address, item->live[at].generation))
            break;
    if (at == item->live_count) {
        if (at == item->live_room && !order_grow(order, (void **)&item->live, &item->live_room, sizeof *item->live))
            return;
        item->live_count++;
    } else {
        release_drop(order, item->live[at].message.release);
    }
    item->live[at] = (struct live_release){variable->address, variable->generation, *message};
    release_share(message->release);
}

/* live: the same one's before, if there is one. */
static void keep_live(struct order *order, struct agent *agent, const struct variable *variable, struct live_release *live,
                      const struct message *message)
{
    if (!live) {
        order_begin_live(order, agent, variable, message);
        return;
    }
    replace_message(order, &live->message, message);
}

static void changed(struct order *order, struct variable *variable)
{
    variable->version = ++order->versions;
}

/* Every sequence ends: bytes were written that are no part of this object (R36). */
static void break_off(struct order *order, struct variable *variable)
{
    order_list_clear(order, &variable->messages);
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
    order_list_clear(order, &variable->messages);
    changed(order, variable);
    variable->stream = variable->version;
    uint32_t at = 0;
    for (struct live_release *live; (live = live_of(agent, variable, &at));) {
        live->message.version = variable->version;
        order_list_add(order, &variable->messages, &live->message);
    }
    variable->generation++;
    for (uint32_t i = 0; agent->item && i < agent->item->live_count; i++)
        if (agent->item->live[i].address == variable->address && agent->item->live[i].generation == before)
            agent->item->live[i].generation = variable->generation;
}

/* Messages that stay within groups that have ended reach nobody. */
void order_list_trim(struct order *order, struct message_list *list)
{
    uint32_t kept = 0;
    if (list->count < LIST_SHORT || list->count < list->room)
        return;
    for (uint32_t i = 0; i < list->count; i++) {
        struct message *message = &list->items[i];
        if (message->scope <= SCOPE_WORK_GROUP && !order_group_find(order, message->place.group))
            release_drop(order, message->release);
        else
            list->items[kept++] = *message;
    }
    list->count = kept;
}

static void send(struct order *order, struct agent *agent, struct variable *variable, struct message *message)
{
    message->scope = order_scope(order, message->scope, variable->region == IN_LOCAL, variable->svm_atomics);
    message->svm_atomics = variable->svm_atomics;
    message->apart = variable->apart;
    if (message->scope == SCOPE_WORK_ITEM)
        return;
    struct live_release *live = live_like(order, agent, variable, message);
    if (live && release_is_same(live->message.release, message->release)) {
        way_taken(order->ways, WAY_SENT);
        return;
    }
    changed(order, variable);
    message->version = variable->version;
    order_list_trim(order, &variable->messages);
    order_list_begin_small(&variable->messages);
    order_list_add(order, &variable->messages, message);
    if (!variable->stream)
        variable->stream = variable->version;
    keep_live(order, agent, variable, live, message);
}

static void send_own(struct order *order, struct agent *agent, struct variable *variable, const struct atomic_act *act,
                     uint64_t tick)
{
    struct message message = {.scope = act->scope, .place = agent->place, .release = order_release_new(order, agent->unit, act->site)};
    for (int r = IN_GLOBAL; r <= IN_LOCAL; r++)
        if (r == act->region || !RULE(16))
            set(order, &message.release->known[r], order_publish(order, agent, r, tick));
    send(order, agent, variable, &message);
    release_drop(order, message.release);
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
    if (release && order_make_item(order, agent)) {
        tick = order_release_tick(order);
        agent->item->slice = tick;
        send_own(order, agent, variable, act, tick);
    }
    variable->store.site = act->site;
    variable->store.unit = agent->unit;
    variable->store.tick = tick;
    variable->store.releases = release || (agent->item && agent->item->fences.count);
}

void order_add_relaxed_store(struct order *order, struct item_order *item, const struct latest_store *store, const struct atomic_act *act)
{
    for (uint32_t i = 0; i < MISSED_KEPT; i++)
        if (item->missed[i].why == MISSED_RELEASE && item->missed[i].release_unit == store->unit && item->missed[i].tick == store->tick)
            return;
    struct missed_edge *edge = &item->missed[item->missed_next];
    item->missed_next = (item->missed_next + 1) % MISSED_KEPT;
    release_drop(order, edge->release);
    *edge = (struct missed_edge){.why = MISSED_RELEASE, .release_site = store->site, .acquire_site = act->site,
                                 .acquire_scope = act->scope, .release_unit = store->unit,
                                 .tick = store->tick, .local = act->region == IN_LOCAL, .svm_atomics = act->svm_atomics};
}

struct list_seen *order_seen(struct item_order *item, uint64_t stream)
{
    struct list_seen *seen = seen_find(item, stream);
    if (seen)
        return seen;
    seen = &item->seen[item->seen_next];
    item->seen_next = (item->seen_next + 1) % LISTS_SEEN;
    *seen = (struct list_seen){.stream = stream};
    return seen;
}

void order_take(struct order *order, struct agent *agent, const struct message_list *list, uint64_t stream, uint64_t since, int region)
{
    struct pending *pending = &agent->item->pending[region];
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].version > since && is_wanted(&pending->list, &list->items[i], agent->place.group))
            set_fresh(pending, order_list_renew(order, &pending->list, &list->items[i], stream));
}

static void acquire(struct order *order, struct agent *agent, const struct message_list *list, uint64_t since,
                    const struct atomic_act *act)
{
    const struct endpoint end = {act->scope, false, 0, act->site};
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].version > since && (!list->items[i].fence || RULE(14)))
            order_apply(order, agent, &list->items[i], act->region, &end);
}

static void load(struct order *order, struct agent *agent, const struct variable *variable, const struct atomic_act *act)
{
    const bool acquiring = acquires(act->order) && RULE(11);
    if (!variable->messages.count && !acquiring)
        return;
    if (!order_make_item(order, agent))
        return;
    struct list_seen *seen = order_seen(agent->item, variable->stream);
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
        order_take(order, agent, &variable->messages, variable->stream, seen->version, act->region);
        seen->version = variable->version;
    }
    note_relaxed_store(order, agent->item, &variable->store, act);
}

/* ---- the same object again --------------------------------------------------------------------- */

static bool is_relaxed_update(const struct agent *agent, const struct atomic_act *act)
{
    return act->reads && act->writes && act->order == ORDER_RELAXED && agent->item && agent->item->fences.count == 1;
}

/* Where the next one will find what came of the agent's fence. */
static void note_places(struct order *order, struct agent *agent, const struct variable *variable, const struct atomic_act *act)
{
    struct list_seen *seen = order_seen(agent->item, variable->stream);
    const struct message_list *pending = &agent->item->pending[act->region].list;
    uint32_t at = 0;
    const struct live_release *live = live_of(agent, variable, &at);
    seen->pending = seen->live = 0;
    if (!live || !live->message.fence || live_of(agent, variable, &at))
        return;
    const struct message *own = order_list_find(order, pending, &live->message, variable->stream);
    if (!own)
        return;
    seen->pending = (uint32_t)(own - pending->items) + 1;
    seen->live = (uint32_t)(live - agent->item->live) + 1;
}

/* ---- one by one -------------------------------------------------------------------------------- */

static void atomic(struct order *order, struct agent *agent, const struct atomic_act *act)
{
    struct variable *variable = variable_find(order, act->address);
    bool silent = !releases(act->order) && !(agent->item && agent->item->fences.count);
    if (!variable && silent && (act->reads || !act->writes)) /* nothing that anybody could learn from */
        return;
    if (!variable)
        variable = order_variable(order, act);
    if (!variable)
        return;
    if (variable->relayed)
        order_relay_leave_object(order, variable);
    if (act->size == 8 && !order->wide)
        order_relay_leave_all(order);
    order->wide |= act->size == 8;
    if (act->region == IN_LOCAL && !order->formal && variable->group != agent->place.group)
        break_off(order, variable); /* the memory of another group (R38) */
    variable->group = agent->place.group;
    const bool simple = is_relaxed_update(agent, act);
    uint32_t seen_at = 0;
    if (simple && update_again(order, agent->item, variable, act, &seen_at))
        return;
    if (act->reads && variable->size == act->size)
        load(order, agent, variable, act);
    if (act->writes)
        store(order, agent, variable, act);
    if (simple)
        note_places(order, agent, variable, act);
}

/* What updates like it released is in one message of the object, as long as nobody broke the release sequence, and each has
 * acquired what was there before it released. */
static bool follows_alike(const struct order *order, const struct atomic_act *act)
{
    if (!act->reads || !act->writes || !acquires(act->order) || !releases(act->order) || act->region != IN_GLOBAL || act->svm_atomics || act->apart ||
        !order_includes_alike(order, act->scope, act->size))
        return false;
    const struct variable *variable = variable_awake(order, act->address);
    return variable && variable->size == act->size && !variable->generation && variable->messages.count && !order->failed;
}

bool order_atomic(struct order *order, struct agent *agent, const struct atomic_act *act)
{
    uint64_t before = order->tick;
    if (agent->group && agent->group->waiting)
        order_deliver(order, agent);
    if (agent->group && agent->group->relay && order_relay_atomic(order, agent, act))
        return false;
    atomic(order, agent, act);
    const bool follows = follows_alike(order, act);
    if (!order_remembers(order))
        return follows;
    struct happening happening = {.kind = HAPPENED_ATOMIC, .order = (uint8_t)act->order, .scope = (uint8_t)act->scope,
                                  .region = (int8_t)act->region, .reads = act->reads, .writes = act->writes,
                                  .svm_atomics = act->svm_atomics, .success = act->success, .site = act->site, .size = act->size, .address = act->address};
    order_remember_own(order, agent, &happening, before);
    return follows;
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
                                                    .svm_atomics = act->svm_atomics, .success = act->success, .site = act->site,
                                                    .size = act->size, .by = unit, .address = address, .tick = tick});
}

/* The object at the address, if it has some of the bytes. */
static struct variable *overlapped(struct order *order, uint64_t address, uint64_t low, uint64_t high)
{
    struct variable *variable = variable_find(order, address);
    return variable && address < high && address + variable->size > low ? variable : NULL;
}

/* Where an object that has the byte may begin. */
static uint64_t first_of(const struct order *order, uint64_t address)
{
    return (address & ~UINT64_C(3)) - (order->wide ? 4 : 0);
}

static void overwrite_one(struct order *order, struct agent *agent, uint64_t address, uint64_t low, uint64_t high,
                          uint32_t site)
{
    struct variable *variable = overlapped(order, address, low, high);
    if (!variable)
        return;
    order_relay_leave_object(order, variable);
    if (agent->group)
        order_relay_leave(order, agent->group);
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
    for (uint64_t at = first_of(order, address); at < address + size; at += 4)
        overwrite_one(order, agent, at, address, address + size, site);
}

void order_overwrite_otherwise(struct order *order, uint64_t address, uint32_t size, bool update)
{
    if (!order->variable_count)
        return;
    for (uint64_t at = first_of(order, address); at < address + size; at += 4) {
        struct variable *variable = overlapped(order, at, address, address + size);
        if (!variable || (update && at == address && variable->size == size)) /* its sequences go on */
            continue;
        order_relay_leave_object(order, variable);
        remember(order, &(struct happening){.kind = HAPPENED_ELSEWHERE, .writes = true, .region = (int8_t)variable->region, .size = size, .by = UNIT_END,
                                            .address = address});
        break_off(order, variable);
        variable->store = (struct latest_store){.unit = UNIT_END};
    }
}
