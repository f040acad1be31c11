/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates for an edit: operations near the accesses, and the orders and scopes that each may be given. */
#include <stdlib.h>

#include "edges.h"
#include "explain_state.h"

/* An operation begins a segment: the clock value identifies the one that the first access follows. A wave's
 * updates share one, and an operation that begins a segment without being kept, such as the arrival at a
 * copy, follows those of earlier clock values. */
static uint32_t locate(const struct sync_log *sync_log, const struct meeting *meeting)
{
    uint32_t at = meeting->first.clock <= 1 ? 0 : meeting->end;
    while (at > 0 &&
           !(sync_log->items[at - 1].clock && sync_log->items[at - 1].clock <= meeting->first.clock))
        at--;
    return at;
}

bool search_locate(struct search *search)
{
    const struct question *question = search->question;
    search->meeting_count = question->meeting_count;
    for (uint32_t i = 0; i < question->meeting_count; i++)
        search->first_at[i] = locate(question->sync_log, &question->meetings[i]);
    return search->meeting_count > 0;
}

bool is_of_unit(const struct question *question, const struct sync_op *sync_op, uint64_t unit)
{
    const struct place place = unit_place(question->launch, unit);
    if (is_fence(sync_op) || is_atomic(sync_op) || sync_op->kind == HAPPENED_OVERWRITE)
        return sync_op->by == unit;
    if (sync_op->kind == HAPPENED_SUB_GROUP_BARRIER)
        return sync_op->by == place.group && sync_op->number == place.sub_group;
    return sync_op->by == place.group && (is_barrier(sync_op) || sync_op->kind == HAPPENED_GROUP_END);
}

/* Is it what the unit did at that place? */
static bool is_act(const struct sync_op *sync_op, uint64_t unit, uint32_t site)
{
    return (is_atomic(sync_op) || sync_op->kind == HAPPENED_OVERWRITE) && sync_op->by == unit &&
           sync_op->site == site;
}

/* The first access, if it ends its slice, and the second, if it is what its unit did last. */
static void find_acts(struct search *search, uint32_t index)
{
    const struct question *question = search->question;
    const struct sync_op *items = question->sync_log->items;
    const struct meeting *meeting = &question->meetings[index];
    uint32_t next = search->first_at[index], latest = meeting->end;
    while (next < meeting->end && !is_of_unit(question, &items[next], meeting->first.unit))
        next++;
    while (latest > 0 && !is_of_unit(question, &items[latest - 1], meeting->second.unit))
        latest--;
    const bool second = latest > 0 && is_act(&items[latest - 1], meeting->second.unit, meeting->second.site);
    const bool first = next < (second ? latest - 1 : meeting->end) &&
                       is_act(&items[next], meeting->first.unit, meeting->first.site);
    search->first_act[index] = first ? next : NO_ACT;
    search->second_act[index] = second ? latest - 1 : NO_ACT;
}

static enum memory_ordering stronger(const struct sync_op *sync_op)
{
    if (sync_op->order == ORDER_SEQ_CST)
        return ORDER_SEQ_CST;
    if (is_fence(sync_op) || (sync_op->reads && sync_op->writes))
        return ORDER_ACQ_REL;
    return sync_op->writes ? ORDER_RELEASE : ORDER_ACQUIRE;
}

/* A call is inlined wherever it is made: one place of the source may be several instructions. */
static bool same_place(const struct search *search, uint32_t a, uint32_t b)
{
    const struct checker_host *host = search->question->host;
    struct source_place at_a, at_b;
    if (a == b)
        return true;
    host->place(host->self, a, &at_a);
    host->place(host->self, b, &at_b);
    return at_a.line && at_a.line == at_b.line && at_a.column == at_b.column &&
           same_text(at_a.file, at_b.file);
}

static uint32_t spot_find(struct search *search, const struct sync_op *sync_op)
{
    if (sync_op->kind > HAPPENED_OVERWRITE)
        return SPOTS_MOST;
    for (uint32_t i = 0; i < search->spot_count; i++) {
        if (same_place(search, search->spots[i].site, sync_op->site))
            return i;
    }
    if (search->spot_count == search->spots_most)
        return SPOTS_MOST;
    search->spots[search->spot_count] =
        (struct spot){.sample = sync_op, .by = sync_op->by, .site = sync_op->site};
    return search->spot_count++;
}

/* The latest ones first: what stands near the second access is the likelier mistake. */
bool search_spots(struct search *search)
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
    for (uint32_t i = 0; i < search->meeting_count; i++)
        find_acts(search, i);
    return search->spot_of != NULL;
}

static void add(struct search *search, struct edit edit)
{
    if (search->edit_count < EDITS_MOST)
        search->edits[search->edit_count++] = edit;
}

static void add_edit(struct search *search, enum edit_kind kind, uint32_t spot, enum memory_scope scope,
                     enum memory_ordering order)
{
    add(search, (struct edit){.kind = kind, .spot = spot, .scope = scope, .order = order});
}

/* An atomic that is no compare-exchange which failed. */
static bool succeeds(const struct sync_op *sync_op)
{
    return is_atomic(sync_op) && !sync_op->success;
}

static bool wants_failure(const struct search *search, uint32_t spot)
{
    return search->spots[spot].failed && search->spots[spot].failed->order == ORDER_RELAXED;
}

/* To acquire where it fails, with the order of success that this needs, or with one that releases as well:
 * it may be both ends of the edge. */
static void add_failure(struct search *search, enum edit_kind kind, uint32_t spot, enum memory_scope scope)
{
    const enum memory_ordering has = (enum memory_ordering)(search->spots[spot].failed->success - 1);
    const enum memory_ordering needs = failure_order_fits(has, ORDER_ACQUIRE) ? has
                                       : has == ORDER_RELEASE                 ? ORDER_ACQ_REL
                                                                              : ORDER_ACQUIRE;
    add(search, (struct edit){kind, spot, scope, ORDER_ACQUIRE, true, needs});
    if (needs == ORDER_ACQUIRE)
        add(search, (struct edit){kind, spot, scope, ORDER_ACQUIRE, true, ORDER_ACQ_REL});
}

/* A relaxed read-modify-write may be one end of the edge and need no more than that. */
static void add_orders(struct search *search, uint32_t spot, enum memory_scope scope)
{
    const struct sync_op *sample = search->spots[spot].sample;
    if (is_atomic(sample) && sample->reads && sample->writes && sample->order == ORDER_RELAXED) {
        add_edit(search, EDIT_ORDER, spot, scope, ORDER_ACQUIRE);
        add_edit(search, EDIT_ORDER, spot, scope, ORDER_RELEASE);
    }
    add_edit(search, EDIT_ORDER, spot, scope, stronger(sample));
}

/* Fences with both flags: a read-modify-write has one on each side. */
static bool has_places(const struct search *search, const struct spot *spot)
{
    return (!spot->sample->writes || fits_beside(search->question, spot->site, false)) &&
           (!spot->sample->reads || fits_beside(search->question, spot->site, true));
}

static bool wants(const struct search *search, uint32_t index, enum edit_kind kind, bool fails)
{
    const struct sync_op *sample = search->spots[index].sample;
    int region = search->question->region;
    const bool of_images = is_fence(sample) && sample->regions & REGION_IMAGE; /* which has one form */
    if (search->question->device_dirty && !(kind == EDIT_FLAGS && is_barrier(sample)) &&
        !(kind == EDIT_ORDER && sample->regions == REGION_IMAGE))
        return false;
    switch (kind) {
    case EDIT_FLAGS:
        return (is_barrier(sample) || (is_fence(sample) && region != IN_IMAGE)) &&
               !(sample->regions >> region & 1);
    case EDIT_SCOPE: return is_atomic(sample) || (is_fence(sample) && !of_images);
    case EDIT_ORDER:
        return fails ? wants_failure(search, index)
                     : (is_fence(sample) || succeeds(sample)) && stronger(sample) != sample->order;
    case EDIT_FENCES:
        return (is_atomic(sample) && sample->region != region && has_places(search, &search->spots[index])) ||
               (is_fence(sample) &&
                (sample->regions & (REGION_GLOBAL | REGION_LOCAL)) != (REGION_GLOBAL | REGION_LOCAL));
    case EDIT_STORE: return sample->kind == HAPPENED_OVERWRITE && sample->size == 4;
    case EDIT_UPDATE: return (is_atomic(sample) && !sample->reads) || sample->kind == HAPPENED_OVERWRITE;
    case EDIT_MOVE: return is_fence(sample);
    case EDIT_FENCE: return false; /* list_fences */
    case EDIT_ORDER_AND_SCOPE:
        return fails ? wants_failure(search, index) : succeeds(sample) && stronger(sample) != sample->order;
    default: return false;
    }
}

static bool is_widening(enum edit_kind kind)
{
    return kind == EDIT_SCOPE || kind == EDIT_ORDER_AND_SCOPE;
}

/* Other operations on an object may need the scope that it has: widening the narrower end is tried before
 * narrowing the wider one. */
static void list_scopes(struct search *search, enum memory_scope scope)
{
    enum memory_scope widest = scope;
    for (uint32_t spot = 0; spot < search->spot_count; spot++)
        if (wants(search, spot, EDIT_SCOPE, false) && sync_op_scope(search->spots[spot].sample) > widest)
            widest = sync_op_scope(search->spots[spot].sample);
    for (int compacts = 0; compacts < 2; compacts++) {
        for (uint32_t spot = 0; spot < search->spot_count; spot++) {
            const enum memory_scope has = sync_op_scope(search->spots[spot].sample);
            if (!wants(search, spot, EDIT_SCOPE, false))
                continue;
            if (!compacts && widest > scope && has < widest)
                add_edit(search, EDIT_SCOPE, spot, widest, ORDER_RELAXED);
            if (compacts ? has > scope : has < scope)
                add_edit(search, EDIT_SCOPE, spot, scope, ORDER_RELAXED);
        }
    }
}

/* A scope that holds both; a wider one only where it is not already. */
static void list_edit(struct search *search, enum edit_kind kind, uint32_t spot, enum memory_scope scope,
                      bool fails)
{
    if (!wants(search, spot, kind, fails) ||
        (is_widening(kind) && search->spots[spot].sample->scope == scope))
        return;
    if (fails) {
        add_failure(search, kind, spot, scope);
        return;
    }
    if (kind == EDIT_ORDER)
        add_orders(search, spot, scope);
    else
        add_edit(search, kind, spot, scope, stronger(search->spots[spot].sample));
}

static bool has_edit(const struct search *search, const struct edit *edit)
{
    for (uint32_t i = 0; i < search->edit_count; i++) {
        const struct edit *other = &search->edits[i];
        if (other->kind == edit->kind && other->spot == edit->spot && other->scope == edit->scope &&
            other->order == edit->order)
            return true;
    }
    return false;
}

/* Beside the atomics that may be the other end. */
static void list_counterparts(struct search *search, enum memory_ordering order, enum memory_scope scope)
{
    for (uint32_t spot = 0; spot < search->spot_count; spot++) {
        const struct sync_op *sample = search->spots[spot].sample;
        const bool end = order == ORDER_RELEASE ? search->spots[spot].writes : search->spots[spot].reads;
        const struct edit edit = {.kind = EDIT_FENCE, .spot = spot, .scope = scope, .order = order};
        if (is_atomic(sample) && end && sample->region == search->question->region &&
            !has_edit(search, &edit) &&
            fits_beside(search->question, search->spots[spot].site, order == ORDER_ACQUIRE))
            add_edit(search, EDIT_FENCE, spot, scope, order);
    }
}

/* A fence pairs with one of its own scope, whichever the atomics have. Before orders and scopes there were
 * no others. */
static void list_fences(struct search *search, enum memory_scope scope)
{
    for (uint32_t spot = 0; spot < search->spot_count && !search->question->device_dirty; spot++) {
        const struct sync_op *sample = search->spots[spot].sample;
        if (is_fence(sample) && sample->order != ORDER_ACQUIRE)
            list_counterparts(search, ORDER_ACQUIRE, (enum memory_scope)sample->scope);
        if (is_fence(sample) && sample->order != ORDER_RELEASE)
            list_counterparts(search, ORDER_RELEASE, (enum memory_scope)sample->scope);
    }
    if (!has_old_atomics(search->question) || scope != SCOPE_WORK_GROUP)
        return;
    list_counterparts(search, ORDER_RELEASE, scope);
    list_counterparts(search, ORDER_ACQUIRE, scope);
}

/* The flags of fences that are there come before fences that are not, the order of success before that of
 * failure. */
static void list_edits(struct search *search, enum memory_scope scope)
{
    /* before these */
    const enum edit_kind fences = has_old_atomics(search->question) ? EDIT_ORDER : EDIT_FENCES;
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

/* Tries them, and keeps them if more meetings are ordered than by what was found before: apart from those
 * that bring another race. */
static bool try_edits(struct search *search, const struct edit *edits, uint32_t count, struct found *found)
{
    const uint32_t ordered = again_orders(search, edits, count);
    if (ordered <= found->ordered)
        return false;
    const bool clashes = again_clashes(search, edits, count);
    struct found *better = clashes ? &search->clashing : found;
    if (ordered > better->ordered) {
        *better = (struct found){.count = count, .ordered = ordered};
        memcpy(better->edits, edits, count * sizeof *edits);
    }
    return !clashes && ordered == search->meeting_count;
}

/* Something is found: a little more is worth an edit for all, or one that brings nothing else. */
static void hurry(struct search *search, const struct found *found)
{
    if ((found->ordered || search->clashing.ordered) && search->work_most > search->work + WORK_MORE)
        search->work_most = search->work + WORK_MORE;
}

static bool search_single(struct search *search, struct found *found)
{
    for (uint32_t i = 0; i < search->edit_count; i++) {
        if (search->edits[i].kind == EDIT_ORDER_AND_SCOPE) /* two edits at one place */
            continue;
        if (try_edits(search, &search->edits[i], 1, found))
            return true;
        hurry(search, found);
    }
    return false;
}

/* The order in which pairs are tried: of one class first, scopes of both sides, orders of both sides. But a
 * fence that is there wants its flags, whatever the other side wants. */
enum pairing { PAIR_FENCE, PAIR_ALIKE, PAIR_OTHER, PAIRINGS };

static enum pairing pairing_of(const struct search *search, const struct edit pair[2])
{
    const bool same = pair[0].kind == pair[1].kind;
    for (int i = 0; i < 2; i++)
        if (pair[i].kind == EDIT_FLAGS && pair[!i].kind != EDIT_FLAGS &&
            is_fence(search->spots[pair[i].spot].sample))
            return PAIR_FENCE;
    return same ? PAIR_ALIKE : PAIR_OTHER;
}

/* A fence that is added meets one that is there with other flags, or another one that is added where no
 * atomic has an order. */
static bool is_pair(const struct search *search, const struct edit pair[2])
{
    const int fences = (pair[0].kind == EDIT_FENCE) + (pair[1].kind == EDIT_FENCE);
    if (fences == 2)
        return has_old_atomics(search->question) && pair[0].order != pair[1].order;
    if (fences)
        return pairing_of(search, pair) == PAIR_FENCE;
    return pair[0].spot != pair[1].spot || pair[0].kind != pair[1].kind;
}

static void search_pair(struct search *search, struct found *found)
{
    for (enum pairing pairing = 0; pairing < PAIRINGS; pairing++) {
        for (uint32_t i = 0; i < search->edit_count; i++) {
            for (uint32_t j = i + 1; j < search->edit_count; j++) {
                const struct edit pair[2] = {search->edits[i], search->edits[j]};
                if (pairing_of(search, pair) != pairing || !is_pair(search, pair))
                    continue;
                if (try_edits(search, pair, 2, found))
                    return;
                hurry(search, found);
            }
        }
    }
}

/* Of all that meet. */
static enum memory_scope common_scope(const struct question *question)
{
    enum memory_scope scope = SCOPE_WORK_GROUP;
    for (uint32_t i = 0; i < question->meeting_count; i++)
        if (unit_group(question, question->meetings[i].first.unit) !=
            unit_group(question, question->meetings[i].second.unit))
            scope = SCOPE_DEVICE;
    return scope;
}

/* The narrowest that holds both, unless an atomic that hosts and devices share has theirs already. */
static enum memory_scope wanted_scope(const struct search *search)
{
    const enum memory_scope scope = common_scope(search->question);
    for (uint32_t i = 0; i < search->spot_count && scope == SCOPE_DEVICE; i++)
        if (search->spots[i].sample->svm_atomics && search->spots[i].sample->scope == SCOPE_ALL_SVM)
            return SCOPE_ALL_SVM;
    return scope;
}

void search_edits(struct search *search, struct found *found)
{
    list_edits(search, wanted_scope(search));
    /* else it is no order that is missing */
    if (!again_orders(search, NULL, 0) && !search_single(search, found))
        search_pair(search, found);
    if (!found->count)
        *found = search->clashing;
}

void search_fini(struct search *search)
{
    free(search->spot_of);
    free(search->own);
}
