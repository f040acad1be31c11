/* SPDX-License-Identifier: Apache-2.0 */
/* The reason and fix of a race, from the explanation or from the kind of the two accesses. */
#include "race_why.h"

#include <string.h>

#include "orrery/checked.h"
#include "sim/memmodel/explain/edges.h"
#include "sim/base/memory_words.h"

/* remediable: something is absent, and explain_fix may find what; message: explain_release_clock, before
 * that. copy: no unit waited for the first access. no_barrier: the second is a copy that began before all
 * work-items had arrived. no_fence: for images, within a work-item. compact_barrier: the site of one that
 * orders fewer than it would have to, 0: none; compact_regions: what it names. apart: one of the two may be
 * on the wrong side of something. */
struct reason {
    struct wording why, fix;
    bool remediable, apart, release_clock, copy, no_barrier, no_fence;
    uint32_t compact_barrier, compact_regions;
    uint32_t blamed[2], blamed_count;
};

static void cause(struct reason *reason, uint32_t site)
{
    if (site != UINT32_MAX)
        reason->blamed[reason->blamed_count++] = site;
}

static void barrier_lacks_flag(struct reason *reason, const struct races *races,
                               const struct barrier_seen *barrier, int space)
{
    const char *other = barrier->regions & REGION_LOCAL    ? "CLK_LOCAL_MEM_FENCE"
                        : barrier->regions & REGION_GLOBAL ? "CLK_GLOBAL_MEM_FENCE"
                        : barrier->regions & REGION_IMAGE  ? "CLK_IMAGE_MEM_FENCE"
                                                           : NULL;
    cause(reason, barrier->site);
    wording_add(&reason->why, "the barrier at ");
    wording_place(&reason->why, races->host, barrier->site);
    if (other)
        wording_add(&reason->why, " has %s only; these are %s accesses", other, wording_space_word(space));
    else
        wording_add(&reason->why, " has no flags: it orders no memory");
    wording_add(&reason->fix, other ? "%s | %s at " : "%s%s at ", other ? other : "",
                wording_region_flag(space));
    wording_place(&reason->fix, races->host, barrier->site);
}

static void too_compact(struct reason *reason, const struct races *races, const struct missed_edge *edge,
                        const struct unit_state *unit_state)
{
    uint64_t from = order_unit_group(races->order, edge->release_unit);
    const enum memory_scope acquires =
        order_scope(races->order, edge->acquire_scope, edge->local, edge->svm_atomics);
    bool same = edge->release_scope != acquires && from == unit_state->place.group;
    wording_add(&reason->why, "the release at ");
    wording_place(&reason->why, races->host, edge->release_site);
    wording_add(&reason->why, " has ");
    wording_scope(&reason->why, race_scope(races, edge->release_site, edge->release_scope),
                  edge->release_scope);
    if (!same && edge->release_scope == SCOPE_WORK_ITEM) {
        wording_add(&reason->why, ": it reaches no other work-item, and the acquire at ");
    } else if (!same && edge->release_scope <= SCOPE_WORK_GROUP) {
        wording_add(&reason->why, ": it reaches ");
        if (edge->release_scope == SCOPE_SUB_GROUP)
            wording_add(&reason->why, "its sub-group of ");
        wording_group(&reason->why, races->launch, from);
        wording_add(&reason->why, " only, and the acquire at ");
    } else {
        wording_add(&reason->why, ", and the acquire at ");
    }
    wording_place(&reason->why, races->host, edge->acquire_site);
    wording_add(&reason->why, " that read its value ");
    if (!same && edge->release_scope <= SCOPE_WORK_GROUP && from != unit_state->place.group) {
        wording_add(&reason->why, "is in ");
        wording_group(&reason->why, races->launch, unit_state->place.group);
    } else {
        wording_add(&reason->why, "has ");
        wording_scope(&reason->why, edge->acquire_scope, acquires);
        wording_add(&reason->why,
                    edge->release_scope != acquires ? ": before OpenCL 3.1 the two must be the same" : "");
    }
    enum memory_scope wanted = from == unit_state->place.group ? SCOPE_WORK_GROUP : SCOPE_DEVICE;
    wording_add(&reason->fix, "%s at ", memory_scope_word(wanted));
    wording_place(&reason->fix, races->host, edge->release_site);
    wording_add(&reason->fix, " and ");
    wording_place(&reason->fix, races->host, edge->acquire_site);
}

static void say_apart_scopes(struct reason *reason, const struct races *races,
                             const struct access_context *earlier, const struct access_context *later)
{
    wording_add(&reason->why, "atomics race too when their scopes do not include each other: ");
    wording_scope(&reason->why, race_scope(races, earlier->site, (enum memory_scope)earlier->scope),
                  (enum memory_scope)earlier->scope);
    wording_add(&reason->why, " and ");
    wording_scope(&reason->why, race_scope(races, later->site, (enum memory_scope)later->scope),
                  (enum memory_scope)later->scope);
}

static void other_region(struct reason *reason, const struct races *races, const struct missed_edge *edge,
                         int space)
{
    wording_add(&reason->why, "the release at ");
    wording_place(&reason->why, races->host, edge->release_site);
    wording_add(&reason->why, " and the acquire at ");
    wording_place(&reason->why, races->host, edge->acquire_site);
    wording_add(
        &reason->why,
        " meet at a flag in %s memory; the data is %s, and only fences with both flags on both sides order "
        "one region by the other (seq_cst alone does not)",
        edge->local ? "local" : "global", wording_space_word(space));
    wording_add(&reason->fix,
                "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, ...) on both sides, or a "
                "flag in %s memory",
                wording_space_word(space));
}

static void not_acquired(struct reason *reason, const struct races *races, const struct missed_edge *edge)
{
    wording_add(&reason->why, "the reader took the value released at ");
    wording_place(&reason->why, races->host, edge->release_site);
    wording_add(&reason->why, " with a relaxed operation, and no acquire fence followed");
    wording_add(&reason->fix,
                "memory_order_acquire for the atomic that reads the flag, or an acquire fence after it");
}

static bool is_plain(const struct races *races, uint32_t site)
{
    return strncmp(races->host->what(races->host->self, site), "atomic ", strlen("atomic ")) != 0;
}

/* The latest atomic operation there; NULL: none is remembered. */
static const struct sync_op *atomic_at(const struct races *races, uint32_t site)
{
    const struct sync_log *sync_log = races->order->sync_log;
    for (uint32_t i = sync_log->count; i-- > 0;)
        if (sync_log->items[i].kind == SYNC_OP_ATOMIC && sync_log->items[i].site == site)
            return &sync_log->items[i];
    return NULL;
}

/* What it has already is not part of the edit. */
static void acquire_too(struct reason *reason, const struct races *races, const struct missed_edge *edge,
                        enum memory_scope scope)
{
    const struct sync_op *load = atomic_at(races, edge->acquire_site);
    const bool acquires = load && (load->order == ORDER_ACQUIRE || load->order >= ORDER_ACQ_REL);
    if (acquires && edge->acquire_scope == scope)
        return;
    wording_add(&reason->fix, acquires ? ", and %s%s at " : ", and %s, %s at ",
                acquires ? "" : "memory_order_acquire", memory_scope_word(scope));
    wording_place(&reason->fix, races->host, edge->acquire_site);
}

static void not_released(struct reason *reason, const struct races *races, const struct missed_edge *edge,
                         const struct unit_state *unit_state, int space)
{
    const bool same_group = order_unit_group(races->order, edge->release_unit) == unit_state->place.group,
               plain = is_plain(races, edge->release_site);
    const enum memory_scope least = same_group ? SCOPE_WORK_GROUP : SCOPE_DEVICE,
                            wanted = edge->acquire_scope > least ? edge->acquire_scope : least;
    const char *scope = memory_scope_word(wanted); /* others may need the scope that the load has */
    wording_add(&reason->why, "the store at ");
    wording_place(&reason->why, races->host, edge->release_site);
    wording_add(&reason->why,
                plain ? " is plain: it races with the atomic that read it, and releases nothing"
                      : " is relaxed: what was written before it does not become visible with it");
    if (edge->local != (space == IN_LOCAL)) {
        wording_add(&reason->why,
                    "; it is in %s memory, the data is %s, so that only fences with both flags on both sides "
                    "would do",
                    edge->local ? "local" : "global", wording_space_word(space));
        wording_add(&reason->fix,
                    "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, "
                    "memory_order_release, %s) before ",
                    scope);
        wording_place(&reason->fix, races->host, edge->release_site);
        wording_add(&reason->fix, ", and the same with memory_order_acquire after ");
        wording_place(&reason->fix, races->host, edge->acquire_site);
        wording_add(&reason->fix, ", with %s for both atomics, or a flag in %s memory", scope,
                    wording_space_word(space));
        return;
    }
    wording_add(&reason->fix, "%smemory_order_release, %s at ", plain ? "atomic_store_explicit with " : "",
                scope);
    wording_place(&reason->fix, races->host, edge->release_site);
    acquire_too(reason, races, edge, wanted);
}

static void explain_edge(struct reason *reason, const struct races *races, const struct missed_edge *edge,
                         const struct unit_state *unit_state, int space)
{
    cause(reason, edge->release_site);
    cause(reason, edge->acquire_site);
    switch (edge->why) {
    case MISSED_SCOPE: too_compact(reason, races, edge, unit_state); break;
    case MISSED_REGION: other_region(reason, races, edge, space); break;
    case MISSED_ACQUIRE: not_acquired(reason, races, edge); break;
    default: not_released(reason, races, edge, unit_state, space); break;
    }
}

/* A wait stands between the copy and the other access, and does not wait for the copy, or not for that of
 * each work-item. */
static bool waited_for_otherwise(struct reason *reason, const struct races *races, uint32_t copy,
                                 uint32_t other)
{
    const struct checker_host *host = races->host;
    struct code_place place;
    if (!host->between || !host->between(host->self, copy, other, &place) || !place.before ||
        place.first != 0 || strcmp(host->what(host->self, place.site), "wait_group_events") != 0)
        return false;
    const bool partly = host->uniform && !host->uniform(host->self, copy);
    wording_add(&reason->why, "the copy at ");
    wording_place(&reason->why, host, copy);
    wording_add(&reason->why, " was not waited for before the other access: wait_group_events at ");
    wording_place(&reason->why, host, place.site);
    wording_add(&reason->why, partly ? " waits for it in some work-items only" : " does not wait for it");
    wording_add(&reason->fix, partly ? "the copy at " : "the event of the copy at ");
    wording_place(&reason->fix, host, copy);
    wording_add(
        &reason->fix,
        partly ? " outside of the branch: every work-item of the work-group makes it and waits for its event"
               : " among those that wait_group_events at ");
    if (!partly) {
        wording_place(&reason->fix, host, place.site);
        wording_add(&reason->fix, " waits for");
    }
    return true;
}

static void explain_copy(struct reason *reason, const struct races *races, const struct race *race,
                         const struct unit_state *unit_state, uint32_t now_site)
{
    struct code_place place;
    const bool second = unit_state->copy != NULL;
    const bool early =
        second && races->host->between &&
        races->host->between(races->host->self, race->context->site, unit_state->copy->site, &place) &&
        /* a faster work-item used the bytes before the others had called */
        place.before && place.first == 1;
    const bool now = second && !early;
    const bool both = second && race->unit >= UNIT_COPIES;
    if (waited_for_otherwise(reason, races, second ? unit_state->copy->site : race->context->site,
                             second ? race->context->site : now_site))
        return;
    reason->copy = !second || both;
    reason->no_barrier = now && !both;
    if (both) {
        wording_add(&reason->why, "the copy at ");
        wording_place(&reason->why, races->host, race->context->site);
        wording_add(&reason->why, " was not waited for before the copy at ");
        wording_place(&reason->why, races->host, unit_state->copy->site);
        wording_add(&reason->why, ", and copies are ordered by wait_group_events only");
        wording_add(&reason->fix, "wait_group_events before ");
        wording_place(&reason->fix, races->host, unit_state->copy->site);
        return;
    }
    uint32_t site = second ? unit_state->copy->site : race->context->site;
    wording_add(&reason->why, "the copy at ");
    wording_place(&reason->why, races->host, site);
    wording_add(&reason->why, now ? " may begin before the other access is done: it comes only after what a "
                                    "barrier before it orders"
                                  : " was not waited for before the other access");
    if (early) {
        wording_add(&reason->fix, "wait_group_events before ");
        wording_line(&reason->fix, races->host, place.site, place.line);
        return;
    }
    wording_add(&reason->fix,
                now ? "a barrier with %s before the copy"
                    : "wait_group_events, then a barrier, before the bytes are used",
                wording_region_flag(race->region->space));
}

static bool passed_barrier(const struct sync_log *sync_log, uint64_t group)
{
    for (uint32_t i = 0; i < sync_log->count; i++) {
        if (sync_log->items[i].kind == SYNC_OP_BARRIER && sync_log->items[i].by == group)
            return true;
    }
    return false;
}

static bool one_passed_a_barrier(const struct races *races, const struct race *race,
                                 const struct unit_state *unit_state)
{
    const struct sync_log *sync_log = races->order->sync_log;
    return passed_barrier(sync_log, order_unit_group(races->order, race->unit)) ||
           passed_barrier(sync_log, unit_state->place.group);
}

bool race_same_place(const struct races *races, uint32_t a, uint32_t b)
{
    struct source_place x, y;
    if (a == b)
        return true;
    races->host->place(races->host->self, a, &x);
    races->host->place(races->host->self, b, &y);
    return x.line && x.line == y.line && x.column == y.column &&
           (x.file == y.file || (x.file && y.file && strcmp(x.file, y.file) == 0));
}

/* Reduce, scan, broadcast and their like exchange values, and order no memory. */
static bool parted_by_collective(const struct races *races, const struct race *race,
                                 const struct shadow_access *now, uint32_t *out_site)
{
    const struct checker_host *host = races->host;
    return host->collective && host->collective(host->self, race->context->site, now->how.site, out_site) &&
           (strncmp(host->what(host->self, *out_site), "sub_", 4) != 0 ||
            order_unit_sub_group(races->order, race->unit) == now->unit_state->place.sub_group);
}

static bool arrives(const struct races *races, const struct sync_op *sync_op, uint64_t unit)
{
    const uint64_t local = unit % races->order->group_items, first = sync_op->number;
    return sync_op->kind == SYNC_OP_PARTIAL_ARRIVAL && sync_op->by == order_unit_group(races->order, unit) &&
           local >= first && local < first + 64 && sync_op->address >> (local - first) & 1;
}

/* The latest barrier after the first access at which only one of the two waited, while others waited
 * elsewhere. */
static bool waited_apart(const struct races *races, const struct race *race,
                         const struct unit_state *unit_state, uint32_t *out_site)
{
    const struct sync_log *sync_log = races->order->sync_log;
    bool found = false, first = false, second = false;
    for (uint32_t i = 0; i < sync_log->count; i++) {
        const struct sync_op *sync_op = &sync_log->items[i];
        first |= arrives(races, sync_op, race->unit);
        second |= arrives(races, sync_op, unit_state->unit);
        if (sync_op->kind != SYNC_OP_PARTIAL_BARRIER || sync_op->by != unit_state->place.group)
            continue;
        if (first != second && sync_op->clock > race->context->clock) {
            *out_site = sync_op->site;
            found = true;
        }
        first = second = false;
    }
    return found;
}

/* By atomics: what one of the two should have come before or after may be among them. */
static bool some_synchronise(const struct races *races)
{
    const struct sync_log *sync_log = races->order->sync_log;
    for (uint32_t i = 0; i < sync_log->count && !sync_log->full; i++)
        if (sync_log->items[i].kind == SYNC_OP_ATOMIC)
            return true;
    return false;
}

static bool all_reach(const struct races *races, uint32_t a, uint32_t b)
{
    const struct checker_host *host = races->host;
    return !host->uniform || (host->uniform(host->self, a) && host->uniform(host->self, b));
}

static void explain_apart(struct reason *reason, const struct races *races, const struct race *race,
                          const struct shadow_access *now, bool same_group)
{
    const struct unit_state *unit_state = now->unit_state;
    const char *flag = wording_region_flag(race->region->space);
    uint32_t collective, barrier;
    const bool images = race->region->space == IN_IMAGE;
    reason->remediable = true;
    reason->apart = reason->release_clock = !same_group && !images;
    if (!same_group && images) {
        wording_add(&reason->why, "nothing within a kernel orders what two work-groups do to one image");
        wording_add(&reason->fix, "let each texel belong to one work-group, or split the kernel in two");
    } else if (!same_group && one_passed_a_barrier(races, race, unit_state)) {
        wording_add(&reason->why, "work_group_barrier never orders different work-groups, and no atomic "
                                  "carries the order from one to the other");
        wording_add(&reason->fix,
                    "two kernels, or a release and an acquire with memory_scope_device on an atomic flag");
    } else if (!same_group) {
        wording_add(&reason->why, "the two work-groups do not synchronise with each other");
        wording_add(&reason->fix,
                    "let each byte belong to one work-item, use atomics, or split the kernel in two");
    } else if (parted_by_collective(races, race, now, &collective)) {
        wording_add(&reason->why, "%s", races->host->what(races->host->self, collective));
        /* otherwise the line of that is not known */
        if (!race_same_place(races, collective, race->context->site) &&
            !race_same_place(races, collective, now->how.site)) {
            wording_add(&reason->why, " at ");
            wording_place(&reason->why, races->host, collective);
        }
        wording_add(&reason->why,
                    " comes between the two accesses, but it is no barrier: such functions order no memory");
        wording_add(&reason->fix,
                    "work_group_barrier(%s) beside it, or let each byte belong to one work-item", flag);
    } else if (waited_apart(races, race, unit_state, &barrier)) {
        wording_add(&reason->why, "the barrier at ");
        wording_place(&reason->why, races->host, barrier);
        wording_add(&reason->why,
                    " orders the work-items that wait at it, and one of the two was not among them");
        wording_add(&reason->fix, "one work_group_barrier(%s) for all of the work-group, outside the branch",
                    flag);
    } else {
        reason->apart = !images && some_synchronise(races);
        wording_add(&reason->why,
                    "no barrier, fence or atomic lies between the two accesses that orders %s memory",
                    wording_space_word(race->region->space));
        wording_add(&reason->fix,
                    "work_group_barrier(%s) between them%s, or let each %s belong to one work-item", flag,
                    all_reach(races, race->context->site, now->how.site)
                        ? ""
                        : ", where all work-items of the work-group reach it",
                    images ? "texel" : "byte");
    }
}

/* The history is full: which operation should have ordered them cannot be reported any more. */
static void explain_lost(struct reason *reason, bool same_group, int space)
{
    wording_add(
        &reason->why,
        "nothing that the second work-item acquired was released by the first after its access to %s memory",
        wording_space_word(space));
    wording_add(
        &reason->fix,
        "a release after the first access and an acquire before the second, of one atomic object and with %s",
        memory_scope_word(same_group ? SCOPE_WORK_GROUP : SCOPE_DEVICE));
}

static void compact(struct reason *reason, const struct barrier_seen *barrier)
{
    reason->compact_barrier = barrier->site;
    reason->compact_regions = barrier->regions;
}

/* Not a barrier after both accesses or before both, at which only one of the two has waited by now. */
static bool may_part(const struct races *races, const struct race *race, const struct shadow_access *now,
                     uint32_t barrier)
{
    const struct checker_host *host = races->host;
    const uint32_t first = race->context->site, second = now->how.site;
    return !host->precedes ||
           !((host->precedes(host->self, first, barrier) && host->precedes(host->self, second, barrier)) ||
             (host->precedes(host->self, barrier, first) && host->precedes(host->self, barrier, second)));
}

/* Instead of the barrier, whose flags it keeps. */
static void say_work_group_barrier(struct reason *reason, const struct races *races,
                                   const struct barrier_seen *barrier, int space)
{
    wording_add(&reason->fix, "work_group_barrier(");
    wording_regions(&reason->fix, barrier->regions | 1u << space);
    wording_add(&reason->fix, ") at ");
    wording_place(&reason->fix, races->host, barrier->site);
    wording_add(&reason->fix, ", if all of the work-group reach it");
}

static void between_sub_groups(struct reason *reason, const struct races *races,
                               const struct barrier_seen *barrier, int space)
{
    compact(reason, barrier);
    wording_add(&reason->why, "the sub-group barrier at ");
    wording_place(&reason->why, races->host, barrier->site);
    wording_add(&reason->why, " orders the work-items of one sub-group; these are in two");
    say_work_group_barrier(reason, races, barrier, space);
}

static void beside_named(struct reason *reason, const struct races *races, const struct barrier_seen *barrier,
                         int space)
{
    compact(reason, barrier);
    wording_add(&reason->why, "the named barrier at ");
    wording_place(&reason->why, races->host, barrier->site);
    wording_add(&reason->why, " orders the sub-groups that wait at it together; these two did not");
    wording_add(&reason->fix, "let both sub-groups wait at one named barrier, or ");
    say_work_group_barrier(reason, races, barrier, space);
}

static void explain_image(struct reason *reason, bool sampled)
{
    if (sampled) {
        wording_add(&reason->why, "a read with a sampler does not see what the same kernel writes to the "
                                  "image, and no fence or barrier helps");
        wording_add(&reason->fix,
                    "another kernel for the reads, or a read_write image read without a sampler");
        return;
    }
    reason->no_fence = true;
    wording_add(&reason->why, "a work-item sees what it wrote to an image only after a fence for images, and "
                              "there is none between the two");
    wording_add(&reason->fix, "atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, "
                              "memory_scope_work_item) between them");
}

/* A sub-group barrier that the first one's sub-group has passed since, or that stands between the two in the
 * code: in a loop it may stand before both. */
static bool was_passed(const struct races *races, const struct race *race, const struct shadow_access *now,
                       const struct barrier_seen *barrier)
{
    const struct checker_host *host = races->host;
    const struct group_order *group = now->unit_state->group;
    return (host->precedes && host->precedes(host->self, race->context->site, barrier->site) &&
            host->precedes(host->self, barrier->site, now->how.site)) ||
           !group->sub_groups ||
           race->context->clock < group->sub_groups[order_unit_sub_group(races->order, race->unit)].slice;
}

/* Fences and atomics order no images (R34), and an atomic store lacks no release where it races itself. */
static bool missed(const struct races *races, const struct race *race, const struct unit_state *unit_state,
                   struct missed_edge *out_edge)
{
    return race->region->space != IN_IMAGE &&
           order_explain(races->order, unit_state, race->region->space, race->unit, race->context->clock,
                         out_edge) &&
           !(out_edge->why == MISSED_RELEASE && out_edge->release_site == race->context->site &&
             race->context->kind > ACCESS_WRITE);
}

static void explain(struct reason *reason, const struct races *races, const struct race *race,
                    const struct shadow_access *now)
{
    const struct unit_state *unit_state = now->unit_state;
    struct missed_edge edge;
    bool same_group = order_unit_group(races->order, race->unit) == unit_state->place.group;
    if (race->device_dirty) {
        explain_image(reason, now->sampled);
        return;
    }
    if (same_group && (race->unit >= UNIT_COPIES || unit_state->copy)) {
        explain_copy(reason, races, race, unit_state, now->how.site);
        return;
    }
    const struct barrier_seen *barrier = same_group && unit_state->group &&
                                                 race->context->clock < unit_state->group->barrier.clock &&
                                                 may_part(races, race, now, unit_state->group->barrier.site)
                                             ? &unit_state->group->barrier
                                             : NULL;
    const bool lacks_flag = barrier && !(barrier->regions >> race->region->space & 1);
    /* otherwise the unit that waited there is known */
    if (lacks_flag && !barrier->sub_group && (!barrier->named || races->order->sync_log->full)) {
        barrier_lacks_flag(reason, races, barrier, race->region->space);
    } else if (barrier && barrier->sub_group &&
               order_unit_sub_group(races->order, race->unit) != unit_state->place.sub_group &&
               was_passed(races, race, now, barrier)) {
        between_sub_groups(reason, races, barrier, race->region->space);
    } else if (barrier && barrier->named) {
        beside_named(reason, races, barrier, race->region->space);
    } else if (missed(races, race, unit_state, &edge)) {
        explain_edge(reason, races, &edge, unit_state, race->region->space);
    } else if (race->context->kind >= ACCESS_ATOMIC_READ && now->how.kind >= ACCESS_ATOMIC_READ) {
        cause(reason, race->context->site);
        cause(reason, now->how.site);
        if (race->context->size != now->how.size)
            wording_add(&reason->why,
                        "the two atomics have different sizes: they are no operations on one atomic object");
        else
            say_apart_scopes(reason, races, race->context, &now->how);
        wording_add(&reason->fix, race->context->size != now->how.size
                                      ? "one type for one atomic object"
                                      : "the same scope for both, one that holds both work-items");
    } else if (race->context->kind >= ACCESS_ATOMIC_READ || now->how.kind >= ACCESS_ATOMIC_READ) {
        reason->remediable = true;
        wording_add(&reason->why, "one access is atomic, the other is plain, and nothing orders them");
        wording_add(&reason->fix, "make both accesses atomic, or order them by a barrier");
    } else if (races->order->sync_log->full && unit_state->item) {
        explain_lost(reason, same_group, race->region->space);
    } else {
        explain_apart(reason, races, race, now, same_group);
    }
}

struct racing_access race_asked(uint64_t unit, const struct access_context *how)
{
    return (struct racing_access){.unit = unit,
                                  .clock = how->clock,
                                  .site = how->site,
                                  .size = how->size,
                                  .atomic = how->kind >= ACCESS_ATOMIC_READ,
                                  .writes = how->kind != ACCESS_READ && how->kind != ACCESS_ATOMIC_READ,
                                  .scope = (enum memory_scope)how->scope};
}

static bool writes_differ(const struct finding *finding)
{
    const struct finding_access *a = &finding->access[0], *b = &finding->access[1];
    return a->kind == ACCESS_WRITE && b->kind == ACCESS_WRITE && a->has_value && b->has_value &&
           a->value != b->value;
}

struct question race_question(const struct races *races, const struct race_pair *pair)
{
    return (struct question){.sync_log = races->order->sync_log,
                             .launch = races->launch,
                             .host = races->host,
                             .rule = races->order->rule,
                             .region = pair->counter.space,
                             .svm_atomics = pair->svm_atomics,
                             .device_dirty = pair->counter.device_dirty,
                             .differs = writes_differ(&pair->finding),
                             .instances = pair->instances,
                             .locks = &races->locks,
                             .instance_count = pair->instance_count,
                             .one_wave = pair->one_wave,
                             .spent = races->explaining,
                             .most = races->answer_most};
}

/* Waits for the copy that is the first access, or before the one that is the second. */
static bool waits(const struct reason *reason, const struct question *question, struct wording *fix,
                  struct suggested_fix *suggested_fix)
{
    const bool found = reason->no_barrier ? explain_barrier_before(question, fix)
                                          : reason->copy && explain_wait(question, fix);
    suggested_fix->kind = found ? FIX_WAIT : FIX_NONE;
    return found;
}

static void take_proposal(struct answer *answer, const struct proposal *proposal)
{
    answer->fix = proposal->fix;
    answer->rewrite_count = proposal->rewrite_count;
    memcpy(answer->rewrites, proposal->rewrites, sizeof answer->rewrites);
}

static bool fix_by(const struct question *question, struct answer *answer,
                   struct suggested_fix *suggested_fix)
{
    struct proposal proposal;
    const bool found = explain_fix(question, &proposal, suggested_fix);
    if (found)
        take_proposal(answer, &proposal);
    return found;
}

static bool fix_of(struct reason *reason, const struct question *question, struct answer *answer,
                   struct suggested_fix *suggested_fix)
{
    struct wording why, *fix = &answer->fix;
    if (reason->release_clock && explain_release_clock(question, &why, fix, suggested_fix)) {
        answer->why = why;
        reason->fix = *fix;
        reason->remediable = false;
        return suggested_fix->kind != FIX_NONE;
    }
    if (reason->compact_barrier &&
        explain_barrier_at(question, reason->compact_barrier, reason->compact_regions, fix, suggested_fix))
        return true;
    if (reason->remediable || reason->compact_barrier)
        return fix_by(question, answer, suggested_fix);
    return reason->no_fence ? explain_image_fence(question, fix)
                            : waits(reason, question, fix, suggested_fix);
}

/* One access is atomic, and the edit orders some of those that met at once: to make the other atomic, too,
 * may serve them all. */
static void agree_instead(const struct question *question, struct answer *answer,
                          struct suggested_fix *suggested_fix)
{
    struct proposal proposal;
    if (answer->covers_all || question->instances->first.atomic == question->instances->second.atomic ||
        !explain_fix(question, &proposal, suggested_fix))
        return;
    answer->why = answer->fix = (struct wording){.used = 0};
    wording_add(&answer->why, "one access is atomic, the other is plain, and nothing orders them");
    take_proposal(answer, &proposal);
    answer->tried_edit_count = answer->step_count = answer->edge_count = 0;
}

/* Two edits of atomics would do, and so does one barrier of the work-group where a sub-group waits. */
static void barrier_instead(const struct races *races, const struct race *race,
                            const struct shadow_access *now, const struct question *question,
                            struct answer *answer, struct suggested_fix *suggested_fix)
{
    struct reason reason = {.remediable = false};
    struct proposal proposal = {.rewrite_count = 0};
    if (answer->tried_edit_count < 2)
        return;
    explain(&reason, races, race, now);
    if (!reason.compact_barrier ||
        !(explain_barrier_at(question, reason.compact_barrier, reason.compact_regions, &proposal.fix,
                             suggested_fix) ||
          (explain_fix(question, &proposal, suggested_fix) && suggested_fix->kind == FIX_BARRIER))) {
        suggested_fix->kind = FIX_NONE;
        return;
    }
    answer->why = reason.why;
    take_proposal(answer, &proposal);
    answer->tried_edit_count = answer->step_count = answer->edge_count = 0;
}

/* A barrier makes good for the flag's race, too, and for what others would announce by it. */
bool race_takes_barrier(const struct race_pair *pair)
{
    return pair->suggested_fix.kind == FIX_BARRIER || pair->suggested_fix.kind == FIX_ITERATION ||
           pair->suggested_fix.kind == FIX_NEXT_ITERATION || pair->suggested_fix.kind == FIX_ITERATIONS ||
           pair->suggested_fix.kind == FIX_RELEASE_CLOCK;
}

/* A loop that waits for a value, and the store after it: it takes a lock, and hands nothing over. */
static bool waits_and_writes(const struct races *races, const struct question *question)
{
    const struct racing_access *first = &question->instances->first, *second = &question->instances->second;
    const struct checker_host *host = races->host;
    return first->writes != second->writes && host->spins_on &&
           host->spins_on(host->self, first->writes ? second->site : first->site,
                          first->writes ? first->site : second->site);
}

/* A race on memory that is guarded by a flag that is no atomic object is fixed at the flag. */
static bool follows_from_flag(const struct races *races, struct race_pair *pair,
                              const struct question *question, struct reason *reason, struct answer *answer)
{
    struct wording why, fix;
    if (!races->flag_reads.count || pair->counter.device_dirty ||
        (answer->rewrite_count && waits_and_writes(races, question)) || !pair->instance_count ||
        race_takes_barrier(pair) || !explain_flag(question, &races->flag_reads, &pair->flag, &why, &fix))
        return false;
    pair->follows = true;
    pair->suggested_fix.kind = FIX_NONE;
    answer->rewrite_count = 0;
    answer->why = why;
    answer->fix = fix;
    reason->blamed_count = 0;
    cause(reason, pair->flag.store);
    cause(reason, pair->flag.load);
    return true;
}

/* OpenCL C 1.x has barrier() only, and no orders and scopes. */
static void word_for_language(const struct races *races, struct answer *answer)
{
    static const char *const newer[] = {"memory_order_", "memory_scope_", "atomic_work_item_fence",
                                        "_explicit"};
    const uint32_t version = races->host->opencl_c ? races->host->opencl_c(races->host->self) : 0;
    bool needs = false;
    if (!version || version >= 200)
        return;
    wording_put(&answer->why, "work_group_barrier", "barrier");
    wording_put(&answer->fix, "work_group_barrier", "barrier");
    for (size_t i = 0; i < sizeof newer / sizeof newer[0]; i++)
        needs |= strstr(answer->fix.bytes, newer[i]) != NULL;
    answer->fix.partial |= needs;
    if (needs)
        wording_add(&answer->fix, ", which needs -cl-std=CL2.0 or later");
}

static void put_aside(struct race_pair *pair, struct answer *answer, const struct wording *why,
                      const struct wording *fix)
{
    pair->apart = false;
    pair->suggested_fix.kind = FIX_NONE;
    answer->rewrite_count = 0;
    answer->why = *why;
    answer->fix = *fix;
}

/* Instead of what is no edit of one kernel; or of atomic accesses, which are enough for all, if it is,
 * too. */
static bool puts_aside(struct races *races, struct race_pair *pair, const struct question *question,
                       struct answer *answer)
{
    struct wording why, fix;
    pair->apart = !explain_side(question, &races->explaining, &pair->side, &why, &fix);
    if (pair->apart)
        return false;
    if (pair->suggested_fix.kind == FIX_ATOMIC && !explain_side_covers(question, &pair->side)) {
        pair->side.operation = NO_END;
        return false;
    }
    put_aside(pair, answer, &why, &fix);
    return true;
}

/* When all has happened that may. */
static bool waits_aside(struct races *races, struct race_pair *pair, const struct question *question,
                        struct answer *answer)
{
    struct wording why, fix;
    if (pair->suggested_fix.kind == FIX_ATOMIC || pair->counter.space == IN_IMAGE ||
        !explain_early_read(question, &races->explaining, &pair->side, &why, &fix))
        return false;
    put_aside(pair, answer, &why, &fix);
    return true;
}

bool race_why_later(struct answer *answer, struct races *races, struct race_pair *pair)
{
    const struct question question = race_question(races, pair);
    if (!pair->instance_count ||
        !(puts_aside(races, pair, &question, answer) || waits_aside(races, pair, &question, answer)))
        return false;
    word_for_language(races, answer);
    return true;
}

/* The text of the changes that the words propose, if there is one and it compiles. False: there is none. */
static bool edit_changes(struct answer *answer, const struct races *races)
{
    const struct checker_host *host = races->host;
    const struct wording *fix = &answer->fix;
    struct code_rewrite *rewrite = &answer->rewrites[0];
    bool fine = fix->change_count && !fix->partial && host->change && host->builds;
    *rewrite = (struct code_rewrite){.edit_count = 0};
    for (uint32_t i = 0; i < fix->change_count && fine; i++)
        fine = host->change(host->self, &fix->changes[i], rewrite);
    return fine &&
           host->builds(host->self, fix->changes[0].site, rewrite->edits, rewrite->edit_count) == BUILDS;
}

/* All edits are of one file, in which the accesses of an update are, too. */
void race_why_edits(struct answer *answer, const struct races *races, struct finding *finding)
{
    finding->edit_count = 0;
    finding->edits = answer->edits;
    if (report_scenario(races->report)->fixes == FIXES_OFF)
        return; /* nothing was compiled */
    struct source_place place = finding->access[0].place;
    if (!answer->rewrite_count && edit_changes(answer, races)) {
        answer->rewrite_count = 1;
        races->host->place(races->host->self, answer->fix.changes[0].site, &place);
    }
    for (uint32_t i = 0; i < answer->rewrite_count; i++) {
        for (uint32_t k = 0; k < answer->rewrites[i].edit_count; k++) {
            const struct code_edit *edit = &answer->rewrites[i].edits[k];
            CHECKED(finding->edit_count < sizeof answer->edits / sizeof *answer->edits);
            answer->edits[finding->edit_count++] = (struct finding_edit){
                place.file, edit->line, edit->column, edit->end_line, edit->end_column, edit->text};
        }
    }
}

static void fill_finding(struct answer *answer, const struct races *races, struct race_pair *pair,
                         struct reason *reason, struct finding *finding)
{
    word_for_language(races, answer);
    finding->why = answer->why.bytes;
    finding->fix = answer->fix.bytes;
    race_why_edits(answer, races, finding);
    finding->step_count = answer->step_count;
    finding->steps = answer->steps;
    for (uint32_t i = 0; i < answer->step_count; i++) {
        if (answer->steps[i].side > 1)
            race_item(races, answer->step_unit[i], &answer->steps[i].item);
    }
    finding->edge_count = answer->edge_count;
    finding->edges = answer->edges;
    for (uint32_t i = 0; i < answer->tried_edit_count; i++)
        cause(reason, answer->tried_edits[i].site);
    finding->blamed_count = reason->blamed_count;
    for (uint32_t i = 0; i < reason->blamed_count; i++)
        races->host->place(races->host->self, reason->blamed[i], &finding->blamed[i]);
    pair->tried_edit_count = answer->tried_edit_count;
    memcpy(pair->tried_edits, answer->tried_edits, sizeof pair->tried_edits);
}

/* The edit is for two of one work-group: others that meet in the same two places may be of two. */
static bool is_of_one_group(const struct question *question)
{
    const struct launch_info *launch = question->launch;
    const uint64_t *count = launch->group_count, first = question->instances->first.unit,
                   second = question->instances->second.unit;
    return question->region != IN_LOCAL && count[0] * count[1] * count[2] > 1 && first < UNIT_COPIES &&
           second < UNIT_COPIES &&
           edges_unit_place(launch, first).group == edges_unit_place(launch, second).group;
}

bool race_why_all(struct answer *answer, struct races *races, struct race_pair *pair, struct finding *finding)
{
    const struct question question = race_question(races, pair);
    struct reason reason = {.remediable = false};
    if (pair->instance_count <= 1 || explain_covers(&question, pair->tried_edits, pair->tried_edit_count))
        return false;
    const bool found = explain_race(&question, answer) && answer->covers_all;
    races->explaining = answer->spent > races->explaining ? answer->spent : races->explaining;
    if (found)
        fill_finding(answer, races, pair, &reason, finding);
    return found;
}

/* The edit that was tried; without one the reason that the order itself keeps. */
void race_why(struct answer *answer, struct races *races, struct race_pair *pair, const struct race *race,
              const struct shadow_access *now)
{
    struct finding *finding = &pair->finding;
    struct reason reason = {.remediable = false};
    const struct question question = race_question(races, pair);
    *answer = (struct answer){.step_count = 0};
    finding->fix_orders =
        !(race->device_dirty && now->sampled) && pair->instance_count && explain_race(&question, answer);
    races->explaining = answer->spent > races->explaining ? answer->spent : races->explaining;
    if (finding->fix_orders) {
        agree_instead(&question, answer, &pair->suggested_fix);
        barrier_instead(races, race, now, &question, answer, &pair->suggested_fix);
    } else {
        explain(&reason, races, race, now);
        answer->why = reason.why;
        finding->fix_orders =
            pair->instance_count && fix_of(&reason, &question, answer, &pair->suggested_fix);
        finding->fix_orders |= follows_from_flag(races, pair, &question, &reason, answer);
        if (reason.apart && pair->instance_count && !pair->follows &&
            (!finding->fix_orders || pair->suggested_fix.kind == FIX_SPLIT ||
             pair->suggested_fix.kind == FIX_ATOMIC))
            finding->fix_orders |= puts_aside(races, pair, &question, answer);
        if (!finding->fix_orders && !(reason.remediable && pair->instance_count &&
                                      (explain_flag_advice(&question, &races->flag_reads, &answer->fix) ||
                                       explain_advice(&question, &answer->fix))))
            answer->fix = reason.fix;
    }
    fill_finding(answer, races, pair, &reason, finding);
    pair->compact = pair->tried_edit_count && is_of_one_group(&question);
}
