/* SPDX-License-Identifier: Apache-2.0 */
/* Edits that move or strengthen operations: a new log is written and replayed. */
#include <stdlib.h>
#include <string.h>

#include "edges.h"
#include "explain_replay.h"

struct again {
    struct search *search;
    struct replay replay;
    const struct edit *edits;
    uint32_t edit_count;
    bool *moved;                   /* by sync operation: it was done with another one; NULL: nothing moves */
    bool fences;                   /* the edits put some beside atomics */
    uint64_t clock[MEETINGS_MOST]; /* of the first accesses */
    bool ordered[MEETINGS_MOST];   /* the second access comes after the first */
    struct edited *list; /* what happens is written there, instead of ordered; NULL: it is ordered */
    uint32_t first;      /* how much of it comes before the first access of the first meeting */
};

static const struct edit *edit_of(const struct again *again, uint32_t at, enum edit_kind kind)
{
    for (uint32_t i = 0; i < again->edit_count; i++) {
        if (again->edits[i].spot == again->search->spot_of[at] && again->edits[i].kind == kind)
            return &again->edits[i];
    }
    return NULL;
}

/* Success and failure of a compare-exchange have an order each. */
static void strengthen(const struct edit *edit, uint32_t spot, struct sync_op *sync_op)
{
    if (edit->spot != spot || (edit->kind != EDIT_ORDER && edit->kind != EDIT_ORDER_AND_SCOPE))
        return;
    if (!sync_op->success)
        sync_op->order = (uint8_t)(edit->fails ? edit->success : edit->order);
    else if (edit->fails)
        sync_op->order = (uint8_t)edit->order;
}

/* As the source would be at this place. */
static struct sync_op edited(const struct again *again, uint32_t at)
{
    struct sync_op sync_op = again->search->question->sync_log->items[at];
    const struct edit *edit;
    if (edit_of(again, at, EDIT_FLAGS))
        sync_op.regions |= (uint8_t)(1u << again->search->question->region);
    if ((edit = edit_of(again, at, EDIT_SCOPE)) || (edit = edit_of(again, at, EDIT_ORDER_AND_SCOPE)))
        sync_op.scope = (uint8_t)edit->scope;
    for (uint32_t i = 0; i < again->edit_count; i++)
        strengthen(&again->edits[i], again->search->spot_of[at], &sync_op);
    if ((edit = edit_of(again, at, EDIT_STORE))) {
        sync_op.kind = HAPPENED_ATOMIC;
        sync_op.writes = true;
        sync_op.order = ORDER_RELAXED;
        sync_op.scope = (uint8_t)edit->scope;
    }
    if (edit_of(again, at, EDIT_UPDATE)) {
        sync_op.kind = HAPPENED_ATOMIC;
        sync_op.reads = true;
    }
    if (edit_of(again, at, EDIT_FENCES))
        sync_op.regions = REGION_GLOBAL | REGION_LOCAL;
    return sync_op;
}

static void write_down(struct edited *list, const struct sync_op *what, uint32_t was)
{
    if (list->count == list->room)
        return;
    list->was[list->count] = was;
    list->items[list->count++] = *what;
}

/* was: where it stands in the history. */
static void happen(struct again *again, const struct sync_op *what, uint32_t was)
{
    if (again->list)
        write_down(again->list, what, was);
    else
        replay_happen(&again->replay, what);
}

static bool moves_something(const struct edit *edits, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (edits[i].kind == EDIT_MOVE)
            return true;
    }
    return false;
}

static bool puts_fences(const struct edit *edits, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (edits[i].kind == EDIT_MOVE || edits[i].kind == EDIT_FENCE || edits[i].kind == EDIT_FENCES)
            return true;
    }
    return false;
}

/* The index of the unit's latest operation: 1 + its place in the history. */
static uint32_t *latest_of(uint32_t *table, uint32_t mask, const struct sync_op *items, uint64_t unit)
{
    uint32_t at = (uint32_t)(unit * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
    while (table[at] && items[table[at] - 1].by != unit)
        at = (at + 1) & mask;
    return &table[at];
}

static bool link_own(struct search *search)
{
    const struct sync_log *sync_log = search->question->sync_log;
    uint32_t room = 4;
    while (room < 2 * sync_log->count)
        room *= 2;
    uint32_t *latest = calloc(room, sizeof *latest);
    struct own *own = latest ? malloc((sync_log->count + 1) * sizeof *own) : NULL;
    for (uint32_t at = 0; own && at < sync_log->count; at++) {
        own[at] = (struct own){sync_log->count, sync_log->count};
        if (!is_own(&sync_log->items[at]))
            continue;
        uint32_t *before = latest_of(latest, room - 1, sync_log->items, sync_log->items[at].by);
        if (*before) {
            own[at].before = *before - 1;
            own[*before - 1].next = at;
        }
        *before = at + 1;
    }
    free(latest);
    search->own = own;
    return own;
}

/* Room for what moves, if anything does; false: no memory. */
static bool begin_moves(struct again *again)
{
    const uint32_t count = again->search->question->sync_log->count;
    if (!moves_something(again->edits, again->edit_count))
        return true;
    again->moved =
        again->search->own || link_own(again->search) ? calloc(count + 1, sizeof *again->moved) : NULL;
    return again->moved;
}

/* A release fence that came too late goes before its atomic, an acquire fence that came too early after
 * it. */
static void do_moved(struct again *again, uint32_t at, bool before)
{
    const struct sync_log *sync_log = again->search->question->sync_log;
    const struct own *own = &again->search->own[at];
    const uint32_t fence_at = before ? own->next : own->before;
    if (fence_at == sync_log->count || !edit_of(again, fence_at, EDIT_MOVE) ||
        moves_forward(&sync_log->items[fence_at]) == before)
        return;
    happen(again, &sync_log->items[fence_at], fence_at);
    again->moved[fence_at] = true;
}

static bool is_moved(const struct again *again, uint32_t at)
{
    const struct sync_op *sync_op = &again->search->question->sync_log->items[at];
    return again->moved && (again->moved[at] || (edit_of(again, at, EDIT_MOVE) && moves_forward(sync_op)));
}

/* A fence with both flags beside an atomic. */
static void happen_fence(struct again *again, const struct sync_op *beside, enum memory_ordering how,
                         uint32_t was)
{
    struct sync_op sync_op = *beside;
    sync_op.kind = HAPPENED_FENCE;
    sync_op.regions = REGION_GLOBAL | REGION_LOCAL;
    sync_op.order = (uint8_t)how;
    happen(again, &sync_op, was);
}

/* One of the question's memory, if the edits have it there. */
static void happen_beside(struct again *again, const struct sync_op *beside, enum memory_ordering how,
                          uint32_t at)
{
    for (uint32_t i = 0; i < again->edit_count; i++) {
        const struct edit *edit = &again->edits[i];
        struct sync_op sync_op = *beside;
        if (edit->kind != EDIT_FENCE || edit->spot != again->search->spot_of[at] || edit->order != how)
            continue;
        sync_op.kind = HAPPENED_FENCE;
        sync_op.regions = (uint8_t)(1u << again->search->question->region);
        sync_op.order = (uint8_t)how;
        sync_op.scope = (uint8_t)edit->scope;
        happen(again, &sync_op, at);
    }
}

/* Two atomics on the same bytes race no more when their scopes include each other. */
static bool scopes_meet(const struct again *again, const struct meeting *meeting,
                        const struct unit_state *second)
{
    const struct question *question = again->search->question;
    const struct asked *asked[2] = {&meeting->first, &meeting->second};
    enum memory_scope scope[2];
    struct unit_state first;
    if (!meeting->first.atomic || !meeting->second.atomic || meeting->first.size != meeting->second.size)
        return false;
    for (int side = 0; side < 2; side++) {
        scope[side] = asked[side]->scope;
        for (uint32_t i = 0; i < again->edit_count; i++) {
            bool widens = again->edits[i].kind == EDIT_SCOPE || again->edits[i].kind == EDIT_ORDER_AND_SCOPE;
            if (widens && again->search->spots[again->edits[i].spot].site == asked[side]->site)
                scope[side] =
                    scope_reduced(again->edits[i].scope, question->region == IN_LOCAL, question->svm_atomics);
        }
    }
    order_unit_state(&again->replay.order, meeting->first.unit, &first);
    return scope_inclusive(question->rule, scope[0], &first.place, scope[1], &second->place);
}

static void ask_first(struct again *again, uint32_t meeting)
{
    if (!again->list)
        again->clock[meeting] =
            replay_slice(&again->replay, again->search->question->meetings[meeting].first.unit);
    else if (meeting == 0)
        again->first = again->list->count;
}

static void ask_second(struct again *again, uint32_t index)
{
    const struct question *question = again->search->question;
    const struct meeting *meeting = &question->meetings[index];
    struct unit_state unit_state;
    if (again->list) {
        /* nothing more comes before it */
        again->list->room = index == 0 ? again->list->count : again->list->room;
        return;
    }
    order_unit_state(&again->replay.order, meeting->second.unit, &unit_state);
    again->ordered[index] = question->device_dirty
                                ? order_sees_own_image(&unit_state, again->clock[index])
                                : order_has(&again->replay.order, &unit_state, question->region,
                                            meeting->first.unit, again->clock[index]) ||
                                      scopes_meet(again, meeting, &unit_state);
}

/* The meetings whose place in the history this is, but for accesses beside which a fence is put. */
static void look(struct again *again, uint32_t at)
{
    const struct search *search = again->search;
    for (uint32_t i = 0; i < search->meeting_count; i++) {
        if (at == search->first_at[i] && !(again->fences && search->first_act[i] != NO_ACT))
            ask_first(again, i);
        if (at == search->question->meetings[i].end && !(again->fences && search->second_act[i] != NO_ACT))
            ask_second(again, i);
    }
}

/* An atomic that is an access itself is after what is put before it, and before what is put after it. */
static void look_within(struct again *again, uint32_t at, bool past)
{
    const struct search *search = again->search;
    for (uint32_t i = 0; again->fences && i < search->meeting_count; i++) {
        if (!past && at == search->first_act[i])
            ask_first(again, i);
        if (past && at == search->second_act[i])
            ask_second(again, i);
    }
}

static void happen_edited(struct again *again, uint32_t at)
{
    const struct sync_op sync_op = edited(again, at);
    bool fences = is_atomic(&sync_op) && edit_of(again, at, EDIT_FENCES);
    if (is_moved(again, at))
        return;
    if (again->moved && is_atomic(&sync_op))
        do_moved(again, at, true);
    if (fences && sync_op.writes)
        happen_fence(again, &sync_op, ORDER_RELEASE, at);
    if (is_atomic(&sync_op) && sync_op.writes)
        happen_beside(again, &sync_op, ORDER_RELEASE, at);
    look_within(again, at, false);
    happen(again, &sync_op, at);
    look_within(again, at, true);
    if (is_atomic(&sync_op) && sync_op.reads)
        happen_beside(again, &sync_op, ORDER_ACQUIRE, at);
    if (fences && sync_op.reads)
        happen_fence(again, &sync_op, ORDER_ACQUIRE, at);
    if (again->moved && is_atomic(&sync_op))
        do_moved(again, at, false);
}

uint32_t again_orders(struct search *search, const struct edit *edits, uint32_t count)
{
    const struct question *question = search->question;
    const struct sync_log *sync_log = question->sync_log;
    struct again again = {
        .search = search, .edits = edits, .edit_count = count, .fences = puts_fences(edits, count)};
    uint32_t found = 0;
    search->work += sync_log->count + 1;
    if (search->work > search->work_most)
        return 0;
    if (!begin_moves(&again)) {
        search->failed = true;
        return 0;
    }
    for (uint32_t i = 0; i < MEETINGS_MOST; i++)
        again.clock[i] = UINT64_MAX;
    replay_begin(&again.replay, question);
    for (uint32_t at = 0; at <= sync_log->count; at++) {
        look(&again, at);
        if (at < sync_log->count)
            happen_edited(&again, at);
    }
    search->work += again.replay.order.searched / RELEASE_CLOCKS_OF_WORK;
    search->failed |= replay_failed(&again.replay);
    for (uint32_t i = 0; i < search->meeting_count && !search->failed && again.ordered[0]; i++)
        found += again.ordered[i];
    replay_end(&again.replay, found != 0);
    free(again.moved);
    return found;
}

/* ---- atomics that the edits make race ------------------------------------------------------------- */

/* The latest of each work-item at each place and object: a unit that it happens before has the earlier ones
 * before it, too. */
enum { LATEST_MOST = HOSTILE(256, 8) };
struct latest {
    struct {
        uint32_t at;
        uint64_t clock;
    } items[LATEST_MOST];
    uint32_t count;
};

static bool changes_scope(const struct search *search, const struct edit *edits, uint32_t count)
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
    return a->address == b->address && a->size == b->size && a->region == b->region &&
           (a->region != IN_LOCAL || unit_group(question, a->by) == unit_group(question, b->by));
}

static bool include_each_other(const struct question *question, const struct sync_op *a,
                               const struct sync_op *b)
{
    const struct place at_a = unit_place(question->launch, a->by), at_b = unit_place(question->launch, b->by);
    return scope_inclusive(question->rule, sync_op_scope(a), &at_a, sync_op_scope(b), &at_b);
}

/* R29: no more with the edits, and nothing orders them. */
static bool clash(const struct again *again, uint32_t earlier, uint64_t clock, uint32_t later)
{
    const struct question *question = again->search->question;
    const struct sync_op *a = &question->sync_log->items[earlier], *b = &question->sync_log->items[later];
    const struct sync_op edited_a = edited(again, earlier), edited_b = edited(again, later);
    struct unit_state unit_state;
    if (a->by == b->by || !(a->writes || b->writes) || !on_one_object(question, a, b) ||
        !include_each_other(question, a, b) || include_each_other(question, &edited_a, &edited_b))
        return false;
    order_unit_state(&again->replay.order, b->by, &unit_state);
    return !order_has(&again->replay.order, &unit_state, a->region, a->by, clock);
}

static bool clashes_at(const struct again *again, struct latest *latest, uint32_t at)
{
    const struct question *question = again->search->question;
    const struct sync_op *items = question->sync_log->items;
    uint32_t own = latest->count;
    for (uint32_t i = 0; i < latest->count; i++) {
        const struct sync_op *earlier = &items[latest->items[i].at];
        if (clash(again, latest->items[i].at, latest->items[i].clock, at))
            return true;
        if (earlier->by == items[at].by && earlier->site == items[at].site &&
            on_one_object(question, earlier, &items[at]))
            own = i;
    }
    if (own == LATEST_MOST)
        return false;
    latest->items[own].at = at;
    latest->items[own].clock = replay_slice(&again->replay, items[at].by);
    latest->count += own == latest->count;
    return false;
}

bool again_clashes(struct search *search, const struct edit *edits, uint32_t count)
{
    const struct sync_log *sync_log = search->question->sync_log;
    struct again again = {.search = search, .edits = edits, .edit_count = count};
    struct latest latest = {.count = 0};
    bool clashes = false;
    if (!changes_scope(search, edits, count) || !begin_moves(&again))
        return false;
    search->work += sync_log->count + 1;
    replay_begin(&again.replay, search->question);
    for (uint32_t at = 0; at < sync_log->count && !clashes; at++) {
        clashes = is_atomic(&sync_log->items[at]) && clashes_at(&again, &latest, at);
        happen_edited(&again, at);
    }
    clashes = replay_end(&again.replay, clashes);
    free(again.moved);
    return clashes;
}

bool again_write(struct search *search, const struct found *found, struct edited *list, uint32_t *out_first)
{
    struct again again = {.search = search,
                          .edits = found->edits,
                          .edit_count = found->count,
                          .list = list,
                          .fences = puts_fences(found->edits, found->count)};
    const uint32_t end = search->question->meetings->end;
    list->room = 4 * end + 1;
    list->items = malloc(list->room * sizeof *list->items);
    list->was = malloc(list->room * sizeof *list->was);
    const bool written = list->items && list->was && begin_moves(&again);
    for (uint32_t at = 0; written && at <= end; at++) {
        look(&again, at);
        if (at < end)
            happen_edited(&again, at);
    }
    *out_first = again.first;
    free(again.moved);
    return written;
}

bool again_known(const struct question *question, const struct clock_snapshot *from,
                 const struct clock_snapshot *to)
{
    struct replay replay;
    replay_begin(&replay, question);
    replay_until(&replay, 0, from->at);
    const uint64_t slice = replay_slice(&replay, from->unit);
    replay_until(&replay, from->at, to->at);
    return replay_end(&replay, replay_has(&replay, to->unit, from->unit, slice));
}

/* The unit's own operations from its read up to its access, which so many sync operations came before,
 * follow the store. */
bool again_read(const struct question *question, const struct clock_snapshot *from, uint32_t store,
                const struct clock_snapshot *read, uint32_t end)
{
    const struct sync_op *items = question->sync_log->items;
    uint64_t slice = 1;
    struct replay replay;
    replay_begin(&replay, question);
    for (uint32_t at = 0; at <= store; at++) {
        if (at == from->at)
            slice = replay_slice(&replay, from->unit);
        if (at < read->at || !is_own(&items[at]) || items[at].by != read->unit)
            replay_happen(&replay, &items[at]);
    }
    for (uint32_t at = read->at; at < end; at++)
        if (is_own(&items[at]) && items[at].by == read->unit)
            replay_happen(&replay, &items[at]);
    return replay_end(&replay, replay_has(&replay, read->unit, from->unit, slice));
}
