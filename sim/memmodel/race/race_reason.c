/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reasons why nothing orders two accesses, from specific to general: each function of the list at the end
 * recognises one, from the order that the launch has recorded, and writes its sentence. The first that does
 * so ends the search; the last one always does.
 */
#include "race_reason.h"

#include <string.h>

#include "race_why.h"
#include "sim/base/memory_words.h"
#include "sim/memmodel/explain/edges.h"

/* ---- images ------------------------------------------------------------------------------------ */

/* A work-item reads an image that it has written. */
static bool by_image_write(struct race_reason *reason, const struct racing_pair *pair)
{
    if (!pair->race->device_dirty)
        return false;
    if (pair->sampled) {
        wording_add(&reason->why, "a read with a sampler does not see what the same kernel writes to the "
                                  "image, and no fence or barrier helps");
        wording_add(&reason->fix,
                    "another kernel for the reads, or a read_write image read without a sampler");
        return true;
    }
    reason->searches = SEARCH_IMAGE_FENCE;
    wording_add(&reason->why, "a work-item sees what it wrote to an image only after a fence for images, and "
                              "there is none between the two");
    wording_add(&reason->fix, "atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, "
                              "memory_scope_work_item) between them");
    return true;
}

/* ---- barriers ---------------------------------------------------------------------------------- */

static bool precedes(const struct racing_pair *pair, uint32_t a, uint32_t b)
{
    return CODE_ASK(pair->host, precedes, a, b);
}

/* Is the barrier after both accesses, or before both? Then only one of the two work-items has waited at it by
 * now, and it is not the reason. */
static bool is_outside(const struct racing_pair *pair, uint32_t barrier)
{
    const uint32_t first = pair->first->site, second = pair->second->site;
    return (precedes(pair, first, barrier) && precedes(pair, second, barrier)) ||
           (precedes(pair, barrier, first) && precedes(pair, barrier, second));
}

/* The latest barrier that the work-group of both passed after the first access; NULL: none. */
static const struct barrier_seen *barrier_since(const struct racing_pair *pair)
{
    const struct group_order *group = pair->same_group ? pair->unit_state->group : NULL;
    const bool later = group && pair->first->clock < group->barrier.clock;
    return later && !is_outside(pair, group->barrier.site) ? &group->barrier : NULL;
}

/* Of a named barrier the log says who waited at it, unless it is full. */
static bool by_missing_flag(struct race_reason *reason, const struct racing_pair *pair)
{
    const struct barrier_seen *barrier = barrier_since(pair);
    const bool for_group = barrier && !barrier->sub_group && (!barrier->named || pair->order->sync_log->full);
    if (!for_group || (barrier->regions >> pair->space & 1))
        return false;
    const char *flag = barrier->regions & REGION_LOCAL    ? wording_region_flag(IN_LOCAL)
                       : barrier->regions & REGION_GLOBAL ? wording_region_flag(IN_GLOBAL)
                       : barrier->regions & REGION_IMAGE  ? wording_region_flag(IN_IMAGE)
                                                          : NULL;
    race_reason_blame(reason, barrier->site);
    wording_add(&reason->why, "the barrier at %s", AT(pair->host, barrier->site));
    if (flag)
        wording_add(&reason->why, " has %s only; these are %s accesses", flag, pair->space_word);
    else
        wording_add(&reason->why, " has no flags: it orders no memory");
    wording_add(&reason->fix, "%s%s%s at %s", flag ? flag : "", flag ? " | " : "", pair->region_flag,
                AT(pair->host, barrier->site));
    return true;
}

/* A barrier of the work-group in place of the narrow one, whose flags it keeps. */
static void fix_narrow_barrier(struct race_reason *reason, const struct racing_pair *pair,
                               const struct barrier_seen *barrier)
{
    reason->searches = SEARCH_WIDER_BARRIER;
    reason->narrow = (struct narrow_barrier){barrier->site, barrier->regions};
    wording_add(&reason->fix, "work_group_barrier(%s) at %s, if all of the work-group reach it",
                REGIONS(barrier->regions | 1u << pair->space), AT(pair->host, barrier->site));
}

/* Has the sub-group of the first access passed the barrier since, or does the barrier stand between the two
 * accesses in the code? In a loop it may stand before both. */
static bool sub_group_passed(const struct racing_pair *pair, const struct barrier_seen *barrier)
{
    const struct group_order *group = pair->unit_state->group;
    return (precedes(pair, pair->first->site, barrier->site) &&
            precedes(pair, barrier->site, pair->second->site)) ||
           !group->sub_groups ||
           pair->first->clock < group->sub_groups[order_unit_sub_group(pair->order, pair->race->unit)].slice;
}

static bool by_sub_group_barrier(struct race_reason *reason, const struct racing_pair *pair)
{
    const struct barrier_seen *barrier = barrier_since(pair);
    if (!barrier || !barrier->sub_group ||
        order_unit_sub_group(pair->order, pair->race->unit) == pair->unit_state->place.sub_group ||
        !sub_group_passed(pair, barrier))
        return false;
    wording_add(&reason->why,
                "the sub-group barrier at %s orders the work-items of one sub-group; these are in two",
                AT(pair->host, barrier->site));
    fix_narrow_barrier(reason, pair, barrier);
    return true;
}

static bool by_named_barrier(struct race_reason *reason, const struct racing_pair *pair)
{
    const struct barrier_seen *barrier = barrier_since(pair);
    if (!barrier || !barrier->named)
        return false;
    wording_add(&reason->why,
                "the named barrier at %s orders the sub-groups that wait at it together; these two did not",
                AT(pair->host, barrier->site));
    wording_add(&reason->fix, "let both sub-groups wait at one named barrier, or ");
    fix_narrow_barrier(reason, pair, barrier);
    return true;
}

/* ---- atomics ----------------------------------------------------------------------------------- */

static void say_scopes(struct race_reason *reason, const struct races *races, const struct access_context *a,
                       const struct access_context *b)
{
    const enum memory_scope first = (enum memory_scope)a->scope, second = (enum memory_scope)b->scope;
    wording_add(&reason->why, "atomics race too when their scopes do not include each other: %s and %s",
                SCOPE(race_scope(races, a->site, first), first),
                SCOPE(race_scope(races, b->site, second), second));
    wording_add(&reason->fix, "the same scope for both, one that holds both work-items");
}

static bool by_atomics(struct race_reason *reason, const struct racing_pair *pair)
{
    const struct access_context *first = pair->first, *second = pair->second;
    const bool atomic[2] = {first->kind >= ACCESS_ATOMIC_READ, second->kind >= ACCESS_ATOMIC_READ};
    if (!atomic[0] && !atomic[1])
        return false;
    if (atomic[0] != atomic[1]) {
        reason->searches = SEARCH_ADDITION;
        wording_add(&reason->why, "one access is atomic, the other is plain, and nothing orders them");
        wording_add(&reason->fix, "make both accesses atomic, or order them by a barrier");
        return true;
    }
    race_reason_blame(reason, first->site);
    race_reason_blame(reason, second->site);
    if (first->size == second->size) {
        say_scopes(reason, pair->races, first, second);
        return true;
    }
    wording_add(&reason->why,
                "the two atomics have different sizes: they are no operations on one atomic object");
    wording_add(&reason->fix, "one type for one atomic object");
    return true;
}

/* ---- nothing between the two -------------------------------------------------------------------- */

/* The log is full: which operation should have ordered the two cannot be found any more. */
static bool by_full_log(struct race_reason *reason, const struct racing_pair *pair)
{
    if (!pair->order->sync_log->full || !pair->unit_state->item)
        return false;
    wording_add(
        &reason->why,
        "nothing that the second work-item acquired was released by the first after its access to %s memory",
        pair->space_word);
    wording_add(
        &reason->fix,
        "a release after the first access and an acquire before the second, of one atomic object and with %s",
        memory_scope_word(pair->same_group ? SCOPE_WORK_GROUP : SCOPE_DEVICE));
    return true;
}

static bool passed_barrier(const struct sync_log *sync_log, uint64_t group)
{
    for (uint32_t i = 0; i < sync_log->count; i++)
        if (sync_log->items[i].kind == SYNC_OP_BARRIER && sync_log->items[i].by == group)
            return true;
    return false;
}

static bool by_two_groups(struct race_reason *reason, const struct racing_pair *pair)
{
    const struct sync_log *sync_log = pair->order->sync_log;
    if (pair->same_group)
        return false;
    reason->searches = SEARCH_ADDITION;
    if (pair->space == IN_IMAGE) {
        wording_add(&reason->why, "nothing within a kernel orders what two work-groups do to one image");
        wording_add(&reason->fix, "let each texel belong to one work-group, or split the kernel in two");
        return true;
    }
    reason->searches |= SEARCH_RELEASE_CLOCK | SEARCH_SIDE;
    if (passed_barrier(sync_log, order_unit_group(pair->order, pair->race->unit)) ||
        passed_barrier(sync_log, pair->unit_state->place.group)) {
        wording_add(&reason->why, "work_group_barrier never orders different work-groups, and no atomic "
                                  "carries the order from one to the other");
        wording_add(&reason->fix,
                    "two kernels, or a release and an acquire with memory_scope_device on an atomic flag");
    } else {
        wording_add(&reason->why, "the two work-groups do not synchronise with each other");
        wording_add(&reason->fix,
                    "let each byte belong to one work-item, use atomics, or split the kernel in two");
    }
    return true;
}

/* A reduction, scan, broadcast or their like between the two accesses: it exchanges values, and orders no
 * memory. One of a sub-group counts only if both work-items are in that sub-group. */
static bool by_collective(struct race_reason *reason, const struct racing_pair *pair)
{
    const struct checker_host *host = pair->host;
    const uint32_t first = pair->first->site, second = pair->second->site;
    uint32_t site;
    if (!CODE_ASK(host, collective, first, second, &site))
        return false;
    const char *name = host->what(host->self, site);
    if (strncmp(name, "sub_", 4) == 0 &&
        order_unit_sub_group(pair->order, pair->race->unit) != pair->unit_state->place.sub_group)
        return false;
    /* at the place of an access, the line of the function itself is not known */
    const bool has_place = !code_same_place(host, site, first) && !code_same_place(host, site, second);
    reason->searches = SEARCH_ADDITION;
    wording_add(&reason->why,
                "%s%s%s comes between the two accesses, but it is no barrier: such functions order no memory",
                name, has_place ? " at " : "", has_place ? AT(host, site) : "");
    wording_add(&reason->fix, "work_group_barrier(%s) beside it, or let each byte belong to one work-item",
                pair->region_flag);
    return true;
}

/* A log entry of work-items of one group that arrive at a barrier names 64 of them in a mask. */
static bool arrives(const struct order *order, const struct sync_op *sync_op, uint64_t unit)
{
    const uint64_t local = unit % order->group_items, first = sync_op->number;
    if (sync_op->kind != SYNC_OP_PARTIAL_ARRIVAL || sync_op->by != order_unit_group(order, unit))
        return false;
    return local >= first && local < first + 64 && sync_op->address >> (local - first) & 1;
}

/* The latest barrier after the first access at which only one of the two waited, while others waited
 * elsewhere. Entries of arrivals precede the entry of their barrier. */
static bool find_partial_barrier(const struct racing_pair *pair, uint32_t *out_site)
{
    const struct sync_log *sync_log = pair->order->sync_log;
    bool found = false, first = false, second = false;
    for (uint32_t i = 0; i < sync_log->count; i++) {
        const struct sync_op *sync_op = &sync_log->items[i];
        first |= arrives(pair->order, sync_op, pair->race->unit);
        second |= arrives(pair->order, sync_op, pair->unit_state->unit);
        if (sync_op->kind != SYNC_OP_PARTIAL_BARRIER || sync_op->by != pair->unit_state->place.group)
            continue;
        if (first != second && sync_op->clock > pair->first->clock) {
            *out_site = sync_op->site;
            found = true;
        }
        first = second = false;
    }
    return found;
}

static bool by_partial_barrier(struct race_reason *reason, const struct racing_pair *pair)
{
    uint32_t site;
    if (!find_partial_barrier(pair, &site))
        return false;
    reason->searches = SEARCH_ADDITION;
    wording_add(
        &reason->why,
        "the barrier at %s orders the work-items that wait at it, and one of the two was not among them",
        AT(pair->host, site));
    wording_add(&reason->fix, "one work_group_barrier(%s) for all of the work-group, outside the branch",
                pair->region_flag);
    return true;
}

/* Does the log have atomic operations? One of the two accesses may be on the wrong side of one. */
static bool has_atomics(const struct sync_log *sync_log)
{
    for (uint32_t i = 0; i < sync_log->count && !sync_log->full; i++)
        if (sync_log->items[i].kind == SYNC_OP_ATOMIC)
            return true;
    return false;
}

static bool all_reach(const struct checker_host *host, uint32_t a, uint32_t b)
{
    return !host->uniform || (host->uniform(host->self, a) && host->uniform(host->self, b));
}

static bool by_nothing(struct race_reason *reason, const struct racing_pair *pair)
{
    const bool image = pair->space == IN_IMAGE,
               reached = all_reach(pair->host, pair->first->site, pair->second->site);
    reason->searches = SEARCH_ADDITION;
    if (!image && has_atomics(pair->order->sync_log))
        reason->searches |= SEARCH_SIDE;
    wording_add(&reason->why,
                "no barrier, fence or atomic lies between the two accesses that orders %s memory",
                pair->space_word);
    wording_add(&reason->fix, "work_group_barrier(%s) between them%s, or let each %s belong to one work-item",
                pair->region_flag, reached ? "" : ", where all work-items of the work-group reach it",
                image ? "texel" : "byte");
    return true;
}

/* ---- the list ----------------------------------------------------------------------------------- */

void race_reason(struct race_reason *out_reason, const struct races *races, const struct race *race,
                 const struct shadow_access *now)
{
    static bool (*const reasons[])(struct race_reason *, const struct racing_pair *) = {
        by_image_write,   race_reason_copy, by_missing_flag,    by_sub_group_barrier,
        by_named_barrier, race_reason_edge, by_atomics,         by_full_log,
        by_two_groups,    by_collective,    by_partial_barrier, by_nothing};
    const int space = race->region->space;
    const struct racing_pair pair = {.races = races,
                                     .host = races->host,
                                     .order = races->order,
                                     .race = race,
                                     .sampled = now->sampled,
                                     .first = race->context,
                                     .second = &now->how,
                                     .unit_state = now->unit_state,
                                     .space = space,
                                     .space_word = wording_space_word(space),
                                     .region_flag = wording_region_flag(space),
                                     .same_group = order_unit_group(races->order, race->unit) ==
                                                   now->unit_state->place.group};
    *out_reason = (struct race_reason){.searches = 0};
    for (size_t i = 0; !reasons[i](out_reason, &pair); i++)
        ;
}
