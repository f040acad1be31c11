/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic objects: the clocks that their releases publish, and their readers (R5 to R16, R36). */
#include "order_handoff.h"
#include "orrery/checked.h"

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
static struct live_release *live_of(const struct unit_state *unit_state, const struct variable *variable,
                                    uint32_t *at)
{
    for (; unit_state->item && *at < unit_state->item->live_count; (*at)++)
        if (unit_state->item->live[*at].address == variable->address &&
            unit_state->item->live[*at].generation == variable->generation)
            return &unit_state->item->live[(*at)++];
    return NULL;
}

static struct live_release *live_like(const struct order *order, const struct unit_state *unit_state,
                                      const struct variable *variable,
                                      const struct release_clock *release_clock)
{
    uint32_t at = 0;
    for (struct live_release *live; (live = live_of(unit_state, variable, &at));)
        if (same_sender(order, &live->release_clock, release_clock))
            return live;
    return NULL;
}

void order_begin_live(struct order *order, struct unit_state *unit_state, const struct variable *variable,
                      const struct release_clock *release_clock)
{
    struct item_order *item = unit_state->item;
    uint32_t at;
    for (at = 0; at < item->live_count; at++) /* the place of one whose sequence has ended */
        if (!order_object_lives(order, item->live[at].address, item->live[at].generation))
            break;
    if (at == item->live_count) {
        if (at == item->live_room &&
            !order_grow(order, (void **)&item->live, &item->live_room, sizeof *item->live))
            return;
        item->live_count++;
    } else {
        release_drop(order, item->live[at].release_clock.release);
    }
    CHECKED(at < item->live_count && item->live_count <= item->live_room);
    item->live[at] = (struct live_release){variable->address, variable->generation, *release_clock};
    release_share(release_clock->release);
}

/* live: the same one's before, if there is one. */
static void keep_live(struct order *order, struct unit_state *unit_state, const struct variable *variable,
                      struct live_release *live, const struct release_clock *release_clock)
{
    if (!live) {
        order_begin_live(order, unit_state, variable, release_clock);
        return;
    }
    replace_release_clock(order, &live->release_clock, release_clock);
}

static void changed(struct order *order, struct variable *variable)
{
    variable->version = ++order->versions;
}

/* Every sequence ends: bytes were written that are no part of this object (R36). */
static void break_off(struct order *order, struct variable *variable)
{
    order_list_clear(order, &variable->release_clocks);
    changed(order, variable);
    variable->stream = variable->version;
    variable->generation++;
}

/* A store that is no read-modify-write: of the old sequences only the unit's own continue (R8). */
static void restart(struct order *order, struct unit_state *unit_state, struct variable *variable)
{
    CHECKED(!variable->relayed);
    uint64_t before = variable->generation;
    if (!RULE(8))
        return;
    order_list_clear(order, &variable->release_clocks);
    changed(order, variable);
    variable->stream = variable->version;
    uint32_t at = 0;
    for (struct live_release *live; (live = live_of(unit_state, variable, &at));) {
        live->release_clock.version = variable->version;
        order_list_add(order, &variable->release_clocks, &live->release_clock);
    }
    variable->generation++;
    for (uint32_t i = 0; unit_state->item && i < unit_state->item->live_count; i++)
        if (unit_state->item->live[i].address == variable->address &&
            unit_state->item->live[i].generation == before)
            unit_state->item->live[i].generation = variable->generation;
}

/* Messages that stay within groups that have ended reach no unit. */
void order_list_trim(struct order *order, struct release_clock_list *list)
{
    uint32_t kept = 0;
    if (list->count < LIST_SHORT || list->count < list->room)
        return;
    for (uint32_t i = 0; i < list->count; i++) {
        struct release_clock *release_clock = &list->items[i];
        if (release_clock->scope <= SCOPE_WORK_GROUP && !order_group_find(order, release_clock->place.group))
            release_drop(order, release_clock->release);
        else
            list->items[kept++] = *release_clock;
    }
    list->count = kept;
}

static void send(struct order *order, struct unit_state *unit_state, struct variable *variable,
                 struct release_clock *release_clock)
{
    release_clock->scope =
        order_scope(order, release_clock->scope, variable->region == IN_LOCAL, variable->svm_atomics);
    release_clock->svm_atomics = variable->svm_atomics;
    release_clock->apart = variable->apart;
    if (release_clock->scope == SCOPE_WORK_ITEM)
        return;
    struct live_release *live = live_like(order, unit_state, variable, release_clock);
    if (live && release_is_same(live->release_clock.release, release_clock->release)) {
        fast_path_taken(order->fast_paths, FAST_PATH_SENT);
        return;
    }
    changed(order, variable);
    release_clock->version = variable->version;
    order_list_trim(order, &variable->release_clocks);
    order_list_begin_small(&variable->release_clocks);
    order_list_add(order, &variable->release_clocks, release_clock);
    if (!variable->stream)
        variable->stream = variable->version;
    keep_live(order, unit_state, variable, live, release_clock);
}

static void send_own(struct order *order, struct unit_state *unit_state, struct variable *variable,
                     const struct atomic_act *act, uint64_t clock)
{
    CHECKED(clock <= order->clock && unit_state->item);
    struct release_clock release_clock = {.scope = act->scope,
                                          .place = unit_state->place,
                                          .release = order_release_new(order, unit_state->unit, act->site)};
    for (int r = IN_GLOBAL; r <= IN_LOCAL; r++)
        if (r == act->region || !RULE(16))
            set(order, &release_clock.release->known[r], order_publish(order, unit_state, r, clock));
    send(order, unit_state, variable, &release_clock);
    release_drop(order, release_clock.release);
}

/* Objects that overlap this one and begin elsewhere. */
static void break_neighbours(struct order *order, const struct atomic_act *act)
{
    struct variable *before = variable_find(order, act->address - 4),
                    *inside = variable_find(order, act->address + 4);
    if (before && before->size == 8)
        break_off(order, before);
    if (inside && act->size == 8)
        break_off(order, inside);
}

static void store(struct order *order, struct unit_state *unit_state, struct variable *variable,
                  const struct atomic_act *act)
{
    bool release = releases(act->order) && RULE(5);
    if (variable->size != act->size)
        break_off(order, variable);
    else if (!act->reads)
        restart(order, unit_state, variable);
    variable->size = act->size;
    if (order->wide)
        break_neighbours(order, act);
    for (uint32_t i = 0; unit_state->item && i < unit_state->item->fences.count; i++) {
        struct release_clock release_clock = unit_state->item->fences.items[i];
        if (release_clock.flags >> act->region & 1)
            send(order, unit_state, variable, &release_clock);
    }
    uint64_t clock = order->clock;
    if (release && order_make_item(order, unit_state)) {
        clock = order_release_clock(order);
        unit_state->item->slice = clock;
        send_own(order, unit_state, variable, act, clock);
    }
    variable->store.site = act->site;
    variable->store.unit = unit_state->unit;
    variable->store.clock = clock;
    variable->store.releases = release || (unit_state->item && unit_state->item->fences.count);
}

void order_add_relaxed_store(struct order *order, struct item_order *item, const struct latest_store *store,
                             const struct atomic_act *act)
{
    for (uint32_t i = 0; i < MISSED_KEPT; i++)
        if (item->missed[i].why == MISSED_RELEASE && item->missed[i].release_unit == store->unit &&
            item->missed[i].clock == store->clock)
            return;
    struct missed_edge *edge = &item->missed[item->missed_next];
    item->missed_next = (item->missed_next + 1) % MISSED_KEPT;
    release_drop(order, edge->release);
    *edge = (struct missed_edge){.why = MISSED_RELEASE,
                                 .release_site = store->site,
                                 .acquire_site = act->site,
                                 .acquire_scope = act->scope,
                                 .release_unit = store->unit,
                                 .clock = store->clock,
                                 .local = act->region == IN_LOCAL,
                                 .svm_atomics = act->svm_atomics};
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

void order_take(struct order *order, struct unit_state *unit_state, const struct release_clock_list *list,
                uint64_t stream, uint64_t since, int region)
{
    struct pending *pending = &unit_state->item->pending[region];
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].version > since &&
            is_wanted(&pending->list, &list->items[i], unit_state->place.group))
            set_fresh(pending, order_list_renew(order, &pending->list, &list->items[i], stream));
}

static void acquire(struct order *order, struct unit_state *unit_state, const struct release_clock_list *list,
                    uint64_t since, const struct atomic_act *act)
{
    const struct endpoint end = {act->scope, false, 0, act->site};
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].version > since && (!list->items[i].fence || RULE(14)))
            order_apply(order, unit_state, &list->items[i], act->region, &end);
}

static void load(struct order *order, struct unit_state *unit_state, const struct variable *variable,
                 const struct atomic_act *act)
{
    const bool acquiring = acquires(act->order) && RULE(11);
    if (!variable->release_clocks.count && !acquiring)
        return;
    if (!order_make_item(order, unit_state))
        return;
    struct list_seen *seen = order_seen(unit_state->item, variable->stream);
    if (acquiring && (seen->acquired < variable->version || seen->scope != act->scope)) {
        const uint64_t since = seen->scope == act->scope ? seen->acquired : 0;
        if (since)
            fast_path_taken(order->fast_paths, FAST_PATH_SEEN);
        acquire(order, unit_state, &variable->release_clocks, since, act);
        seen->acquired = variable->version;
        seen->scope = act->scope;
    }
    if (seen->version)
        fast_path_taken(order->fast_paths, FAST_PATH_SEEN);
    if (seen->version < variable->version) {
        order_take(order, unit_state, &variable->release_clocks, variable->stream, seen->version,
                   act->region);
        seen->version = variable->version;
    }
    note_relaxed_store(order, unit_state->item, &variable->store, act);
}

/* ---- one by one -------------------------------------------------------------------------------- */

static void atomic(struct order *order, struct unit_state *unit_state, const struct atomic_act *act)
{
    struct variable *variable = variable_find(order, act->address);
    bool silent = !releases(act->order) && !(unit_state->item && unit_state->item->fences.count);
    if (!variable && silent && (act->reads || !act->writes)) /* the clock adds nothing to any unit's */
        return;
    if (!variable)
        variable = order_variable(order, act);
    if (!variable)
        return;
    if (variable->relayed)
        order_handoff_leave_object(order, variable);
    if (act->size == 8 && !order->wide)
        order_handoff_leave_all(order);
    order->wide |= act->size == 8;
    if (act->region == IN_LOCAL && !order->formal && variable->group != unit_state->place.group)
        break_off(order, variable); /* the memory of another group (R38) */
    variable->group = unit_state->place.group;
    if (act->reads && variable->size == act->size)
        load(order, unit_state, variable, act);
    if (act->writes)
        store(order, unit_state, variable, act);
}

/* The releases of updates like it are in one message of the object, as long as no store broke the release
 * sequence, and each has acquired the message before it released. */
static bool follows_alike(const struct order *order, const struct atomic_act *act)
{
    if (!act->reads || !act->writes || !acquires(act->order) || !releases(act->order) ||
        act->region != IN_GLOBAL || act->svm_atomics || act->apart ||
        !order_includes_alike(order, act->scope, act->size))
        return false;
    const struct variable *variable = variable_awake(order, act->address);
    return variable && variable->size == act->size && !variable->generation &&
           variable->release_clocks.count && !order->failed;
}

bool order_atomic(struct order *order, struct unit_state *unit_state, const struct atomic_act *act)
{
    uint64_t before = order->clock;
    if (unit_state->group && unit_state->group->waiting)
        order_deliver(order, unit_state);
    if (unit_state->group && unit_state->group->handoff && order_handoff_atomic(order, unit_state, act))
        return false;
    atomic(order, unit_state, act);
    const bool follows = follows_alike(order, act);
    if (!order_remembers(order))
        return follows;
    struct sync_op sync_op = {.kind = HAPPENED_ATOMIC,
                              .order = (uint8_t)act->order,
                              .scope = (uint8_t)act->scope,
                              .region = (int8_t)act->region,
                              .reads = act->reads,
                              .writes = act->writes,
                              .svm_atomics = act->svm_atomics,
                              .success = act->success,
                              .site = act->site,
                              .size = act->size,
                              .address = act->address};
    order_remember_own(order, unit_state, &sync_op, before);
    return follows;
}

bool order_is_silent(const struct order *order, const struct group_order *group)
{
    return !order->variable_count && (!group || !(group->items || group->sub_groups || group->copy_count));
}

bool order_remembers(const struct order *order)
{
    return order->sync_log && !order->sync_log->full;
}

uint64_t order_next_slice(struct order *order)
{
    return ++order->clock;
}

void order_remember_update(struct order *order, const struct atomic_act *act, uint64_t unit, uint64_t address,
                           uint64_t clock)
{
    struct group_order *group = order->groups;
    const uint64_t number = order_unit_group(order, unit);
    if (!group || group->number != number)
        group = order_group(order, number);
    if (!group)
        return;
    group->slice = clock;
    sync_log_add(order->sync_log, &(struct sync_op){.kind = HAPPENED_ATOMIC,
                                                    .order = (uint8_t)act->order,
                                                    .scope = (uint8_t)act->scope,
                                                    .region = (int8_t)act->region,
                                                    .reads = act->reads,
                                                    .writes = act->writes,
                                                    .svm_atomics = act->svm_atomics,
                                                    .success = act->success,
                                                    .site = act->site,
                                                    .size = act->size,
                                                    .by = unit,
                                                    .address = address,
                                                    .clock = clock});
}

/* The object at the address, if it has some of the bytes. */
static struct variable *overlapped(struct order *order, uint64_t address, uint64_t low, uint64_t high)
{
    struct variable *variable = variable_find(order, address);
    return variable && address < high && address + variable->size > low ? variable : NULL;
}

/* The address at which an object that has the byte may begin. */
static uint64_t first_of(const struct order *order, uint64_t address)
{
    return (address & ~UINT64_C(3)) - (order->wide ? 4 : 0);
}

static void overwrite_one(struct order *order, struct unit_state *unit_state, uint64_t address, uint64_t low,
                          uint64_t high, uint32_t site)
{
    CHECKED(low < high);
    struct variable *variable = overlapped(order, address, low, high);
    if (!variable)
        return;
    order_handoff_leave_object(order, variable);
    if (unit_state->group)
        order_handoff_leave(order, unit_state->group);
    remember(order, &(struct sync_op){.kind = HAPPENED_OVERWRITE,
                                      .writes = true,
                                      .region = (int8_t)variable->region,
                                      .site = site,
                                      .size = (uint32_t)(high - low),
                                      .by = unit_state->unit,
                                      .address = low});
    restart(order, unit_state, variable);
    variable->store.site = site;
    variable->store.unit = unit_state->unit;
    variable->store.clock = order->clock;
    variable->store.releases = false;
}

void order_overwrite(struct order *order, struct unit_state *unit_state, uint64_t address, uint32_t size,
                     uint32_t site)
{
    if (!order->variable_count)
        return;
    for (uint64_t at = first_of(order, address); at < address + size; at += 4)
        overwrite_one(order, unit_state, at, address, address + size, site);
}

void order_overwrite_otherwise(struct order *order, uint64_t address, uint32_t size, bool update)
{
    if (!order->variable_count)
        return;
    for (uint64_t at = first_of(order, address); at < address + size; at += 4) {
        struct variable *variable = overlapped(order, at, address, address + size);
        if (!variable || (update && at == address && variable->size == size)) /* its sequences continue */
            continue;
        order_handoff_leave_object(order, variable);
        remember(order, &(struct sync_op){.kind = HAPPENED_ELSEWHERE,
                                          .writes = true,
                                          .region = (int8_t)variable->region,
                                          .size = size,
                                          .by = UNIT_END,
                                          .address = address});
        break_off(order, variable);
        variable->store = (struct latest_store){.unit = UNIT_END};
    }
}
