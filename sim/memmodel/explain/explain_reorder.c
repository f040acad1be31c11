/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replays the log with edits of operations that are in it. Entry by entry the edited operation is fed to
 * a fresh order, with what the edits put before or after it. The clock value of each first access is asked
 * for where the log has the access, and whether it happens before the second one where that is. Instead of
 * being fed to an order, the edited operations may be written to a list (write_log).
 */
#include <stdlib.h>
#include <string.h>

#include "edges.h"
#include "explain_replay.h"
#include "orrery/checked.h"

/* The log with edits, and by entry of it the index in the log that was edited. */
struct edited_log {
    struct sync_op *items;
    uint32_t *was;
    uint32_t count, room;
};

struct edit_replay {
    struct edit_search *search;
    struct replay replay;
    const struct edit *edits;
    uint32_t edit_count;
    bool moves;                          /* some fence moves */
    bool fences;                         /* the edits put fences beside atomics */
    uint64_t clock[RACE_INSTANCES_MOST]; /* clock values of the first accesses' segments */
    bool ordered[RACE_INSTANCES_MOST];   /* the first access happens before the second */
    struct edited_log *list; /* operations are written there instead of replayed; NULL: replayed */
    uint32_t first;          /* how many entries of it come before the question's first access */
};

static const struct edit *edit_of(const struct edit_replay *run, uint32_t at, enum edit_kind kind)
{
    for (uint32_t i = 0; i < run->edit_count; i++) {
        if (run->edits[i].spot == run->search->spot_of[at] && run->edits[i].kind == kind)
            return &run->edits[i];
    }
    return NULL;
}

/* A compare-exchange has an order for success and one for failure. */
static void strengthen(const struct edit *edit, uint32_t spot, struct sync_op *sync_op)
{
    if (edit->spot != spot || (edit->kind != EDIT_ORDER && edit->kind != EDIT_ORDER_AND_SCOPE))
        return;
    if (!sync_op->success)
        sync_op->order = (uint8_t)(edit->fails ? edit->success : edit->order);
    else if (edit->fails)
        sync_op->order = (uint8_t)edit->order;
}

/* The entry as it would be with the edits of its place. */
static struct sync_op edited_op(const struct edit_replay *run, uint32_t at)
{
    struct sync_op sync_op = run->search->question->sync_log->items[at];
    const struct edit *edit;
    if (edit_of(run, at, EDIT_FLAGS))
        sync_op.regions |= (uint8_t)(1u << run->search->question->region);
    if ((edit = edit_of(run, at, EDIT_SCOPE)) || (edit = edit_of(run, at, EDIT_ORDER_AND_SCOPE)))
        sync_op.scope = (uint8_t)edit->scope;
    for (uint32_t i = 0; i < run->edit_count; i++)
        strengthen(&run->edits[i], run->search->spot_of[at], &sync_op);
    if ((edit = edit_of(run, at, EDIT_STORE))) {
        sync_op.kind = SYNC_OP_ATOMIC;
        sync_op.writes = true;
        sync_op.order = ORDER_RELAXED;
        sync_op.scope = (uint8_t)edit->scope;
    }
    if (edit_of(run, at, EDIT_UPDATE)) {
        sync_op.kind = SYNC_OP_ATOMIC;
        sync_op.reads = true;
    }
    if (edit_of(run, at, EDIT_FENCES))
        sync_op.regions = REGION_GLOBAL | REGION_LOCAL;
    return sync_op;
}

static void write_entry(struct edited_log *list, const struct sync_op *what, uint32_t was)
{
    if (list->count == list->room) /* past the question's second access */
        return;
    list->was[list->count] = was;
    list->items[list->count++] = *what;
}

/* was: its index in the original log. */
static void replay_one(struct edit_replay *run, const struct sync_op *what, uint32_t was)
{
    if (run->list)
        write_entry(run->list, what, was);
    else
        replay_happen(&run->replay, what);
}

/* Is one of the edits of these kinds, a set of 1 << kind? */
static bool has_kind(const struct edit *edits, uint32_t count, uint32_t kinds)
{
    for (uint32_t i = 0; i < count; i++)
        if (kinds >> edits[i].kind & 1)
            return true;
    return false;
}

static bool puts_fences(const struct edit *edits, uint32_t count)
{
    return has_kind(edits, count, 1u << EDIT_MOVE | 1u << EDIT_FENCE | 1u << EDIT_FENCES);
}

/* The nearest operation of the same unit after or before the entry, other than its group's; the log's length:
 * none. */
static uint32_t own_beside(const struct sync_log *sync_log, uint32_t at, bool after)
{
    const struct sync_op *items = sync_log->items;
    for (uint32_t other = at; after ? ++other < sync_log->count : other-- > 0;)
        if (is_own(&items[other]) && items[other].by == items[at].by)
            return other;
    return sync_log->count;
}

/* Notes for each atomic which fences a moved edit could put on its other side: those next to it. */
static bool link_fences(struct edit_search *search)
{
    const struct sync_log *sync_log = search->question->sync_log;
    search->beside = calloc(sync_log->count + 1, sizeof *search->beside);
    for (uint32_t at = 0; search->beside && at < sync_log->count; at++) {
        const bool forward = moves_forward(&sync_log->items[at]);
        const uint32_t other =
            is_fence(&sync_log->items[at]) ? own_beside(sync_log, at, forward) : sync_log->count;
        if (other == sync_log->count || !is_atomic(&sync_log->items[other]))
            continue;
        search->beside[other].moved[forward] = at + 1;
        search->beside[at].moves = true;
    }
    return search->beside;
}

/* Prepares for fences that move, if any do; false: out of memory. */
static bool begin_moves(struct edit_replay *run)
{
    run->moves = has_kind(run->edits, run->edit_count, 1u << EDIT_MOVE);
    return !run->moves || run->search->beside || link_fences(run->search);
}

/* A release fence just after its atomic moves before it; an acquire fence just before its atomic moves after
 * it. */
static void replay_moved(struct edit_replay *run, uint32_t at, bool forward)
{
    const uint32_t moved = run->moves ? run->search->beside[at].moved[forward] : 0;
    if (moved && edit_of(run, moved - 1, EDIT_MOVE))
        replay_one(run, &run->search->question->sync_log->items[moved - 1], moved - 1);
}

/* An acquire fence that no atomic follows is dropped, too. */
static bool is_moved(const struct edit_replay *run, uint32_t at)
{
    const struct sync_op *sync_op = &run->search->question->sync_log->items[at];
    return run->moves && edit_of(run, at, EDIT_MOVE) &&
           (moves_forward(sync_op) || run->search->beside[at].moves);
}

/* The fences that the edits put beside an atomic, on the side of that order: with both flags, or for the
 * question's region. */
static void replay_fences(struct edit_replay *run, const struct sync_op *beside, enum memory_ordering how,
                          uint32_t at)
{
    for (uint32_t i = 0; i < run->edit_count; i++) {
        const struct edit *edit = &run->edits[i];
        const bool full = edit->kind == EDIT_FENCES, one = edit->kind == EDIT_FENCE && edit->order == how;
        struct sync_op sync_op = *beside;
        if (edit->spot != run->search->spot_of[at] || !(full || one))
            continue;
        sync_op.kind = SYNC_OP_FENCE;
        sync_op.regions =
            (uint8_t)(full ? REGION_GLOBAL | REGION_LOCAL : 1u << run->search->question->region);
        sync_op.order = (uint8_t)how;
        sync_op.scope = full ? beside->scope : (uint8_t)edit->scope;
        replay_one(run, &sync_op, at);
    }
}

/* R29: two atomics on the same bytes do not race when their edited scopes include each other. */
static bool scopes_agree(const struct edit_replay *run, const struct race_instance *instance,
                         const struct unit_state *second)
{
    const struct question *question = run->search->question;
    const struct racing_access *accesses[2] = {&instance->first, &instance->second};
    enum memory_scope scope[2];
    struct unit_state first;
    if (!instance->first.atomic || !instance->second.atomic || instance->first.size != instance->second.size)
        return false;
    for (int side = 0; side < 2; side++) {
        scope[side] = accesses[side]->scope;
        for (uint32_t i = 0; i < run->edit_count; i++) {
            bool widens = run->edits[i].kind == EDIT_SCOPE || run->edits[i].kind == EDIT_ORDER_AND_SCOPE;
            if (widens && run->search->spots[run->edits[i].spot].site == accesses[side]->site)
                scope[side] =
                    scope_reduced(run->edits[i].scope, question->region == IN_LOCAL, question->svm_atomics);
        }
    }
    order_unit_state(&run->replay.order, instance->first.unit, &first);
    return scope_inclusive(question->rule, scope[0], &first.place, scope[1], &second->place);
}

static void ask_first(struct edit_replay *run, uint32_t instance)
{
    if (!run->list)
        run->clock[instance] =
            replay_segment(&run->replay, run->search->question->instances[instance].first.unit);
    else if (instance == 0)
        run->first = run->list->count;
}

static void ask_second(struct edit_replay *run, uint32_t index)
{
    const struct question *question = run->search->question;
    const struct race_instance *instance = &question->instances[index];
    struct unit_state unit_state;
    if (run->list) {
        /* only what comes before the question's second access is written */
        run->list->room = index == 0 ? run->list->count : run->list->room;
        return;
    }
    order_unit_state(&run->replay.order, instance->second.unit, &unit_state);
    run->ordered[index] = question->device_dirty
                              ? order_sees_own_image(&unit_state, run->clock[index])
                              : order_happens_before(&run->replay.order, &unit_state, question->region,
                                                     instance->first.unit, run->clock[index]) ||
                                    scopes_agree(run, instance, &unit_state);
}

/* Asks for the accesses at this place of the log, other than atomics beside which a fence may be put. */
static void ask_at(struct edit_replay *run, uint32_t at)
{
    const struct edit_search *search = run->search;
    const struct question *question = search->question;
    for (uint32_t i = 0; i < question->instance_count; i++) {
        if (at == question->instances[i].first_at && !(run->fences && search->first_act[i] != NO_ACT))
            ask_first(run, i);
        if (at == question->instances[i].end && !(run->fences && search->second_act[i] != NO_ACT))
            ask_second(run, i);
    }
}

/* An atomic that is an access itself comes after the fence before it and before the fence after it. */
static void ask_beside(struct edit_replay *run, uint32_t at, bool past)
{
    const struct edit_search *search = run->search;
    for (uint32_t i = 0; run->fences && i < search->question->instance_count; i++) {
        if (!past && at == search->first_act[i])
            ask_first(run, i);
        if (past && at == search->second_act[i])
            ask_second(run, i);
    }
}

static void replay_edited(struct edit_replay *run, uint32_t at)
{
    const struct sync_op sync_op = edited_op(run, at);
    if (is_moved(run, at))
        return;
    replay_moved(run, at, false);
    if (is_atomic(&sync_op) && sync_op.writes)
        replay_fences(run, &sync_op, ORDER_RELEASE, at);
    ask_beside(run, at, false);
    replay_one(run, &sync_op, at);
    ask_beside(run, at, true);
    if (is_atomic(&sync_op) && sync_op.reads)
        replay_fences(run, &sync_op, ORDER_ACQUIRE, at);
    replay_moved(run, at, true);
}

uint32_t edit_search_count_ordered(struct edit_search *search, const struct edit *edits, uint32_t count)
{
    const struct question *question = search->question;
    const struct sync_log *sync_log = question->sync_log;
    struct edit_replay run = {
        .search = search, .edits = edits, .edit_count = count, .fences = puts_fences(edits, count)};
    uint32_t found = 0;
    search->work += sync_log->count + 1;
    if (search->work > search->work_most)
        return 0;
    if (!begin_moves(&run)) {
        search->failed = true;
        return 0;
    }
    for (uint32_t i = 0; i < RACE_INSTANCES_MOST; i++)
        run.clock[i] = UINT64_MAX;
    replay_begin(&run.replay, question);
    for (uint32_t at = 0; at <= sync_log->count; at++) {
        ask_at(&run, at);
        if (at < sync_log->count)
            replay_edited(&run, at);
    }
    search->work += run.replay.order.searched / RELEASE_CLOCKS_OF_WORK;
    search->failed |= replay_failed(&run.replay);
    for (uint32_t i = 0; i < question->instance_count && !search->failed && run.ordered[0]; i++)
        found += run.ordered[i];
    replay_end(&run.replay, found != 0);
    return found;
}

/* ---- atomics that the edits make race ------------------------------------------------------------- */

/* The latest atomic of each work-item at each place and object is enough: where it happens before another
 * unit's operation, the earlier ones do, too. */
enum { LATEST_MOST = HOSTILE(256, 8) };
struct latest_atomics {
    struct {
        uint32_t at;
        uint64_t clock;
    } items[LATEST_MOST];
    uint32_t count;
};

static bool changes_scope(const struct edit_search *search, const struct edit *edits, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if ((edits[i].kind == EDIT_SCOPE || edits[i].kind == EDIT_ORDER_AND_SCOPE) &&
            is_atomic(search->spots[edits[i].spot].sample))
            return true;
    }
    return false;
}

static bool on_one_object(const struct question *question, const struct sync_op *a, const struct sync_op *b)
{
    const bool same_bytes = a->address == b->address && a->size == b->size && a->region == b->region;
    return same_bytes &&
           (a->region != IN_LOCAL || unit_group(question, a->by) == unit_group(question, b->by));
}

static bool include_each_other(const struct question *question, const struct sync_op *a,
                               const struct sync_op *b)
{
    const struct place at_a = edges_unit_place(question->launch, a->by),
                       at_b = edges_unit_place(question->launch, b->by);
    return scope_inclusive(question->rule, sync_op_scope(a), &at_a, sync_op_scope(b), &at_b);
}

/* R29: do the two atomics' scopes include each other in the log, but not with the edits, while nothing
 * orders them? */
static bool clashes_with(const struct edit_replay *run, uint32_t earlier, uint64_t clock, uint32_t later)
{
    const struct question *question = run->search->question;
    const struct sync_op *a = &question->sync_log->items[earlier], *b = &question->sync_log->items[later];
    const struct sync_op edited_a = edited_op(run, earlier), edited_b = edited_op(run, later);
    struct unit_state unit_state;
    const bool conflict = a->by != b->by && (a->writes || b->writes) && on_one_object(question, a, b);
    if (!conflict || !include_each_other(question, a, b) ||
        include_each_other(question, &edited_a, &edited_b))
        return false;
    order_unit_state(&run->replay.order, b->by, &unit_state);
    return !order_happens_before(&run->replay.order, &unit_state, a->region, a->by, clock);
}

static bool clashes_at(const struct edit_replay *run, struct latest_atomics *latest, uint32_t at)
{
    const struct question *question = run->search->question;
    const struct sync_op *items = question->sync_log->items;
    uint32_t own = latest->count;
    for (uint32_t i = 0; i < latest->count; i++) {
        const struct sync_op *earlier = &items[latest->items[i].at];
        if (clashes_with(run, latest->items[i].at, latest->items[i].clock, at))
            return true;
        if (earlier->by == items[at].by && earlier->site == items[at].site &&
            on_one_object(question, earlier, &items[at]))
            own = i;
    }
    if (own == LATEST_MOST)
        return false;
    latest->items[own].at = at;
    latest->items[own].clock = replay_segment(&run->replay, items[at].by);
    latest->count += own == latest->count;
    return false;
}

bool edit_search_clashes(struct edit_search *search, const struct edit *edits, uint32_t count)
{
    const struct sync_log *sync_log = search->question->sync_log;
    struct edit_replay run = {.search = search, .edits = edits, .edit_count = count};
    struct latest_atomics latest = {.count = 0};
    bool clashes = false;
    if (!changes_scope(search, edits, count) || !begin_moves(&run))
        return false;
    search->work += sync_log->count + 1;
    replay_begin(&run.replay, search->question);
    for (uint32_t at = 0; at < sync_log->count && !clashes; at++) {
        clashes = is_atomic(&sync_log->items[at]) && clashes_at(&run, &latest, at);
        replay_edited(&run, at);
    }
    clashes = replay_end(&run.replay, clashes);
    return clashes;
}

/* The log with the edits, up to the second access; false: out of memory. The caller frees both arrays in
 * either case. *out_first: how many of its entries come before the first access. */
static bool write_log(struct edit_search *search, const struct found_edits *found, struct edited_log *list,
                      uint32_t *out_first)
{
    struct edit_replay run = {.search = search,
                              .edits = found->edits,
                              .edit_count = found->count,
                              .list = list,
                              .fences = puts_fences(found->edits, found->count)};
    const uint32_t end = search->question->instances->end;
    list->room = 4 * end + 1;
    list->items = malloc(list->room * sizeof *list->items);
    list->was = malloc(list->room * sizeof *list->was);
    const bool written = list->items && list->was && begin_moves(&run);
    for (uint32_t at = 0; written && at <= end; at++) {
        ask_at(&run, at);
        if (at < end)
            replay_edited(&run, at);
    }
    *out_first = run.first;
    return written;
}

struct edge *edit_search_path(struct edit_search *search, const struct found_edits *found,
                              uint32_t *out_count)
{
    const struct question *question = search->question;
    struct edited_log list = {.count = 0};
    struct edge *path = NULL;
    uint32_t first = 0;
    *out_count = 0;
    if (write_log(search, found, &list, &first)) {
        struct edges_world world = {question->launch, question->rule, question->region,
                                    list.items,       list.count,     WORK_MOST};
        path = edges_path(&world, (struct edge_end){question->instances->first.unit, first},
                          question->instances->second.unit, out_count);
    }
    for (uint32_t i = 0; i < *out_count; i++) {
        CHECKED(path[i].from.at < list.count && path[i].to.at < list.count);
        path[i].from.at = list.was[path[i].from.at];
        path[i].to.at = list.was[path[i].to.at];
    }
    free(list.items);
    free(list.was);
    return path;
}
