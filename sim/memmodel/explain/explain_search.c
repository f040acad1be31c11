/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for the smallest edits that order the accesses. It lists the places of the log's operations,
 * the latest first, then the edits that each may get, in the order of enum edit_kind. It replays the log
 * with each edit, then with pairs, and keeps the edits that order most instances. The search stops when all
 * are ordered or the work is used up.
 */
#include <stdlib.h>

#include "edges.h"
#include "explain_state.h"
#include "orrery/checked.h"

/* The access follows the last entry whose clock value is not later than its segment's: each operation of a
 * unit begins a segment, and clock values never decrease in the log. Updates of one wave share a segment.
 * Some operations, such as the arrival at a copy, begin a segment and have no entry. */
uint32_t explain_locate(const struct sync_log *sync_log, const struct racing_access *access, uint32_t end)
{
    uint32_t at = access->clock <= 1 ? 0 : end;
    CHECKED(end <= sync_log->count);
    while (at > 0 && !(sync_log->items[at - 1].clock && sync_log->items[at - 1].clock <= access->clock))
        at--;
    return at;
}

static bool takes_part(const struct question *question, const struct sync_op *sync_op, uint64_t unit)
{
    const struct place place = edges_unit_place(question->launch, unit);
    if (is_fence(sync_op) || is_atomic(sync_op) || sync_op->kind == SYNC_OP_OVERWRITE)
        return sync_op->by == unit;
    if (sync_op->kind == SYNC_OP_SUB_GROUP_BARRIER)
        return sync_op->by == place.group && sync_op->number == place.sub_group;
    return sync_op->by == place.group && (is_barrier(sync_op) || sync_op->kind == SYNC_OP_GROUP_END);
}

uint32_t explain_next_of(const struct question *question, uint64_t unit, uint32_t at, uint32_t end)
{
    while (at < end && !takes_part(question, &question->sync_log->items[at], unit))
        at++;
    return at;
}

uint32_t explain_past_latest_of(const struct question *question, uint64_t unit, uint32_t end)
{
    while (end > 0 && !takes_part(question, &question->sync_log->items[end - 1], unit))
        end--;
    return end;
}

/* Is the entry an atomic or a store of the unit at that place? */
static bool is_access_at(const struct sync_op *sync_op, uint64_t unit, uint32_t site)
{
    return (is_atomic(sync_op) || sync_op->kind == SYNC_OP_OVERWRITE) && sync_op->by == unit &&
           sync_op->site == site;
}

/* The entries that are themselves accesses of the race: the first access is one if it ends its segment, the
 * second if it is its unit's last operation. */
static void find_own_accesses(struct edit_search *search, uint32_t index)
{
    const struct question *question = search->question;
    const struct sync_op *items = question->sync_log->items;
    const struct race_instance *instance = &question->instances[index];
    const uint32_t next = explain_next_of(question, instance->first.unit, instance->first_at, instance->end),
                   latest = explain_past_latest_of(question, instance->second.unit, instance->end);
    const bool second =
        latest > 0 && is_access_at(&items[latest - 1], instance->second.unit, instance->second.site);
    const bool first = next < (second ? latest - 1 : instance->end) &&
                       is_access_at(&items[next], instance->first.unit, instance->first.site);
    search->first_act[index] = first ? next : NO_ACT;
    search->second_act[index] = second ? latest - 1 : NO_ACT;
}

static enum memory_ordering stronger_order(const struct sync_op *sync_op)
{
    if (sync_op->order == ORDER_SEQ_CST)
        return ORDER_SEQ_CST;
    if (is_fence(sync_op) || (sync_op->reads && sync_op->writes))
        return ORDER_ACQ_REL;
    return sync_op->writes ? ORDER_RELEASE : ORDER_ACQUIRE;
}

static uint32_t spot_find(struct edit_search *search, const struct sync_op *sync_op)
{
    if (sync_op->kind > SYNC_OP_OVERWRITE)
        return SPOTS_MOST;
    for (uint32_t i = 0; i < search->spot_count; i++) {
        if (code_same_place(search->question->host, search->spots[i].site, sync_op->site))
            return i;
    }
    if (search->spot_count == search->spots_most)
        return SPOTS_MOST;
    search->spots[search->spot_count] =
        (struct edit_spot){.sample = sync_op, .by = sync_op->by, .site = sync_op->site};
    return search->spot_count++;
}

/* From the end of the log: the operations near the second access are the likelier mistakes. */
bool edit_search_spots(struct edit_search *search)
{
    const struct sync_log *sync_log = search->question->sync_log;
    search->spot_of = malloc((sync_log->count + 1) * sizeof *search->spot_of);
    for (uint32_t at = sync_log->count; search->spot_of && at-- > 0;) {
        const struct sync_op *sync_op = &sync_log->items[at];
        uint32_t spot = search->spot_of[at] = spot_find(search, sync_op);
        if (spot == SPOTS_MOST)
            continue;
        if (sync_op->success)
            search->spots[spot].failed = sync_op;
        if (!sync_op->success || !search->spots[spot].sample || search->spots[spot].sample->success)
            search->spots[spot].sample = sync_op;
        search->spots[spot].by = sync_op->by;
        search->spots[spot].reads |= sync_op->reads;
        search->spots[spot].writes |= sync_op->writes;
    }
    for (uint32_t i = 0; i < search->question->instance_count; i++)
        find_own_accesses(search, i);
    return search->spot_of != NULL;
}

static void add(struct edit_search *search, const struct edit *edit)
{
    if (search->edit_count < EDITS_MOST)
        search->edits[search->edit_count++] = *edit;
}

static void add_edit(struct edit_search *search, enum edit_kind kind, uint32_t spot, enum memory_scope scope,
                     enum memory_ordering order)
{
    add(search, &(struct edit){.kind = kind, .spot = spot, .scope = scope, .order = order});
}

/* An atomic other than a failed compare-exchange. */
static bool succeeds(const struct sync_op *sync_op)
{
    return is_atomic(sync_op) && !sync_op->success;
}

static bool allows_failure_order(const struct edit_search *search, uint32_t spot)
{
    return search->spots[spot].failed && search->spots[spot].failed->order == ORDER_RELAXED;
}

/* A failed compare-exchange acquires. Success acquires as well, for compilers that do not allow acquire for
 * the failure of a release. acq_rel is tried, too: the compare-exchange may be both ends of the edge. */
static void add_failure(struct edit_search *search, enum edit_kind kind, uint32_t spot,
                        enum memory_scope scope)
{
    const enum memory_ordering has = (enum memory_ordering)(search->spots[spot].failed->success - 1);
    const enum memory_ordering needs = has == ORDER_RELAXED   ? ORDER_ACQUIRE
                                       : has == ORDER_RELEASE ? ORDER_ACQ_REL
                                                              : has;
    struct edit edit = {
        .kind = kind, .spot = spot, .scope = scope, .order = ORDER_ACQUIRE, .fails = true, .success = needs};
    add(search, &edit);
    edit.success = ORDER_ACQ_REL;
    if (needs == ORDER_ACQUIRE)
        add(search, &edit);
}

/* A relaxed read-modify-write is tried as an acquire and as a release before acq_rel: it may be one end
 * only. */
static void add_orders(struct edit_search *search, uint32_t spot, enum memory_scope scope)
{
    const struct sync_op *sample = search->spots[spot].sample;
    if (is_atomic(sample) && sample->reads && sample->writes && sample->order == ORDER_RELAXED) {
        add_edit(search, EDIT_ORDER, spot, scope, ORDER_ACQUIRE);
        add_edit(search, EDIT_ORDER, spot, scope, ORDER_RELEASE);
    }
    add_edit(search, EDIT_ORDER, spot, scope, stronger_order(sample));
}

/* Is there a place for each fence that EDIT_FENCES puts beside the atomic? */
static bool has_fence_places(const struct edit_search *search, const struct edit_spot *spot)
{
    return (!spot->sample->writes || explain_has_fence_place(search->question, spot->site, false)) &&
           (!spot->sample->reads || explain_has_fence_place(search->question, spot->site, true));
}

static bool allows(const struct edit_search *search, uint32_t index, enum edit_kind kind, bool fails)
{
    const struct sync_op *sample = search->spots[index].sample;
    int region = search->question->region;
    /* A fence for images has only one valid order and scope. */
    const bool of_images = is_fence(sample) && sample->regions & REGION_IMAGE;
    const uint32_t both = REGION_GLOBAL | REGION_LOCAL;
    const bool orders_images =
        (kind == EDIT_FLAGS && is_barrier(sample)) || (kind == EDIT_ORDER && sample->regions == REGION_IMAGE);
    if (search->question->device_dirty && !orders_images)
        return false;
    switch (kind) {
    case EDIT_FLAGS:
        return (is_barrier(sample) || (is_fence(sample) && region != IN_IMAGE)) &&
               !(sample->regions >> region & 1);
    case EDIT_SCOPE: return is_atomic(sample) || (is_fence(sample) && !of_images);
    case EDIT_ORDER:
        return fails ? allows_failure_order(search, index)
                     : (is_fence(sample) || succeeds(sample)) && stronger_order(sample) != sample->order;
    case EDIT_FENCES:
        if (is_fence(sample))
            return (sample->regions & both) != both;
        return is_atomic(sample) && sample->region != region &&
               has_fence_places(search, &search->spots[index]);
    case EDIT_STORE: return sample->kind == SYNC_OP_OVERWRITE && sample->size == 4;
    case EDIT_UPDATE: return (is_atomic(sample) && !sample->reads) || sample->kind == SYNC_OP_OVERWRITE;
    case EDIT_MOVE: return is_fence(sample);
    case EDIT_ORDER_AND_SCOPE:
        return fails ? allows_failure_order(search, index)
                     : succeeds(sample) && stronger_order(sample) != sample->order;
    default: return false; /* list_fences() lists EDIT_FENCE */
    }
}

static bool is_widening(enum edit_kind kind)
{
    return kind == EDIT_SCOPE || kind == EDIT_ORDER_AND_SCOPE;
}

/* Widening one end of an edge is tried before narrowing the other: further operations on the object may need
 * the wider scope. */
static void list_scopes(struct edit_search *search, enum memory_scope scope)
{
    enum memory_scope widest = scope;
    for (uint32_t spot = 0; spot < search->spot_count; spot++)
        if (allows(search, spot, EDIT_SCOPE, false) && sync_op_scope(search->spots[spot].sample) > widest)
            widest = sync_op_scope(search->spots[spot].sample);
    for (int narrows = 0; narrows < 2; narrows++) {
        for (uint32_t spot = 0; spot < search->spot_count; spot++) {
            const enum memory_scope has = sync_op_scope(search->spots[spot].sample);
            if (!allows(search, spot, EDIT_SCOPE, false))
                continue;
            if (!narrows && widest > scope && has < widest)
                add_edit(search, EDIT_SCOPE, spot, widest, ORDER_RELAXED);
            if (narrows ? has > scope : has < scope)
                add_edit(search, EDIT_SCOPE, spot, scope, ORDER_RELAXED);
        }
    }
}

/* An edit of the scope is only listed where the scope differs. */
static void list_edit(struct edit_search *search, enum edit_kind kind, uint32_t spot, enum memory_scope scope,
                      bool fails)
{
    if (!allows(search, spot, kind, fails) ||
        (is_widening(kind) && search->spots[spot].sample->scope == scope))
        return;
    if (fails) {
        add_failure(search, kind, spot, scope);
        return;
    }
    if (kind == EDIT_ORDER)
        add_orders(search, spot, scope);
    else
        add_edit(search, kind, spot, scope, stronger_order(search->spots[spot].sample));
}

static bool has_edit(const struct edit_search *search, const struct edit *edit)
{
    for (uint32_t i = 0; i < search->edit_count; i++) {
        const struct edit *other = &search->edits[i];
        if (other->kind == edit->kind && other->spot == edit->spot && other->scope == edit->scope &&
            other->order == edit->order)
            return true;
    }
    return false;
}

/* A fence beside each atomic that may be the other end of the edge. */
static void list_counterparts(struct edit_search *search, enum memory_ordering order, enum memory_scope scope)
{
    for (uint32_t spot = 0; spot < search->spot_count; spot++) {
        const struct sync_op *sample = search->spots[spot].sample;
        const bool end = order == ORDER_RELEASE ? search->spots[spot].writes : search->spots[spot].reads;
        const struct edit edit = {.kind = EDIT_FENCE, .spot = spot, .scope = scope, .order = order};
        const bool may_be_end = is_atomic(sample) && end && sample->region == search->question->region;
        if (may_be_end && !has_edit(search, &edit) &&
            explain_has_fence_place(search->question, search->spots[spot].site, order == ORDER_ACQUIRE))
            add_edit(search, EDIT_FENCE, spot, scope, order);
    }
}

/* A release fence needs an acquire fence of its own scope, and the reverse: the scopes of the atomics do
 * not count (R12). In OpenCL C 1.x, which has no orders, fences of a work-group are the only way. */
static void list_fences(struct edit_search *search, enum memory_scope scope)
{
    for (uint32_t spot = 0; spot < search->spot_count && !search->question->device_dirty; spot++) {
        const struct sync_op *sample = search->spots[spot].sample;
        if (is_fence(sample) && sample->order != ORDER_ACQUIRE)
            list_counterparts(search, ORDER_ACQUIRE, (enum memory_scope)sample->scope);
        if (is_fence(sample) && sample->order != ORDER_RELEASE)
            list_counterparts(search, ORDER_RELEASE, (enum memory_scope)sample->scope);
    }
    if (!explain_is_opencl_c_1(search->question->host) || scope != SCOPE_WORK_GROUP)
        return;
    list_counterparts(search, ORDER_RELEASE, scope);
    list_counterparts(search, ORDER_ACQUIRE, scope);
}

/* Flags of existing fences come before new fences, and the order of success before that of failure. */
static void list_edits(struct edit_search *search, enum memory_scope scope)
{
    /* new fences are listed before edits of this kind */
    const enum edit_kind fences = explain_is_opencl_c_1(search->question->host) ? EDIT_ORDER : EDIT_FENCES;
    for (enum edit_kind kind = 0; kind < EDIT_KINDS; kind++) {
        if (kind == EDIT_SCOPE) {
            list_scopes(search, scope);
            continue;
        }
        if (kind == fences)
            list_fences(search, scope);
        const bool orders = kind == EDIT_ORDER || kind == EDIT_ORDER_AND_SCOPE;
        for (int later = 0; later <= (kind == EDIT_FENCES || orders ? 1 : 0); later++) {
            for (uint32_t spot = 0; spot < search->spot_count; spot++)
                if (kind != EDIT_FENCES || is_fence(search->spots[spot].sample) == !later)
                    list_edit(search, kind, spot, scope, orders && later);
        }
    }
}

/* Keeps the edits if they order more instances than the best ones so far. Edits that make other atomics race
 * are kept apart. True: all instances are ordered, and the search ends. */
static bool try_edits(struct edit_search *search, const struct edit *edits, uint32_t count,
                      struct found_edits *found)
{
    const uint32_t ordered = edit_search_count_ordered(search, edits, count);
    if (ordered <= found->ordered)
        return false;
    const bool clashes = edit_search_clashes(search, edits, count);
    struct found_edits *better = clashes ? &search->clashing : found;
    if (ordered > better->ordered) {
        *better = (struct found_edits){.count = count, .ordered = ordered};
        memcpy(better->edits, edits, count * sizeof *edits);
    }
    return !clashes && ordered == search->question->instance_count;
}

/* Once some edit orders the question's own instance, the search may take WORK_MORE only. */
static void limit_work(struct edit_search *search, const struct found_edits *found)
{
    if ((found->ordered || search->clashing.ordered) && search->work_most > search->work + WORK_MORE)
        search->work_most = search->work + WORK_MORE;
}

static bool search_single(struct edit_search *search, struct found_edits *found)
{
    for (uint32_t i = 0; i < search->edit_count; i++) {
        if (search->edits[i].kind == EDIT_ORDER_AND_SCOPE) /* it counts as two edits, so it is for pairs */
            continue;
        if (try_edits(search, &search->edits[i], 1, found))
            return true;
        limit_work(search, found);
    }
    return false;
}

/* Pairs are tried in this order: flags of an existing fence with any edit; then two edits of one kind, as
 * the scopes or the orders of both ends; then all others. */
enum pairing { PAIR_FENCE, PAIR_ALIKE, PAIR_OTHER, PAIRINGS };

static enum pairing pairing_of(const struct edit_search *search, const struct edit pair[2])
{
    const bool same = pair[0].kind == pair[1].kind;
    for (int i = 0; i < 2; i++)
        if (pair[i].kind == EDIT_FLAGS && pair[!i].kind != EDIT_FLAGS &&
            is_fence(search->spots[pair[i].spot].sample))
            return PAIR_FENCE;
    return same ? PAIR_ALIKE : PAIR_OTHER;
}

/* Which pairs can be two ends of an edge: a new fence with an existing one that gets flags, or, in OpenCL C
 * 1.x, with a second new one. Other edits pair with any edit of another place or kind. */
static bool is_pair(const struct edit_search *search, const struct edit pair[2])
{
    const int fences = (pair[0].kind == EDIT_FENCE) + (pair[1].kind == EDIT_FENCE);
    if (fences == 2)
        return explain_is_opencl_c_1(search->question->host) && pair[0].order != pair[1].order;
    if (fences)
        return pairing_of(search, pair) == PAIR_FENCE;
    return pair[0].spot != pair[1].spot || pair[0].kind != pair[1].kind;
}

static void search_pair(struct edit_search *search, struct found_edits *found)
{
    for (enum pairing pairing = 0; pairing < PAIRINGS; pairing++) {
        for (uint32_t i = 0; i < search->edit_count; i++) {
            for (uint32_t j = i + 1; j < search->edit_count; j++) {
                const struct edit pair[2] = {search->edits[i], search->edits[j]};
                if (pairing_of(search, pair) != pairing || !is_pair(search, pair))
                    continue;
                if (try_edits(search, pair, 2, found))
                    return;
                limit_work(search, found);
            }
        }
    }
}

/* The narrowest scope that includes both work-items of each instance. */
static enum memory_scope common_scope(const struct question *question)
{
    enum memory_scope scope = SCOPE_WORK_GROUP;
    for (uint32_t i = 0; i < question->instance_count; i++)
        if (unit_group(question, question->instances[i].first.unit) !=
            unit_group(question, question->instances[i].second.unit))
            scope = SCOPE_DEVICE;
    return scope;
}

/* The narrowest scope, or all_svm_devices where an atomic that hosts and devices share has that already. */
static enum memory_scope edge_scope(const struct edit_search *search)
{
    const enum memory_scope scope = common_scope(search->question);
    for (uint32_t i = 0; i < search->spot_count && scope == SCOPE_DEVICE; i++)
        if (search->spots[i].sample->svm_atomics && search->spots[i].sample->scope == SCOPE_ALL_SVM)
            return SCOPE_ALL_SVM;
    return scope;
}

void edit_search_edits(struct edit_search *search, struct found_edits *found)
{
    list_edits(search, edge_scope(search));
    /* accesses that are ordered without any edit lack no order */
    if (!edit_search_count_ordered(search, NULL, 0) && !search_single(search, found))
        search_pair(search, found);
    if (!found->count)
        *found = search->clashing;
}

void edit_search_fini(struct edit_search *search)
{
    free(search->spot_of);
    free(search->beside);
}
