/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic objects: what their releases publish, and who reads it (R5 to R16, R36). */
#include "order_relay.h"

#include <string.h>

#include "lane_mask.h"

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

static void add_relaxed_store(struct order *order, struct item_order *item, const struct latest_store *store,
                              const struct atomic_act *act)
{
    for (uint32_t i = 0; i < MISSED_KEPT; i++)
        if (item->missed[i].why == MISSED_RELEASE && item->missed[i].release_unit == store->unit && item->missed[i].tick == store->tick)
            return;
    struct missed_edge *edge = &item->missed[item->missed_next];
    item->missed_next = (item->missed_next + 1) % MISSED_KEPT;
    release_drop(order, edge->release);
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

static inline void set_fresh(struct pending *pending, uint32_t at)
{
    if (at < PENDING_BITS)
        pending->fresh |= UINT64_C(1) << at;
}

/* What is newer than `since` becomes pending. */
static void take(struct order *order, struct agent *agent, const struct message_list *list, uint64_t stream, uint64_t since, int region)
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

void order_take(struct order *order, struct agent *agent, const struct message_list *list, uint64_t stream, int region)
{
    take(order, agent, list, stream, 0, region);
}

void order_note_relaxed_store(struct order *order, struct item_order *item, const struct latest_store *store, const struct atomic_act *act)
{
    note_relaxed_store(order, item, store, act);
}

/* ---- waiting together -------------------------------------------------------------------------- */

static void give(struct order *order, struct agent *agent, const struct waiting *waiting)
{
    if (!order_make_item(order, agent))
        return;
    struct list_seen *seen = seen_of(agent->item, waiting->stream);
    if (seen->version < waiting->version) {
        take(order, agent, &waiting->list, waiting->stream, seen->version, waiting->act.region);
        seen->version = waiting->version;
    }
    note_relaxed_store(order, agent->item, &waiting->store, &waiting->act);
}

static __attribute__((noinline)) void deliver(struct order *order, struct agent *agent, uint64_t local)
{
    struct waiting *waiting = agent->group->waiting;
    if (agent->group->relay) {
        order_relay_hear(order, agent->group, local);
        return;
    }
    waiting->reader[local / 64] &= ~(UINT64_C(1) << local % 64);
    give(order, agent, waiting);
}

void order_deliver(struct order *order, struct agent *agent)
{
    struct waiting *waiting = agent->group && !agent->copy ? agent->group->waiting : NULL;
    const uint64_t local = agent->unit - agent->place.group * order->group_items, bit = UINT64_C(1) << local % 64;
    if (!waiting || local >= WAVE_LANES_MAX)
        return;
    waiting->done[local / 64] &= ~bit;
    if (waiting->reader[local / 64] & bit)
        deliver(order, agent, local);
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
    order_list_clear(order, &waiting->list);
}

void order_part_all(struct order *order, struct group_order *group)
{
    static const uint64_t nobody[LANE_MASK_WORDS];
    if (!group->waiting)
        return;
    part(order, group, nobody);
    group->waiting->stream = group->waiting->version = 0;
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
        order_list_clear(order, &waiting->list);
    for (uint32_t i = 0; i < variable->messages.count; i++) {
        const struct message *message = &variable->messages.items[i];
        if ((!goes_on || message->version > waiting->version) && is_wanted(&waiting->list, message, group))
            order_list_renew(order, &waiting->list, message, 0);
    }
    waiting->stream = variable->stream;
    waiting->version = variable->version;
    waiting->store = variable->store;
}

/* The same members wait for the same, and the list has something newer of one sender only. */
static inline bool waits_on(struct order *order, struct waiting *waiting, const struct variable *variable, const struct atomic_act *act,
                            const uint64_t reader[LANE_MASK_WORDS], uint64_t group)
{
    uint64_t left = 0;
    for (uint32_t w = 0; w < LANE_MASK_WORDS; w++)
        left |= waiting->reader[w] & ~reader[w];
    if (left || waiting->stream != variable->stream || waiting->act.scope != act->scope || waiting->act.site != act->site ||
        variable->counted != variable->version || variable->others > waiting->version || !waiting->list.count)
        return false;
    const struct message *news = &variable->messages.items[variable->messages.count - 1];
    struct message *old = &waiting->list.items[waiting->list.count - 1];
    if (!sends_like(old, news) || !is_wanted(&waiting->list, news, group))
        return false;
    replace_message(order, old, news);
    waiting->version = variable->version;
    waiting->store = variable->store;
    memset(waiting->reader, 0, sizeof waiting->reader);
    return true;
}

bool order_wait(struct order *order, struct group_order *group, const struct atomic_act *act, const uint64_t reader[LANE_MASK_WORDS])
{
    return group->relay ? order_relay_wait(order, group, act, reader) : order_wait_listed(order, group, act, reader);
}

bool order_wait_listed(struct order *order, struct group_order *group, const struct atomic_act *act, const uint64_t reader[LANE_MASK_WORDS])
{
    struct variable *variable = variable_find(order, act->address);
    struct waiting *waiting = group->waiting;
    if (variable && variable->relayed)
        order_relay_leave_object(order, variable);
    if (variable && act->region == IN_LOCAL && !order->formal && variable->group != group->number)
        return false;
    if (!variable || variable->size != act->size || !variable->messages.count)
        return true;
    if (waits_on(order, waiting, variable, act, reader, group->number)) {
        way_taken(order->ways, WAY_WAITING);
    } else if (waiting->version != variable->version || waiting->act.scope != act->scope || waiting->act.site != act->site) {
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

/* ---- the same object again --------------------------------------------------------------------- */

static bool is_relaxed_update(const struct agent *agent, const struct atomic_act *act)
{
    return act->reads && act->writes && act->order == ORDER_RELAXED && agent->item && agent->item->fences.count == 1;
}

/* Where the next one will find what came of the agent's fence. */
static void note_places(struct order *order, struct agent *agent, const struct variable *variable, const struct atomic_act *act)
{
    struct list_seen *seen = seen_of(agent->item, variable->stream);
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

/* A relaxed update by a unit with one fence: what load() and store() would do, at the places noted. False: they must, for
 * others than senders like it have added to the list since it looked. */
static inline __attribute__((always_inline)) bool update_again(struct order *order, struct item_order *item, struct variable *variable,
                                                               const struct atomic_act *act, uint32_t *seen_at)
{
    struct list_seen *seen = &item->seen[*seen_at];
    if (seen->stream != variable->stream) {
        seen = seen_find(item, variable->stream);
        *seen_at = seen ? (uint32_t)(seen - item->seen) : 0;
    }
    if (!seen || !seen->pending || variable->size != act->size || order->wide || newest_of_others(variable) > seen->version)
        return false;
    struct pending *pending = &item->pending[act->region];
    struct live_release *live = &item->live[seen->live - 1];
    if (live->address != variable->address || live->generation != variable->generation)
        return false;
    struct message *latest = &variable->messages.items[variable->messages.count - 1], *fence = &item->fences.items[0];
    if (!sends_like(latest, &live->message) && !same_sender(order, latest, &live->message))
        return false;
    const bool news = !release_holds(fence->release, latest->release); /* what its fence knows need not become pending */
    if (news && latest->version > seen->version) {
        replace_message(order, &pending->list.items[seen->pending - 1], latest);
        set_fresh(pending, seen->pending - 1);
    }
    seen->version = variable->version;
    note_relaxed_store(order, item, &variable->store, act);
    if (!release_is_same(live->message.release, fence->release)) {
        variable->counted = ++order->versions;
        fence->version = variable->version = variable->counted;
        if (news)
            join_message(order, latest, fence);
        else
            replace_message(order, latest, fence);
        replace_message(order, &live->message, fence);
    }
    variable->store = (struct latest_store){act->site, item->unit, order->tick, true};
    way_taken(order->ways, WAY_AGAIN);
    return true;
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
 * acquired what was there before it released. Objects of 4 bytes: those of 8 may overlap others that are as large. */
static bool follows_all(const struct order *order, const struct atomic_act *act)
{
    if (!act->reads || !act->writes || !acquires(act->order) || !releases(act->order) || act->region != IN_GLOBAL || act->size != 4 ||
        act->svm_atomics || order->rule != SCOPE_RULE_EQUAL || act->scope <= SCOPE_WORK_GROUP || order->group_device || order->formal)
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
    const bool follows = follows_all(order, act);
    if (!order_remembers(order))
        return follows;
    struct happening happening = {.kind = HAPPENED_ATOMIC, .order = (uint8_t)act->order, .scope = (uint8_t)act->scope,
                                  .region = (int8_t)act->region, .reads = act->reads, .writes = act->writes,
                                  .svm_atomics = act->svm_atomics, .site = act->site, .size = act->size, .address = act->address};
    order_remember_own(order, agent, &happening, before);
    return follows;
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
    return variable && (run->act.region != IN_LOCAL || variable->group == run->group->number) ? variable : NULL;
}

/* Objects stay in the relay for as long as it lasts. NULL: it cannot be there. */
static inline struct relay_object *relayed_object(struct update_run *run)
{
    if (!run->relayed || run->relayed_address != run->act.address) {
        run->relayed = order_relay_object(run->order, run->group->relay, &run->act);
        run->relayed_address = run->act.address;
    }
    return run->relayed;
}

static bool come_relayed(struct update_run *run, uint64_t local)
{
    struct relay_object *object = relayed_object(run);
    if (!object)
        return false;
    if (run->group->waiting && member_bit(run->group->waiting->reader, local))
        order_relay_hear(run->order, run->group, local);
    relay_turn(run->order, object, local, &run->act);
    return true;
}

/* By a member of a relay that did so before. */
static inline bool update_relayed(struct update_run *run, uint64_t local)
{
    struct relay_object *object = run->relayed;
    struct waiting *waiting = run->group->waiting;
    if (!run->group->relay || !object || run->relayed_address != run->act.address || !(object->relay->acted[local] & object->bit) ||
        !object->variable->store.releases || (waiting && member_bit(waiting->reader, local) && !relay_hear_again(object->relay, waiting, local)))
        return false;
    relay_pass(run->order, object, local, &run->act);
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
    struct agent agent;
    order_member(run->order, run->group->number, run->group, local, &agent);
    order_atomic(run->order, &agent, &run->act);
    return order_slice(&agent);
}

static __attribute__((noinline)) void update_anew(struct update_run *run, uint64_t local)
{
    if (!(run->group->relay ? come_relayed(run, local) : update_listed(run, local)))
        update_alone(run, local);
}

void order_update(struct update_run *run, uint64_t local)
{
    if (!update_relayed(run, local))
        update_anew(run, local);
}

/* One member after another with one sort of fence, each of which holds what the one before sent. */
struct succession {
    struct variable *variable;     /* NULL: none */
    const struct message *sender;  /* the list's latest; its release and version are set at the end */
    struct release *release;
    uint64_t version;              /* the list's by now */
    uint64_t unit;                 /* the latest member */
    uint32_t seen_at;
};

static inline bool is_like(const struct message *message, const struct message *sender)
{
    return message->scope == sender->scope && message->flags == sender->flags && message->fence == sender->fence &&
           message->svm_atomics == sender->svm_atomics;
}

static inline void replace_release(struct order *order, struct release **slot, struct release *release)
{
    release_share(release);
    release_drop(order, *slot);
    *slot = release;
}

/* Behind an update by one of them. */
static struct succession succession_of(const struct update_run *run, const struct item_order *item)
{
    struct variable *variable = object_of((struct update_run *)run, run->act.address);
    const struct message *latest = &variable->messages.items[variable->messages.count - 1];
    if (run->order->rule != SCOPE_RULE_EQUAL || latest->scope == SCOPE_SUB_GROUP)
        return (struct succession){.variable = NULL};
    return (struct succession){variable, latest, latest->release, variable->version, item->unit, run->seen_at};
}

/* As update_again, where nothing becomes pending. */
static inline bool succeed(struct order *order, struct succession *succession, struct item_order *item)
{
    struct list_seen *seen = &item->seen[succession->seen_at];
    const struct variable *variable = succession->variable;
    if (seen->stream != variable->stream || !seen->pending || variable->others > seen->version || item->fences.count != 1)
        return false;
    struct live_release *live = &item->live[seen->live - 1];
    struct release *release = item->fences.items[0].release;
    if (live->address != variable->address || live->generation != variable->generation || !is_like(&live->message, succession->sender) ||
        !release_holds(release, succession->release))
        return false;
    seen->version = succession->version;
    succession->unit = item->unit;
    if (live->message.release == release)
        return true;
    replace_release(order, &live->message.release, release);
    succession->release = release;
    succession->version = ++order->versions;
    return true;
}

static void succession_end(struct order *order, const struct succession *succession, const struct atomic_act *act)
{
    struct variable *variable = succession->variable;
    if (!variable)
        return;
    struct message *latest = &variable->messages.items[variable->messages.count - 1];
    variable->store = (struct latest_store){act->site, succession->unit, order->tick, true};
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

/* As relay_turn by one after another. */
static void updates_relayed(struct update_run *run, struct relay_object *object, const uint64_t mask[LANE_MASK_WORDS], struct update_lanes *lanes)
{
    const struct relay *relay = object->relay;
    struct latest_store *store = &object->variable->store;
    uint32_t position = object->position;
    uint64_t local = 0;
    EACH_LANE_OF(mask, lane)
    {
        local = lanes->first + lane;
        const uint32_t sent = relay->sent[local];
        if (relay->pending[local] < position)
            relay->pending[local] = position;
        if (__builtin_expect(!(relay->acted[local] & object->bit) || !store->releases, 0))
            order_relay_come(run->order, object, local, store, &run->act);
        object->sent[local] = sent;
        position = position < sent ? sent : position;
        if (__builtin_expect(!sent || !store->releases, 0))
            *store = (struct latest_store){run->act.site, relay->first_unit + local, run->order->tick, sent};
        lanes->slice[lane] = relay->slice[local];
    }
    object->position = position;
    *store = (struct latest_store){run->act.site, relay->first_unit + local, run->order->tick, relay->sent[local]};
}

static bool take_updates(struct update_run *run, const uint64_t mask[LANE_MASK_WORDS], struct update_lanes *lanes)
{
    struct group_order *group = run->group;
    struct relay_object *object = group->relay ? relayed_object(run) : NULL;
    if (!object)
        return false;
    if (group->waiting && reads_among(group, lanes->first, mask))
        EACH_LANE_OF(mask, lane)
            if (member_bit(group->waiting->reader, lanes->first + lane))
                order_relay_hear(run->order, group, lanes->first + lane);
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
            way_taken(run->order->ways, WAY_SUCCESSION);
        } else {
            succession_end(run->order, &succession, &run->act);
            succession.variable = NULL;
            if (!(group->relay ? update_relayed(run, local) || come_relayed(run, local) : update_listed(run, local))) {
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
    for (uint64_t at = (address & ~UINT64_C(3)) - (order->wide ? 4 : 0); at < address + size; at += 4)
        overwrite_one(order, agent, at, address, address + size, site);
}
