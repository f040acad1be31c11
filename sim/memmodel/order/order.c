/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launch and its units: their states, what a release publishes, what an acquire joins, and fences.
 *
 * A release fence saves the unit's clock in its list of fences, one for each scope and flags. Later stores of
 * the unit publish the saved clock (R12, R14). A relaxed load puts the releases that it reads into the fence
 * buffer; an acquire fence joins those whose scope is inclusive (R13). Since a unit's clock only grows, the
 * newest fence of one kind includes the older ones.
 */
#include "order_handoff.h"

#include <stdlib.h>
#include <utlist.h>

#include "orrery/checked.h"

/* ---- begin and end ---------------------------------------------------------------------------- */

void order_init(struct order *order, enum scope_rule rule)
{
    *order = (struct order){.rule = rule, .clock = 1};
    vclock_pool_init(&order->pool);
}

static void item_free(struct order *order, struct item_order *item)
{
    drop_all(order, item->acquired);
    order_list_free(order, &item->fences);
    for (int r = 0; r < ORDER_REGIONS; r++)
        order_list_free(order, &item->fence_buffer[r]);
    for (uint32_t i = 0; i < item->head_count; i++)
        release_drop(order, item->heads[i].release_clock.release);
    for (uint32_t i = 0; i < MISSED_KEPT; i++)
        release_drop(order, item->missed[i].release);
    free(item->heads);
    free(item);
}

static void group_free(struct order *order, struct group_order *group)
{
    order_handoff_free(order, group);
    for (uint32_t i = 0; i < group->copy_count; i++)
        order_members_free(order, &order->copies[group->copies[i]]);
    free(group->copy_calls);
    for (uint64_t i = 0; group->item_count; i++)
        if (group->items[i]) {
            item_free(order, group->items[i]);
            group->item_count--;
        }
    for (uint32_t i = 0; group->sub_groups && i < order->sub_group_count; i++)
        drop_all(order, group->sub_groups[i].acquired);
    drop_all(order, group->acquired);
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
    if (CHECKS_ON)
        order_check(order);
    for (struct group_order *group = order->groups, *next; group; group = next) {
        next = group->next;
        group_free(order, group);
    }
    order_objects_fini(order);
    free(order->copies);
    if (order->fast_paths)
        order->fast_paths[FAST_PATH_CHAIN] += order->pool.chained;
    free(order->arrivals);
    vclock_pool_fini(&order->pool);
    order_releases_fini(order);
    struct sync_log *sync_log = order->sync_log;
    uint64_t *fast_paths = order->fast_paths;
    order_init(order, order->rule);
    order->sync_log = sync_log;
    order->fast_paths = fast_paths;
    CHECKED(order->clock == 1 && !order->failed);
}

void order_fini(struct order *order)
{
    order_launch_end(order);
}

void order_launch_begin(struct order *order, const struct launch_info *launch)
{
    order_launch_end(order);
    if (order->sync_log)
        sync_log_clear(order->sync_log);
    order->launch = launch;
    order->group_device = launch->group_device;
    order->formal = launch->formal;
    order->group_items = launch->local_size[0] * launch->local_size[1] * launch->local_size[2];
    order->member_words =
        order->group_items < WAVE_LANES_MAX ? (uint32_t)(order->group_items + 63) / 64 : LANE_MASK_WORDS;
    order->sub_group_size = launch->sub_group_size ? launch->sub_group_size : 1;
    order->sub_group_count =
        (uint32_t)((order->group_items + order->sub_group_size - 1) / order->sub_group_size);
    CHECKED(order->group_items > 0 && order->member_words > 0);
    CHECKED(!order->groups && !order->copy_count &&
            !order_object_count(order)); /* nothing of the previous launch is left */
}

uint32_t order_unit_tree_root(const struct order *order, uint64_t unit)
{
    CHECKED(order->launches && order->group_launch);
    return order_launch_of(order, order_unit_group(order, unit))->tree_root;
}

uint32_t order_unit_launch(const struct order *order, uint64_t unit)
{
    return order->group_launch ? order->group_launch[order_unit_group(order, unit)] : 0;
}

uint32_t order_unit_device(const struct order *order, uint64_t unit)
{
    return order_group_device(order, order_unit_group(order, unit));
}

enum memory_scope order_scope(const struct order *order, enum memory_scope scope, bool local,
                              bool svm_atomics)
{
    return order->formal || scope <= SCOPE_WORK_GROUP ? scope : scope_reduced(scope, local, svm_atomics);
}

struct group_order *order_group_find(const struct order *order, uint64_t number)
{
    struct group_order *group = order->groups_by_number[number % GROUP_LISTS];
    while (group && group->number != number)
        group = group->next_in_list;
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
    group->first_member_copy = UNIT_END;
    for (int r = 0; r < ORDER_REGIONS; r++)
        group->base[r] = 1;
    DL_PREPEND(order->groups, group);
    LL_PREPEND2(order->groups_by_number[number % GROUP_LISTS], group, next_in_list);
    order->pool.units += order->group_items;
    return group;
}

void order_group_end(struct order *order, uint64_t number)
{
    struct group_order *group = order_group_find(order, number);
    if (!group)
        return;
    log_op(order, &(struct sync_op){.kind = SYNC_OP_GROUP_END, .by = number});
    order_handoff_end(order, group);
    CHECKED(!group->handoff && !group->slices);
    DL_DELETE(order->groups, group);
    LL_DELETE2(order->groups_by_number[number % GROUP_LISTS], group, next_in_list);
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
    CHECKED(local < order->group_items);
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

/* ---- units ------------------------------------------------------------------------------------- */

uint64_t order_unit_group(const struct order *order, uint64_t unit)
{
    return unit >= UNIT_COPIES ? order->copies[unit - UNIT_COPIES].group : unit / order->group_items;
}

uint32_t order_unit_sub_group(const struct order *order, uint64_t unit)
{
    const struct order_launch *launch =
        unit < UNIT_COPIES ? order_launch_of(order, unit / order->group_items) : NULL;
    const uint64_t size = launch ? launch->sub_group_size : order->sub_group_size;
    return unit >= UNIT_COPIES ? UINT32_MAX : (uint32_t)(unit % order->group_items / size);
}

void order_unit_state(const struct order *order, uint64_t unit, struct unit_state *out_unit_state)
{
    *out_unit_state = (struct unit_state){.unit = unit};
    out_unit_state->place.group = order_unit_group(order, unit);
    out_unit_state->place.sub_group = order_unit_sub_group(order, unit);
    out_unit_state->place.device = order_unit_device(order, unit);
    out_unit_state->group = order_group_find(order, out_unit_state->place.group);
    if (unit >= UNIT_COPIES)
        out_unit_state->copy = &order->copies[unit - UNIT_COPIES];
    else if (out_unit_state->group && out_unit_state->group->items)
        out_unit_state->item = out_unit_state->group->items[unit % order->group_items];
}

void order_member(const struct order *order, uint64_t number, struct group_order *group, uint64_t local,
                  struct unit_state *out_unit_state)
{
    const uint32_t sub_group = (uint32_t)local / order->sub_group_size,
                   device = order_group_device(order, number);
    CHECKED(!group || group->number == number);
    *out_unit_state = (struct unit_state){.unit = number * order->group_items + local,
                                          .place = {number, sub_group, device},
                                          .group = group,
                                          .item = group && group->items ? group->items[local] : NULL};
}

/* Work-groups at the far end of an axis may be smaller (OpenCL 2.0, non-uniform work-groups). */
uint64_t order_group_size(const struct order *order, uint64_t number)
{
    const struct order_launch *launch = order_launch_of(order, number);
    const uint64_t *global = launch ? launch->global_size : order->launch->global_size,
                   *local = launch ? launch->local_size : order->launch->local_size;
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

bool order_make_item(struct order *order, struct unit_state *unit_state)
{
    if (unit_state->item)
        return true;
    unit_state->group = order_group(order, unit_state->place.group);
    if (unit_state->group)
        unit_state->item = item_of(order, unit_state->group, unit_state->unit % order->group_items);
    return unit_state->item != NULL;
}

/* ---- releasing --------------------------------------------------------------------------------- */

/* The unit then has its group's clock twice, which changes no query, and its own clock grows by one entry for
 * each release. */
struct vclock *order_publish(struct order *order, const struct unit_state *unit_state, int region,
                             uint64_t clock)
{
    struct vclock **own = &unit_state->item->acquired[region];
    const struct sub_group_order *sub = order_sub_group_of(unit_state);
    struct group_order *group = unit_state->group;
    CHECKED(group->number == unit_state->place.group && clock <= order->clock);
    if (!RULE(21))
        return vclock_put(&order->pool, NULL, unit_key(unit_state->unit), clock);
    if (group->base[region] > 1) {
        order->group_keys = true;
        put_into(order, &group->acquired[region], group_key(group->number), group->base[region]);
    }
    join_into(order, own, group->acquired[region]);
    join_into(order, own, sub ? sub->acquired[region] : NULL);
    return vclock_extend(&order->pool, own, unit_key(unit_state->unit), clock);
}

/* ---- acquiring --------------------------------------------------------------------------------- */

static bool fences_both_regions(bool fence, uint32_t flags)
{
    return fence && (flags & (REGION_GLOBAL | REGION_LOCAL)) == (REGION_GLOBAL | REGION_LOCAL);
}

/* Replaces the oldest of the missed edges. Takes the edge's reference. */
void order_add_missed(struct order *order, struct item_order *item, const struct missed_edge *edge)
{
    struct missed_edge *oldest = &item->missed[item->missed_next];
    item->missed_next = (item->missed_next + 1) % MISSED_KEPT;
    release_drop(order, oldest->release);
    *oldest = *edge;
}

static bool is_noted(const struct missed_edge *edge, enum missed_why why,
                     const struct release_clock *release_clock, const struct endpoint *end, int region)
{
    return edge->why == why && edge->release_unit == release_clock->release->unit &&
           edge->release_site == release_clock->release->site && edge->acquire_site == end->site &&
           edge->release_scope == release_clock->scope && edge->acquire_scope == end->scope &&
           edge->local == (region == IN_LOCAL) && edge->release &&
           release_is_same(edge->release, release_clock->release);
}

static void note_missed(struct order *order, struct item_order *item, enum missed_why why,
                        const struct release_clock *release_clock, const struct endpoint *end, int region)
{
    for (uint32_t i = 0; i < MISSED_KEPT; i++)
        if (is_noted(&item->missed[i], why, release_clock, end, region))
            return;
    order_add_missed(order, item,
                     &(struct missed_edge){.why = why,
                                           .release_site = release_clock->release->site,
                                           .acquire_site = end->site,
                                           .release_scope = release_clock->scope,
                                           .acquire_scope = end->scope,
                                           .release_unit = release_clock->release->unit,
                                           .local = region == IN_LOCAL,
                                           .apart = release_clock->apart,
                                           .svm_atomics = release_clock->svm_atomics,
                                           .release = release_share(release_clock->release)});
}

/* Both have work-group scope, in one work-group: inclusive under every scope rule. */
static inline bool is_within_group(const struct release_clock *release_clock, const struct endpoint *end,
                                   const struct unit_state *unit_state)
{
    return release_clock->scope == SCOPE_WORK_GROUP && end->scope == SCOPE_WORK_GROUP &&
           release_clock->place.group == unit_state->place.group;
}

static bool includes(const struct order *order, const struct unit_state *unit_state,
                     const struct release_clock *release_clock, int region, const struct endpoint *end)
{
    const enum memory_scope scope =
        order_scope(order, end->scope, region == IN_LOCAL, release_clock->svm_atomics);
    return !(release_clock->apart && !same_launch_tree(order, &release_clock->place, &unit_state->place)) &&
           scope_inclusive(order->rule, release_clock->scope, &release_clock->place, scope,
                           &unit_state->place);
}

bool order_acquire_clock(struct order *order, const struct unit_state *unit_state,
                         const struct release_clock *release_clock, int region, const struct endpoint *end)
{
    struct item_order *item = unit_state->item;
    if (!is_within_group(release_clock, end, unit_state) &&
        !includes(order, unit_state, release_clock, region, end)) {
        note_missed(order, item, MISSED_SCOPE, release_clock, end, region);
        return false;
    }
    join_into(order, &item->acquired[region], release_clock->release->vclock[region]);
    bool dual = fences_both_regions(release_clock->fence, release_clock->flags) &&
                fences_both_regions(end->fence, end->flags) && RULE(15);
    /* R16: if both endpoints are seq_cst, an edge in one region is one in the other, too. It orders no
     * data, because no chain of global happens-before has an action on a local object (R21), so it is left
     * out. */
    if (dual || !RULE(16))
        for (int r = IN_GLOBAL; r <= IN_LOCAL; r++)
            join_into(order, &item->acquired[r], release_clock->release->vclock[r]);
    else if (release_clock->release->vclock[IN_GLOBAL] && release_clock->release->vclock[IN_LOCAL])
        note_missed(order, item, MISSED_REGION, release_clock, end, region);
    return true;
}

static void acquire_region(struct order *order, struct unit_state *unit_state, int region,
                           const struct endpoint *end)
{
    const struct release_clock_list *buffer = &unit_state->item->fence_buffer[region];
    for (uint32_t i = 0; i < buffer->count; i++)
        order_acquire_clock(order, unit_state, &buffer->items[i], region, end);
}

void order_acquire_buffered(struct order *order, struct unit_state *unit_state, const struct endpoint *end)
{
    for (int region = 0; region < ORDER_REGIONS; region++)
        if (end->flags >> region & 1)
            acquire_region(order, unit_state, region, end);
}

/* ---- logging ---------------------------------------------------------------------------------- */

/* Was the object written since the unit's latest logged operation, or since this was last asked? A write
 * of any byte counts, whether the object is known to struct order or not. */
static bool is_written(const struct order *order, struct item_order *item, const struct sync_op *sync_op)
{
    const struct sync_log *sync_log = order->sync_log;
    uint32_t at = item->log_searched > item->latest ? item->log_searched : item->latest;
    for (item->log_searched = sync_log->count; at < sync_log->count; at++) {
        const struct sync_op *later = &sync_log->items[at];
        if (later->writes && later->address < sync_op->address + sync_op->size &&
            sync_op->address < later->address + later->size)
            return true;
    }
    return false;
}

/* An iteration of a spin loop reads the store that the one before it read: it is logged once. */
static bool is_repetition(const struct order *order, const struct unit_state *unit_state,
                          const struct sync_op *sync_op)
{
    const struct sync_op *latest =
        unit_state->item->latest ? &order->sync_log->items[unit_state->item->latest - 1] : NULL;
    const bool are_loads = latest && latest->kind == SYNC_OP_ATOMIC && !latest->writes && !sync_op->writes;
    return are_loads && latest->site == sync_op->site && latest->address == sync_op->address &&
           !is_written(order, unit_state->item, sync_op);
}

/* While operations are logged, each begins a segment: the clock value of an access then names the two
 * operations of its unit between which it was done. */
void order_log_own(struct order *order, struct unit_state *unit_state, struct sync_op *sync_op,
                   uint64_t before)
{
    if (!order_logs(order) || !order_make_item(order, unit_state) ||
        is_repetition(order, unit_state, sync_op))
        return;
    if (unit_state->item->slice <= before)
        unit_state->item->slice = ++order->clock;
    sync_op->by = unit_state->unit;
    sync_op->clock = order->clock;
    if (sync_log_add(order->sync_log, sync_op))
        unit_state->item->latest = order->sync_log->count;
}

/* ---- fences ------------------------------------------------------------------------------------ */

/* The unit's only release fence, if it has this scope and these flags; else NULL. */
static inline struct release_clock *only_fence(const struct unit_state *unit_state,
                                               const struct endpoint *end)
{
    const struct release_clock_list *fences = &unit_state->item->fences;
    struct release_clock *one = fences->items;
    return fences->count == 1 && one->scope == end->scope && one->flags == end->flags ? one : NULL;
}

void order_release_fence(struct order *order, struct unit_state *unit_state, const struct endpoint *end,
                         uint64_t clock)
{
    CHECKED(end->fence && unit_state->item);
    struct release *release = order_release_new(order, unit_state->unit, end->site);
    struct release_clock *before = only_fence(unit_state, end);
    for (int r = 0; r < ORDER_REGIONS; r++)
        if (end->flags >> r & 1)
            set(order, &release->vclock[r], order_publish(order, unit_state, r, clock));
    if (before) { /* the unit's clock only grows, so the newest release has all of the older one */
        release_drop(order, before->release);
        before->release = release;
        return;
    }
    const struct release_clock release_clock = {.scope = end->scope,
                                                .flags = end->flags,
                                                .fence = true,
                                                .place = unit_state->place,
                                                .release = release};
    order_list_replace(order, &unit_state->item->fences, &release_clock);
    release_drop(order, release);
}

static inline uint32_t fenced_regions(uint32_t regions)
{
    return RULE(6) ? regions : REGION_GLOBAL | REGION_LOCAL;
}

static void fence(struct order *order, struct unit_state *unit_state, uint32_t regions,
                  enum memory_ordering how, enum memory_scope scope, uint32_t site)
{
    const struct endpoint end = {scope, true, fenced_regions(regions), site};
    if (how == ORDER_RELAXED || !regions || order_handoff_fence(order, unit_state, &end, how) ||
        !order_make_item(order, unit_state))
        return;
    if (acquires(how) && RULE(13))
        order_acquire_buffered(order, unit_state, &end);
    if (releases(how) && RULE(12)) {
        uint64_t clock = order_release_clock(order);
        unit_state->item->slice = clock;
        order_release_fence(order, unit_state, &end, clock);
        if (acquires(how) && regions & REGION_IMAGE)
            unit_state->item->image_base = clock;
    }
}

void order_fence(struct order *order, struct unit_state *unit_state, uint32_t regions,
                 enum memory_ordering how, enum memory_scope scope, uint32_t site)
{
    uint64_t before = order->clock;
    if (unit_state->group && unit_state->group->waiting)
        order_deliver(order, unit_state);
    fence(order, unit_state, regions, how, scope, site);
    if (!order_logs(order))
        return;
    struct sync_op sync_op = {.kind = SYNC_OP_FENCE,
                              .order = (uint8_t)how,
                              .scope = (uint8_t)scope,
                              .regions = (uint8_t)regions,
                              .site = site};
    order_log_own(order, unit_state, &sync_op, before);
}
