/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomic objects: what stores publish and loads acquire (R5 to R16, R36).
 *
 * Each object has a list of release clocks: the release sequences that end in its present value (R8). A store
 * without a read empties the list, but keeps the sequences of its own unit. A read-modify-write continues all
 * of them. A release adds the unit's clock, and a store after a release fence adds the clock that the fence
 * saved. An acquire joins the list into the unit's clock, as far as the scopes are inclusive (R10). Every
 * load also puts it into the unit's fence buffer. A unit remembers how far it has read a list, and reads only
 * what is newer.
 *
 * Clocks of releases that reach the same readers share one entry, which is exact, since every reader of the
 * one reads the other, too.
 */
#include "order_handoff.h"
#include "orrery/checked.h"

enum { LIST_SHORT = HOSTILE(8, 1) };

/* ---- release sequences ------------------------------------------------------------------------ */

struct atomic_object *order_atomic_object(struct order *order, const struct atomic_operation *act)
{
    struct atomic_object *atomic = atomic_object_find(order, act->address);
    if (atomic)
        return atomic;
    atomic = order_object_new(order, act->address);
    if (!atomic)
        return NULL;
    atomic->size = act->size;
    atomic->region = act->region;
    atomic->svm_atomics = act->svm_atomics;
    atomic->apart = act->apart;
    return atomic;
}

/* Iterates over the unit's own releases whose sequences are in the object's list. */
static struct sequence_head *next_head(const struct unit_state *unit_state,
                                       const struct atomic_object *atomic, uint32_t *at)
{
    for (; unit_state->item && *at < unit_state->item->head_count; (*at)++)
        if (unit_state->item->heads[*at].address == atomic->entry.address &&
            unit_state->item->heads[*at].generation == atomic->generation)
            return &unit_state->item->heads[(*at)++];
    return NULL;
}

static struct sequence_head *head_like(const struct order *order, const struct unit_state *unit_state,
                                       const struct atomic_object *atomic,
                                       const struct release_clock *release_clock)
{
    uint32_t at = 0;
    for (struct sequence_head *head; (head = next_head(unit_state, atomic, &at));)
        if (same_readers(order, &head->release_clock, release_clock))
            return head;
    return NULL;
}

void order_add_head(struct order *order, struct unit_state *unit_state, const struct atomic_object *atomic,
                    const struct release_clock *release_clock)
{
    struct item_order *item = unit_state->item;
    uint32_t at;
    for (at = 0; at < item->head_count; at++) /* reuses the place of a sequence that has ended */
        if (!order_object_lives(order, item->heads[at].address, item->heads[at].generation))
            break;
    if (at == item->head_count) {
        if (at == item->head_room &&
            !order_grow(order, (void **)&item->heads, &item->head_room, sizeof *item->heads))
            return;
        item->head_count++;
    } else {
        release_drop(order, item->heads[at].release_clock.release);
    }
    CHECKED(at < item->head_count && item->head_count <= item->head_room);
    item->heads[at] = (struct sequence_head){atomic->entry.address, atomic->generation, *release_clock};
    release_share(release_clock->release);
}

/* head: the unit's earlier release that reaches the same readers; NULL: there is none. */
static void set_head(struct order *order, struct unit_state *unit_state, const struct atomic_object *atomic,
                     struct sequence_head *head, const struct release_clock *release_clock)
{
    if (!head) {
        order_add_head(order, unit_state, atomic, release_clock);
        return;
    }
    replace_release_clock(order, &head->release_clock, release_clock);
}

static void set_new_version(struct order *order, struct atomic_object *atomic)
{
    atomic->version = ++order->versions;
}

/* Bytes of the object were written by an access that is no operation on it (R36), so every sequence ends. */
static void end_sequences(struct order *order, struct atomic_object *atomic)
{
    order_list_clear(order, &atomic->release_clocks);
    set_new_version(order, atomic);
    atomic->list_id = atomic->version;
    atomic->generation++;
}

/* A store that is no read-modify-write ends the sequences of other units; the unit's own continue (R8). */
static void begin_sequence(struct order *order, struct unit_state *unit_state, struct atomic_object *atomic)
{
    CHECKED(!atomic->handoff_objects);
    uint64_t before = atomic->generation;
    if (!RULE(8))
        return;
    order_list_clear(order, &atomic->release_clocks);
    set_new_version(order, atomic);
    atomic->list_id = atomic->version;
    uint32_t at = 0;
    for (struct sequence_head *head; (head = next_head(unit_state, atomic, &at));) {
        head->release_clock.version = atomic->version;
        order_list_add(order, &atomic->release_clocks, &head->release_clock);
    }
    atomic->generation++;
    for (uint32_t i = 0; unit_state->item && i < unit_state->item->head_count; i++)
        if (unit_state->item->heads[i].address == atomic->entry.address &&
            unit_state->item->heads[i].generation == before)
            unit_state->item->heads[i].generation = atomic->generation;
}

/* Drops releases of work-group scope whose work-group has ended: no unit can acquire them. */
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

static void publish_to(struct order *order, struct unit_state *unit_state, struct atomic_object *atomic,
                       struct release_clock *release_clock)
{
    release_clock->scope =
        order_scope(order, release_clock->scope, atomic->region == IN_LOCAL, atomic->svm_atomics);
    release_clock->svm_atomics = atomic->svm_atomics;
    release_clock->apart = atomic->apart;
    if (release_clock->scope == SCOPE_WORK_ITEM)
        return;
    struct sequence_head *head = head_like(order, unit_state, atomic, release_clock);
    set_new_version(order, atomic);
    release_clock->version = atomic->version;
    order_list_trim(order, &atomic->release_clocks);
    order_list_reserve_one(&atomic->release_clocks);
    order_list_add(order, &atomic->release_clocks, release_clock);
    if (!atomic->list_id)
        atomic->list_id = atomic->version;
    set_head(order, unit_state, atomic, head, release_clock);
}

static void publish_own(struct order *order, struct unit_state *unit_state, struct atomic_object *atomic,
                        const struct atomic_operation *act, uint64_t clock)
{
    CHECKED(clock <= order->clock && unit_state->item);
    struct release_clock release_clock = {.scope = act->scope,
                                          .place = unit_state->place,
                                          .release = order_release_new(order, unit_state->unit, act->site)};
    for (int r = IN_GLOBAL; r <= IN_LOCAL; r++)
        if (r == act->region || !RULE(16))
            set(order, &release_clock.release->vclock[r], order_publish(order, unit_state, r, clock));
    publish_to(order, unit_state, atomic, &release_clock);
    release_drop(order, release_clock.release);
}

/* Ends the sequences of objects of another address that overlap this access. */
static void end_overlapping(struct order *order, const struct atomic_operation *act)
{
    struct atomic_object *before = atomic_object_find(order, act->address - 4),
                         *inside = atomic_object_find(order, act->address + 4);
    if (before && before->size == 8)
        end_sequences(order, before);
    if (inside && act->size == 8)
        end_sequences(order, inside);
}

static void store(struct order *order, struct unit_state *unit_state, struct atomic_object *atomic,
                  const struct atomic_operation *act)
{
    bool release = releases(act->order) && RULE(5);
    if (atomic->size != act->size)
        end_sequences(order, atomic);
    else if (!act->reads)
        begin_sequence(order, unit_state, atomic);
    atomic->size = act->size;
    if (order->wide)
        end_overlapping(order, act);
    for (uint32_t i = 0; unit_state->item && i < unit_state->item->fences.count; i++) {
        struct release_clock release_clock = unit_state->item->fences.items[i];
        if (release_clock.flags >> act->region & 1)
            publish_to(order, unit_state, atomic, &release_clock);
    }
    uint64_t clock = order->clock;
    if (release && order_make_item(order, unit_state)) {
        clock = order_release_clock(order);
        unit_state->item->slice = clock;
        publish_own(order, unit_state, atomic, act, clock);
    }
    atomic->store = (struct latest_store){act->site, unit_state->unit, clock,
                                          release || (unit_state->item && unit_state->item->fences.count)};
}

void order_add_relaxed_store(struct order *order, struct item_order *item, const struct latest_store *store,
                             const struct atomic_operation *act)
{
    for (uint32_t i = 0; i < MISSED_KEPT; i++)
        if (item->missed[i].why == MISSED_RELEASE && item->missed[i].release_unit == store->unit &&
            item->missed[i].clock == store->clock)
            return;
    order_add_missed(order, item,
                     &(struct missed_edge){.why = MISSED_RELEASE,
                                           .release_site = store->site,
                                           .acquire_site = act->site,
                                           .acquire_scope = act->scope,
                                           .release_unit = store->unit,
                                           .clock = store->clock,
                                           .local = act->region == IN_LOCAL,
                                           .svm_atomics = act->svm_atomics});
}

struct list_progress *order_list_progress(struct item_order *item, uint64_t list_id)
{
    struct list_progress *progress = list_progress_find(item, list_id);
    if (progress)
        return progress;
    progress = &item->progress[item->progress_next];
    item->progress_next = (item->progress_next + 1) % LIST_PROGRESS_MOST;
    *progress = (struct list_progress){.list_id = list_id};
    return progress;
}

void order_buffer_clocks(struct order *order, struct unit_state *unit_state,
                         const struct release_clock_list *list, uint64_t since, int region)
{
    struct release_clock_list *fence_buffer = &unit_state->item->fence_buffer[region];
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].version > since &&
            is_wanted(fence_buffer, &list->items[i], unit_state->place.group))
            order_list_add(order, fence_buffer, &list->items[i]);
}

static void acquire(struct order *order, struct unit_state *unit_state, const struct release_clock_list *list,
                    const struct atomic_operation *act)
{
    const struct endpoint end = {act->scope, false, 0, act->site};
    for (uint32_t i = 0; i < list->count; i++)
        if (!list->items[i].fence || RULE(14))
            order_acquire_clock(order, unit_state, &list->items[i], act->region, &end);
}

static void load(struct order *order, struct unit_state *unit_state, const struct atomic_object *atomic,
                 const struct atomic_operation *act)
{
    const bool acquiring = acquires(act->order) && RULE(11);
    if (!atomic->release_clocks.count && !acquiring)
        return;
    if (!order_make_item(order, unit_state))
        return;
    struct list_progress *progress = order_list_progress(unit_state->item, atomic->list_id);
    if (acquiring)
        acquire(order, unit_state, &atomic->release_clocks, act);
    if (progress->version)
        fast_path_taken(order->fast_paths, FAST_PATH_LIST_READ);
    if (progress->version < atomic->version) {
        order_buffer_clocks(order, unit_state, &atomic->release_clocks, progress->version, act->region);
        progress->version = atomic->version;
    }
    note_relaxed_store(order, unit_state->item, &atomic->store, act);
}

/* ---- operations ------------------------------------------------------------------------------- */

static void access_object(struct order *order, struct unit_state *unit_state,
                          const struct atomic_operation *act)
{
    struct atomic_object *atomic = atomic_object_find(order, act->address);
    const bool has_fence = unit_state->item && unit_state->item->fences.count,
               publishes = releases(act->order) || has_fence, is_store = act->writes && !act->reads;
    /* there is no sequence to end */
    if (!atomic && !publishes && !is_store)
        return;
    if (!atomic)
        atomic = order_atomic_object(order, act);
    if (!atomic)
        return;
    if (atomic->handoff_objects)
        order_handoff_dissolve_object(order, atomic);
    if (act->size == 8 && !order->wide)
        order_handoff_dissolve_all(order);
    order->wide |= act->size == 8;
    if (act->region == IN_LOCAL && !order->formal && atomic->group != unit_state->place.group)
        end_sequences(order, atomic); /* local memory that another work-group used before (R38) */
    atomic->group = unit_state->place.group;
    if (act->reads && atomic->size == act->size)
        load(order, unit_state, atomic, act);
    if (act->writes)
        store(order, unit_state, atomic, act);
}

/* While no store but read-modify-writes was done to the object, its list has one release for all of them,
 * and each has acquired that before it released: so they are totally ordered. */
static bool follows_alike(const struct order *order, const struct atomic_operation *act)
{
    const bool is_update = act->reads && act->writes;
    const bool acquires_and_releases = acquires(act->order) && releases(act->order);
    const bool plain_global = act->region == IN_GLOBAL && !act->svm_atomics && !act->apart;
    if (!is_update || !acquires_and_releases || !plain_global)
        return false;
    if (!order_scopes_are_uniform(order, act->scope, act->size))
        return false;
    const struct atomic_object *atomic = atomic_object_unpacked(order, act->address);
    const bool only_updates = atomic && atomic->size == act->size && !atomic->generation;
    return only_updates && atomic->release_clocks.count && !order->failed;
}

static struct sync_op atomic_sync_op(const struct atomic_operation *act)
{
    return (struct sync_op){.kind = SYNC_OP_ATOMIC,
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
}

bool order_atomic(struct order *order, struct unit_state *unit_state, const struct atomic_operation *act)
{
    uint64_t before = order->clock;
    if (unit_state->group && unit_state->group->waiting)
        order_deliver(order, unit_state);
    if (unit_state->group && unit_state->group->handoff && order_handoff_atomic(order, unit_state, act))
        return false;
    access_object(order, unit_state, act);
    const bool follows = follows_alike(order, act);
    if (!order_logs(order))
        return follows;
    struct sync_op sync_op = atomic_sync_op(act);
    order_log_own(order, unit_state, &sync_op, before);
    return follows;
}

bool order_updates_add_nothing(const struct order *order, const struct group_order *group)
{
    const bool has_synchronised = group && (group->items || group->sub_groups || group->copy_count);
    return !order_object_count(order) && !has_synchronised;
}

bool order_logs(const struct order *order)
{
    return order->sync_log && !order->sync_log->full;
}

uint64_t order_next_segment(struct order *order)
{
    return ++order->clock;
}

void order_log_update(struct order *order, const struct atomic_operation *act, uint64_t unit,
                      uint64_t address, uint64_t clock)
{
    struct group_order *group = order_group(order, order_unit_group(order, unit));
    if (!group)
        return;
    group->slice = clock;
    struct sync_op sync_op = atomic_sync_op(act);
    sync_op.by = unit;
    sync_op.address = address;
    sync_op.clock = clock;
    sync_log_add(order->sync_log, &sync_op);
}

/* The object at this address, if it overlaps the bytes from low to high. */
static struct atomic_object *overlapped(struct order *order, uint64_t address, uint64_t low, uint64_t high)
{
    struct atomic_object *atomic = atomic_object_find(order, address);
    return atomic && address < high && address + atomic->size > low ? atomic : NULL;
}

/* The lowest address of an object that may contain the byte. */
static uint64_t first_of(const struct order *order, uint64_t address)
{
    return (address & ~UINT64_C(3)) - (order->wide ? 4 : 0);
}

static void overwrite_one(struct order *order, struct unit_state *unit_state, uint64_t address, uint64_t low,
                          uint64_t high, uint32_t site)
{
    CHECKED(low < high);
    struct atomic_object *atomic = overlapped(order, address, low, high);
    if (!atomic)
        return;
    order_handoff_dissolve_object(order, atomic);
    if (unit_state->group)
        order_handoff_dissolve(order, unit_state->group);
    log_op(order, &(struct sync_op){.kind = SYNC_OP_OVERWRITE,
                                    .writes = true,
                                    .region = (int8_t)atomic->region,
                                    .site = site,
                                    .size = (uint32_t)(high - low),
                                    .by = unit_state->unit,
                                    .address = low});
    begin_sequence(order, unit_state, atomic);
    atomic->store = (struct latest_store){site, unit_state->unit, order->clock, false};
}

void order_overwrite(struct order *order, struct unit_state *unit_state, uint64_t address, uint32_t size,
                     uint32_t site)
{
    if (!order_object_count(order))
        return;
    for (uint64_t at = first_of(order, address); at < address + size; at += 4)
        overwrite_one(order, unit_state, at, address, address + size, site);
}

void order_overwrite_foreign(struct order *order, uint64_t address, uint32_t size, bool update)
{
    if (!order_object_count(order))
        return;
    for (uint64_t at = first_of(order, address); at < address + size; at += 4) {
        struct atomic_object *atomic = overlapped(order, at, address, address + size);
        /* a read-modify-write of the object continues its sequences */
        if (!atomic || (update && at == address && atomic->size == size))
            continue;
        order_handoff_dissolve_object(order, atomic);
        log_op(order, &(struct sync_op){.kind = SYNC_OP_FOREIGN_WRITE,
                                        .writes = true,
                                        .region = (int8_t)atomic->region,
                                        .size = size,
                                        .by = UNIT_END,
                                        .address = address});
        end_sequences(order, atomic);
        atomic->store = (struct latest_store){.unit = UNIT_END};
    }
}
