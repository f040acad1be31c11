/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synchronises-with edges between logged operations. The search starts at an acquire and walks the log
 * backwards: from a fence to the loads before it, from a load through the release sequence that it read
 * (R8), and from each store of the sequence to the fences before it. A path is a breadth-first walk through
 * the log: a unit counts as reached from the first acquire on that synchronises with a unit that was
 * reached before.
 *
 * order.c decides by vector clocks whether accesses are ordered. This file only names edges, so its work
 * may be bounded.
 */
#include "edges.h"

#include "explain_state.h"
#include "sim/memmodel/common/list.h"

/* ---- units ---------------------------------------------------------------------------- */

static uint64_t group_items(const struct edges_world *world)
{
    const uint64_t *size = world->launch->local_size;
    return size[0] * size[1] * size[2];
}

struct place edges_unit_place(const struct launch_info *launch, uint64_t unit)
{
    const uint64_t items = launch->local_size[0] * launch->local_size[1] * launch->local_size[2],
                   group = unit / items;
    return (struct place){group, (uint32_t)(unit % items / launch->sub_group_size),
                          launch->group_device ? launch->group_device[group] : 0};
}

static struct place place_of(const struct edges_world *world, uint64_t unit)
{
    return edges_unit_place(world->launch, unit);
}

static bool spend_work(struct edges_world *world)
{
    if (world->work)
        world->work--;
    return world->work > 0;
}

/* The log has the arrivals of sub-groups at a named barrier directly before the barrier. */
static bool has_arrived(const struct edges_world *world, uint32_t at, uint64_t group, uint32_t sub_group)
{
    while (at-- > 0 && world->items[at].kind == SYNC_OP_NAMED_ARRIVAL && world->items[at].by == group) {
        if (world->items[at].number == sub_group)
            return true;
    }
    return false;
}

static bool is_passed_by(const struct edges_world *world, uint32_t at, uint64_t unit)
{
    const struct sync_op *item = &world->items[at];
    const struct place place = place_of(world, unit);
    switch ((enum sync_op_kind)item->kind) {
    case SYNC_OP_BARRIER: return item->by == place.group;
    case SYNC_OP_SUB_GROUP_BARRIER: return item->by == place.group && item->number == place.sub_group;
    case SYNC_OP_NAMED_BARRIER:
        return item->by == place.group && has_arrived(world, at, place.group, place.sub_group);
    case SYNC_OP_FENCE:
    case SYNC_OP_ATOMIC: return item->by == unit;
    default: return false;
    }
}

/* ---- ends ------------------------------------------------------------------------------- */

/* One end of an edge: its scope, and of a fence the regions. A barrier whose scope is wider than its group is
 * a release fence and an acquire fence (R17). */
struct edge_half {
    enum memory_scope scope;
    bool fence;
    uint32_t flags;
};

static bool half_of(const struct edges_world *world, uint32_t at, bool releases, struct edge_half *out_end)
{
    const struct sync_op *item = &world->items[at];
    const bool ordered = has_order((enum memory_ordering)item->order, releases);
    *out_end =
        (struct edge_half){(enum memory_scope)item->scope, item->kind != SYNC_OP_ATOMIC, item->regions};
    if (is_barrier(item))
        return item->scope > (item->kind == SYNC_OP_SUB_GROUP_BARRIER ? SCOPE_SUB_GROUP : SCOPE_WORK_GROUP);
    return ordered && (item->kind == SYNC_OP_FENCE || (releases ? item->writes : item->reads));
}

static bool reaches(const struct edges_world *world, int region, const struct edge_half *end)
{
    return !end->fence ? region == world->region : (end->flags >> region & 1) != 0;
}

/* R15: two fences with both flags are an edge in both regions, whichever the atomic object lies in. */
static bool are_dual(const struct edges_world *world, const struct edge_half *a, const struct edge_half *b)
{
    const uint32_t both = REGION_GLOBAL | REGION_LOCAL;
    return world->region != IN_IMAGE && a->fence && b->fence && (a->flags & b->flags & both) == both;
}

static enum memory_scope reduced(const struct edges_world *world, enum memory_scope scope,
                                 const struct sync_op *atomic)
{
    return world->launch->formal || scope <= SCOPE_WORK_GROUP
               ? scope
               : scope_reduced(scope, atomic->region == IN_LOCAL, atomic->svm_atomics);
}

/* Do a release and an acquire synchronise through that atomic's object (R11, R12, R15)? */
static bool halves_match(const struct edges_world *world, const struct sync_op *atomic,
                         const struct edge_half *from, uint64_t from_unit, const struct edge_half *to,
                         uint64_t to_unit)
{
    const struct place at_from = place_of(world, from_unit), at_to = place_of(world, to_unit);
    const enum memory_scope a = reduced(world, from->scope, atomic), b = reduced(world, to->scope, atomic);
    const int region = atomic->region;
    if (!reaches(world, region, from) || !reaches(world, region, to) || a == SCOPE_WORK_ITEM ||
        b == SCOPE_WORK_ITEM)
        return false;
    return (region == world->region || are_dual(world, from, to)) &&
           scope_inclusive(world->rule, a, &at_from, b, &at_to);
}

/* ---- release sequences ---------------------------------------------------------------------- */

/* A search backwards from an acquire. It calls accepts() with each release that synchronises with the
 * acquire, the latest first, until that returns true. accepts NULL: the first is right. */
struct edge_search {
    struct edges_world *world;
    struct edge_end to;
    struct edge_half half; /* of `to` */
    bool (*accepts)(const struct edge_search *search, struct edge_end from);
    const void *context;
    struct edge_end found;
};

static bool try_release(struct edge_search *search, const struct sync_op *atomic, struct edge_end from)
{
    struct edge_half end;
    if (from.unit == search->to.unit || !half_of(search->world, from.at, true, &end) ||
        !halves_match(search->world, atomic, &end, from.unit, &search->half, search->to.unit) ||
        (search->accepts && !search->accepts(search, from)))
        return false;
    search->found = from;
    return true;
}

/* For a store of the release sequence: the store itself, or a fence that its unit executed before it. */
static bool try_store(struct edge_search *search, uint32_t store)
{
    struct edges_world *world = search->world;
    const struct sync_op *item = &world->items[store];
    if (try_release(search, item, (struct edge_end){item->by, store}))
        return true;
    for (uint32_t at = store; at-- > 0 && spend_work(world);) {
        if (world->items[at].kind != SYNC_OP_ATOMIC && is_passed_by(world, at, item->by) &&
            try_release(search, item, (struct edge_end){item->by, at}))
            return true;
    }
    return false;
}

static bool overlaps(const struct sync_op *a, const struct sync_op *b)
{
    return a->address < b->address + b->size && b->address < a->address + a->size;
}

/* R8: walks back from the load through the stores of its release sequence. After the head a sequence has only
 * read-modify-writes and stores of the head's unit. So once a plain store was passed, earlier stores count
 * only if they are of the same unit. */
static bool search_sequence(struct edge_search *search, uint32_t load)
{
    struct edges_world *world = search->world;
    const struct sync_op *read = &world->items[load];
    uint64_t only = UNIT_END;
    for (uint32_t at = load; at-- > 0 && spend_work(world);) {
        const struct sync_op *item = &world->items[at];
        const bool atomic = item->kind == SYNC_OP_ATOMIC;
        const bool is_store = item->writes && (atomic || item->kind == SYNC_OP_OVERWRITE ||
                                               item->kind == SYNC_OP_FOREIGN_WRITE);
        if (!is_store || !overlaps(item, read))
            continue;
        if (item->kind == SYNC_OP_FOREIGN_WRITE)
            return false;
        const bool other_memory = read->region == IN_LOCAL && !world->launch->formal &&
                                  place_of(world, item->by).group != place_of(world, read->by).group;
        const bool same_object = item->size == read->size && item->address == read->address;
        if (other_memory || (atomic && !same_object))
            return false;
        if (atomic && (only == UNIT_END || only == item->by) && try_store(search, at))
            return true;
        if (!item->reads && only != UNIT_END && only != item->by)
            return false;
        if (!item->reads)
            only = item->by;
    }
    return false;
}

/* All releases that synchronise with the acquire: of a fence, by each of its unit's loads before it. */
static bool search_acquire(struct edge_search *search)
{
    struct edges_world *world = search->world;
    const uint32_t to = search->to.at;
    if (!half_of(world, to, false, &search->half))
        return false;
    if (world->items[to].kind == SYNC_OP_ATOMIC)
        return search_sequence(search, to);
    for (uint32_t at = to; at-- > 0 && spend_work(world);) {
        const struct sync_op *item = &world->items[at];
        if (item->kind == SYNC_OP_ATOMIC && item->by == search->to.unit && item->reads &&
            search_sequence(search, at))
            return true;
    }
    return false;
}

/* ---- one edge ------------------------------------------------------------------------------------- */

static bool is_wanted(const struct edge_search *search, struct edge_end from)
{
    const struct edge_end *only = search->context;
    return only->unit == from.unit && only->at == from.at;
}

static bool share_barrier(const struct edges_world *world, const struct edge *edge)
{
    const struct sync_op *item = &world->items[edge->from.at];
    const bool orders = is_barrier(item) && (item->regions >> world->region & 1);
    return orders && edge->from.at == edge->to.at && is_passed_by(world, edge->from.at, edge->from.unit) &&
           is_passed_by(world, edge->to.at, edge->to.unit);
}

bool edges_synchronise(struct edges_world *world, const struct edge *edge)
{
    struct edge_search search = {
        .world = world, .to = edge->to, .accepts = is_wanted, .context = &edge->from};
    return share_barrier(world, edge) || (edge->from.at < edge->to.at && search_acquire(&search));
}

bool edges_into(struct edges_world *world, struct edge_end to, struct edge_end *out_from)
{
    struct edge_search search = {.world = world, .to = to};
    if (!search_acquire(&search))
        return false;
    *out_from = search.found;
    return true;
}

bool edges_out_of(struct edges_world *world, struct edge_end from, struct edge_end *out_to)
{
    struct edge_half end;
    if (!half_of(world, from.at, true, &end))
        return false;
    for (uint32_t at = from.at + 1; at < world->count && spend_work(world); at++) {
        const struct sync_op *item = &world->items[at];
        const struct edge edge = {from, {item->by, at}};
        if ((item->kind == SYNC_OP_ATOMIC || item->kind == SYNC_OP_FENCE) &&
            edges_synchronise(world, &edge)) {
            *out_to = edge.to;
            return true;
        }
    }
    return false;
}

/* ---- paths ---------------------------------------------------------------------------------------- */

/* A unit whose operations from index `since` on happen after the start of the path. `before`: the entry of
 * the unit at the other end of `edge`, by which it was reached. */

struct reached_unit {
    uint64_t unit;
    uint32_t since, before;
    struct edge edge;
};
enum { NO_UNIT = UINT32_MAX };

struct edge_walk {
    struct edges_world *world;
    LIST(struct reached_unit) reached;
    bool failed;
};

static uint32_t reached_find(const struct edge_walk *walk, uint64_t unit)
{
    for (uint32_t i = 0; i < walk->reached.count && spend_work(walk->world); i++) {
        if (walk->reached.items[i].unit == unit)
            return i;
    }
    return NO_UNIT;
}

static bool is_reached(const struct edge_search *search, struct edge_end from)
{
    const struct edge_walk *walk = search->context;
    const uint32_t found = reached_find(walk, from.unit);
    return found != NO_UNIT && walk->reached.items[found].since <= from.at;
}

/* A unit that acquires from a reached one is reached itself. */
static void reach_acquirer(struct edge_walk *walk, uint64_t unit, uint32_t at)
{
    struct edge_search search = {
        .world = walk->world, .to = {unit, at}, .accepts = is_reached, .context = walk};
    if (reached_find(walk, unit) != NO_UNIT || !search_acquire(&search))
        return;
    const uint32_t since = is_barrier(&walk->world->items[at]) ? at + 1 : at;
    const struct reached_unit reached = {
        unit, since, reached_find(walk, search.found.unit), {search.found, {unit, at}}};
    walk->failed |= !list_add(&walk->reached, reached);
}

/* The first reached unit that passes the barrier; reached.count: none does. */
static uint32_t reached_member(const struct edge_walk *walk, uint32_t at)
{
    uint32_t i = 0;
    while (i < walk->reached.count && !(walk->reached.items[i].since <= at &&
                                        is_passed_by(walk->world, at, walk->reached.items[i].unit)))
        i++;
    return i;
}

/* At a barrier whose flags name the region, one reached member reaches all the others. A barrier of a wider
 * scope may be an acquire as well. */
static void reach_group(struct edge_walk *walk, uint32_t at)
{
    const struct sync_op *item = &walk->world->items[at];
    const uint64_t first = item->by * group_items(walk->world);
    const uint32_t before = reached_member(walk, at);
    const uint64_t from = before < walk->reached.count ? walk->reached.items[before].unit : 0;
    const bool orders = before < walk->reached.count && (item->regions >> walk->world->region & 1);
    for (uint64_t i = 0; i < group_items(walk->world); i++) {
        const uint64_t unit = first + i;
        if (!is_passed_by(walk->world, at, unit))
            continue;
        if (orders && reached_find(walk, unit) == NO_UNIT)
            walk->failed |= !list_add(&walk->reached,
                                      (struct reached_unit){unit, at + 1, before, {{from, at}, {unit, at}}});
        reach_acquirer(walk, unit, at);
    }
}

static struct edge *path_to(const struct edge_walk *walk, uint32_t last, uint32_t *out_count)
{
    uint32_t count = 0;
    for (uint32_t at = last; walk->reached.items[at].before != NO_UNIT; at = walk->reached.items[at].before)
        count++;
    struct edge *edges = calloc(count + 1, sizeof *edges);
    *out_count = edges ? count : 0;
    for (uint32_t at = last; edges && walk->reached.items[at].before != NO_UNIT;
         at = walk->reached.items[at].before)
        edges[--count] = walk->reached.items[at].edge;
    return edges;
}

struct edge *edges_path(struct edges_world *world, struct edge_end from, uint64_t to, uint32_t *out_count)
{
    struct edge_walk walk = {.world = world};
    struct edge *edges = NULL;
    uint32_t found = NO_UNIT;
    *out_count = 0;
    walk.failed = !list_add(&walk.reached,
                            (struct reached_unit){.unit = from.unit, .since = from.at, .before = NO_UNIT});
    for (uint32_t at = from.at; at < world->count && !walk.failed && found == NO_UNIT && spend_work(world);
         at++) {
        const struct sync_op *item = &world->items[at];
        if (is_barrier(item))
            reach_group(&walk, at);
        else if (item->kind == SYNC_OP_ATOMIC || item->kind == SYNC_OP_FENCE)
            reach_acquirer(&walk, item->by, at);
        found = reached_find(&walk, to);
    }
    if (found != NO_UNIT && !walk.failed)
        edges = path_to(&walk, found, out_count);
    list_fini(&walk.reached);
    return edges;
}
