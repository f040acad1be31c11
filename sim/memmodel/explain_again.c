/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "edges.h"
#include "explain_state.h"

struct again {
    struct search *search;
    struct order order;
    const struct edit *edits;
    uint32_t edit_count;
    bool *moved;              /* by happening: it was done with another one; NULL: nothing moves */
    struct edited *list;      /* what happens is written there, instead of ordered; NULL: it is ordered */
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
static void strengthen(const struct edit *edit, uint32_t spot, struct happening *happening)
{
    if (edit->spot != spot || (edit->kind != EDIT_ORDER && edit->kind != EDIT_ORDER_AND_SCOPE))
        return;
    if (!happening->success)
        happening->order = (uint8_t)(edit->fails ? edit->success : edit->order);
    else if (edit->fails)
        happening->order = (uint8_t)edit->order;
}

/* What the source would say at this place. */
static struct happening edited(const struct again *again, uint32_t at)
{
    struct happening happening = again->search->question->history->items[at];
    const struct edit *edit;
    if (edit_of(again, at, EDIT_FLAGS))
        happening.regions |= (uint8_t)(1u << again->search->question->region);
    if ((edit = edit_of(again, at, EDIT_SCOPE)) || (edit = edit_of(again, at, EDIT_ORDER_AND_SCOPE)))
        happening.scope = (uint8_t)edit->scope;
    for (uint32_t i = 0; i < again->edit_count; i++)
        strengthen(&again->edits[i], again->search->spot_of[at], &happening);
    if (edit_of(again, at, EDIT_UPDATE)) {
        happening.kind = HAPPENED_ATOMIC;
        happening.reads = true;
    }
    if (edit_of(again, at, EDIT_FENCES))
        happening.regions = REGION_GLOBAL | REGION_LOCAL;
    return happening;
}

static void fence(struct again *again, const struct happening *happening)
{
    struct agent agent;
    order_agent(&again->order, happening->by, &agent);
    order_fence(&again->order, &agent, happening->regions, (enum memory_order)happening->order, (enum memory_scope)happening->scope,
                happening->site);
}

static void atomic(struct again *again, const struct happening *happening)
{
    struct agent agent;
    const struct atomic_act act = {.address = happening->address, .size = happening->size, .region = happening->region,
                                   .reads = happening->reads, .writes = happening->writes, .svm_atomics = happening->svm_atomics,
                                   .order = (enum memory_order)happening->order,
                                   .scope = (enum memory_scope)happening->scope, .site = happening->site};
    order_agent(&again->order, happening->by, &agent);
    order_atomic(&again->order, &agent, &act);
}

static void overwrite(struct again *again, const struct happening *happening)
{
    struct agent agent;
    order_agent(&again->order, happening->by, &agent);
    order_overwrite(&again->order, &agent, happening->address, happening->size, happening->site);
}

static void write_down(struct edited *list, const struct happening *what, uint32_t was)
{
    if (list->count == list->room)
        return;
    list->was[list->count] = was;
    list->items[list->count++] = *what;
}

/* was: where it stands in the history. */
static void happen(struct again *again, const struct happening *what, uint32_t was)
{
    struct order *order = &again->order;
    enum memory_scope scope = (enum memory_scope)what->scope;
    if (again->list) {
        write_down(again->list, what, was);
        return;
    }
    switch ((enum happening_kind)what->kind) {
    case HAPPENED_BARRIER: order_barrier(order, what->by, what->regions, scope, what->site); break;
    case HAPPENED_SUB_GROUP_BARRIER:
        order_sub_group_barrier(order, what->by, what->number, what->regions, scope, what->site);
        break;
    case HAPPENED_NAMED_ARRIVAL: order_named_arrival(order, what->by, what->number); break;
    case HAPPENED_NAMED_BARRIER: order_named_barrier(order, what->by, what->regions, scope, what->site); break;
    case HAPPENED_FENCE: fence(again, what); break;
    case HAPPENED_ATOMIC: atomic(again, what); break;
    case HAPPENED_OVERWRITE: overwrite(again, what); break;
    case HAPPENED_ELSEWHERE: order_overwrite_otherwise(order, what->address, what->size, false); break;
    case HAPPENED_COPY: order_copy_start(order, what->by, what->number, what->site); break;
    case HAPPENED_COPY_WAIT: order_copy_wait(order, what->by, what->number); break;
    case HAPPENED_PARTED_ARRIVAL: order_parted_arrival(order, what->by, what->number, what->address); break;
    case HAPPENED_PARTED_BARRIER: order_parted_barrier(order, what->by, what->regions, scope, what->site); break;
    case HAPPENED_GROUP_END: order_group_end(order, what->by); break;
    }
}

static bool moves_something(const struct edit *edits, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (edits[i].kind == EDIT_MOVE)
            return true;
    }
    return false;
}

/* Where the unit's latest operation is looked up: 1 + its place in the history. */
static uint32_t *latest_of(uint32_t *table, uint32_t mask, const struct happening *items, uint64_t unit)
{
    uint32_t at = (uint32_t)(unit * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
    while (table[at] && items[table[at] - 1].by != unit)
        at = (at + 1) & mask;
    return &table[at];
}

static bool link_own(struct search *search)
{
    const struct history *history = search->question->history;
    uint32_t room = 4;
    while (room < 2 * history->count)
        room *= 2;
    uint32_t *latest = calloc(room, sizeof *latest);
    struct own *own = latest ? malloc((history->count + 1) * sizeof *own) : NULL;
    for (uint32_t at = 0; own && at < history->count; at++) {
        own[at] = (struct own){history->count, history->count};
        if (!is_own(&history->items[at]))
            continue;
        uint32_t *before = latest_of(latest, room - 1, history->items, history->items[at].by);
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
    const uint32_t count = again->search->question->history->count;
    if (!moves_something(again->edits, again->edit_count))
        return true;
    again->moved = again->search->own || link_own(again->search) ? calloc(count + 1, sizeof *again->moved) : NULL;
    return again->moved;
}

/* A release fence that came too late goes before its atomic, an acquire fence that came too early behind it. */
static void do_moved(struct again *again, uint32_t at, bool before)
{
    const struct history *history = again->search->question->history;
    const struct own *own = &again->search->own[at];
    const uint32_t fence_at = before ? own->next : own->before;
    if (fence_at == history->count || !edit_of(again, fence_at, EDIT_MOVE) || moves_forward(&history->items[fence_at]) == before)
        return;
    happen(again, &history->items[fence_at], fence_at);
    again->moved[fence_at] = true;
}

static bool is_moved(const struct again *again, uint32_t at)
{
    const struct happening *happening = &again->search->question->history->items[at];
    return again->moved && (again->moved[at] || (edit_of(again, at, EDIT_MOVE) && moves_forward(happening)));
}

/* A fence with both flags beside an atomic. */
static void happen_fence(struct again *again, const struct happening *beside, enum memory_order how, uint32_t was)
{
    struct happening happening = *beside;
    happening.kind = HAPPENED_FENCE;
    happening.regions = REGION_GLOBAL | REGION_LOCAL;
    happening.order = (uint8_t)how;
    happen(again, &happening, was);
}

/* One of the question's memory, if the edits have it there. */
static void happen_beside(struct again *again, const struct happening *beside, enum memory_order how, uint32_t at)
{
    for (uint32_t i = 0; i < again->edit_count; i++) {
        const struct edit *edit = &again->edits[i];
        struct happening happening = *beside;
        if (edit->kind != EDIT_FENCE || edit->spot != again->search->spot_of[at] || edit->order != how)
            continue;
        happening.kind = HAPPENED_FENCE;
        happening.regions = (uint8_t)(1u << again->search->question->region);
        happening.order = (uint8_t)how;
        happening.scope = (uint8_t)edit->scope;
        happen(again, &happening, at);
    }
}

static void happen_edited(struct again *again, uint32_t at)
{
    const struct happening happening = edited(again, at);
    bool fences = is_atomic(&happening) && edit_of(again, at, EDIT_FENCES);
    if (is_moved(again, at))
        return;
    if (again->moved && is_atomic(&happening))
        do_moved(again, at, true);
    if (fences && happening.writes)
        happen_fence(again, &happening, ORDER_RELEASE, at);
    if (is_atomic(&happening) && happening.writes)
        happen_beside(again, &happening, ORDER_RELEASE, at);
    happen(again, &happening, at);
    if (is_atomic(&happening) && happening.reads)
        happen_beside(again, &happening, ORDER_ACQUIRE, at);
    if (fences && happening.reads)
        happen_fence(again, &happening, ORDER_ACQUIRE, at);
    if (again->moved && is_atomic(&happening))
        do_moved(again, at, false);
}

/* Two atomics on the same bytes race no more when their scopes include each other. */
static bool scopes_meet(const struct again *again, const struct meeting *meeting, const struct agent *second)
{
    const struct question *question = again->search->question;
    const struct asked *asked[2] = {&meeting->first, &meeting->second};
    enum memory_scope scope[2];
    struct agent first;
    if (!meeting->first.atomic || !meeting->second.atomic || meeting->first.size != meeting->second.size)
        return false;
    for (int side = 0; side < 2; side++) {
        scope[side] = asked[side]->scope;
        for (uint32_t i = 0; i < again->edit_count; i++) {
            bool widens = again->edits[i].kind == EDIT_SCOPE || again->edits[i].kind == EDIT_ORDER_AND_SCOPE;
            if (widens && again->search->spots[again->edits[i].spot].site == asked[side]->site)
                scope[side] = scope_reduced(again->edits[i].scope, question->region == IN_LOCAL, question->svm_atomics);
        }
    }
    order_agent(&again->order, meeting->first.unit, &first);
    return scope_inclusive(question->rule, scope[0], &first.place, scope[1], &second->place);
}

/* The meetings whose place in the history this is: when their first access was, and whether the second comes behind it. */
static void look(const struct again *again, uint32_t at, uint64_t tick[MEETINGS_MOST], bool ordered[MEETINGS_MOST])
{
    const struct question *question = again->search->question;
    struct agent agent;
    for (uint32_t i = 0; i < again->search->meeting_count; i++) {
        const struct meeting *meeting = &question->meetings[i];
        if (at == again->search->first_at[i]) {
            order_agent(&again->order, meeting->first.unit, &agent);
            tick[i] = order_slice(&agent);
        }
        if (at != meeting->end)
            continue;
        order_agent(&again->order, meeting->second.unit, &agent);
        ordered[i] = question->unseen ? order_sees_own_image(&agent, tick[i])
                                      : order_knows(&again->order, &agent, question->region, meeting->first.unit, tick[i]) ||
                                            scopes_meet(again, meeting, &agent);
    }
}

uint32_t again_orders(struct search *search, const struct edit *edits, uint32_t count)
{
    const struct question *question = search->question;
    const struct history *history = question->history;
    struct again again = {.search = search, .edits = edits, .edit_count = count};
    uint64_t tick[MEETINGS_MOST];
    bool ordered[MEETINGS_MOST] = {false};
    uint32_t found = 0;
    search->work += history->count + 1;
    if (search->work > search->work_most)
        return 0;
    if (!begin_moves(&again)) {
        search->failed = true;
        return 0;
    }
    for (uint32_t i = 0; i < MEETINGS_MOST; i++)
        tick[i] = 1;
    order_init(&again.order, question->rule);
    order_launch_begin(&again.order, question->launch);
    for (uint32_t at = 0; at <= history->count; at++) {
        look(&again, at, tick, ordered);
        if (at < history->count)
            happen_edited(&again, at);
    }
    search->work += again.order.searched / MESSAGES_OF_WORK;
    search->failed |= again.order.failed || again.order.pool.failed;
    for (uint32_t i = 0; i < search->meeting_count && !search->failed && ordered[0]; i++)
        found += ordered[i];
    order_fini(&again.order);
    free(again.moved);
    return found;
}

/* ---- atomics that the edits make race ------------------------------------------------------------- */

/* The latest of each work-item at each place and object: who knows of that knows of the earlier ones. */
enum { LATEST_MOST = HOSTILE(256, 8) };
struct latest { struct { uint32_t at; uint64_t tick; } items[LATEST_MOST]; uint32_t count; };

static bool changes_scope(const struct search *search, const struct edit *edits, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if ((edits[i].kind == EDIT_SCOPE || edits[i].kind == EDIT_ORDER_AND_SCOPE) && is_atomic(search->spots[edits[i].spot].sample))
            return true;
    }
    return false;
}

static bool on_one_object(const struct question *question, const struct happening *a, const struct happening *b)
{
    return a->address == b->address && a->size == b->size && a->region == b->region &&
           (a->region != IN_LOCAL || unit_group(question, a->by) == unit_group(question, b->by));
}

static bool include_each_other(const struct question *question, const struct happening *a, const struct happening *b)
{
    const struct place at_a = unit_place(question->launch, a->by), at_b = unit_place(question->launch, b->by);
    return scope_inclusive(question->rule, happening_scope(a), &at_a, happening_scope(b), &at_b);
}

/* R29: no more with the edits, and nothing orders them. */
static bool clash(const struct again *again, uint32_t earlier, uint64_t tick, uint32_t later)
{
    const struct question *question = again->search->question;
    const struct happening *a = &question->history->items[earlier], *b = &question->history->items[later];
    const struct happening edited_a = edited(again, earlier), edited_b = edited(again, later);
    struct agent agent;
    if (a->by == b->by || !(a->writes || b->writes) || !on_one_object(question, a, b) || !include_each_other(question, a, b) ||
        include_each_other(question, &edited_a, &edited_b))
        return false;
    order_agent(&again->order, b->by, &agent);
    return !order_knows(&again->order, &agent, a->region, a->by, tick);
}

static bool clashes_at(const struct again *again, struct latest *latest, uint32_t at)
{
    const struct question *question = again->search->question;
    const struct happening *items = question->history->items;
    uint32_t own = latest->count;
    struct agent agent;
    for (uint32_t i = 0; i < latest->count; i++) {
        const struct happening *earlier = &items[latest->items[i].at];
        if (clash(again, latest->items[i].at, latest->items[i].tick, at))
            return true;
        if (earlier->by == items[at].by && earlier->site == items[at].site && on_one_object(question, earlier, &items[at]))
            own = i;
    }
    if (own == LATEST_MOST)
        return false;
    order_agent(&again->order, items[at].by, &agent);
    latest->items[own].at = at;
    latest->items[own].tick = order_slice(&agent);
    latest->count += own == latest->count;
    return false;
}

bool again_clashes(struct search *search, const struct edit *edits, uint32_t count)
{
    const struct history *history = search->question->history;
    struct again again = {.search = search, .edits = edits, .edit_count = count};
    struct latest latest = {.count = 0};
    bool clashes = false;
    if (!changes_scope(search, edits, count) || !begin_moves(&again))
        return false;
    search->work += history->count + 1;
    order_init(&again.order, search->question->rule);
    order_launch_begin(&again.order, search->question->launch);
    for (uint32_t at = 0; at < history->count && !clashes; at++) {
        clashes = is_atomic(&history->items[at]) && clashes_at(&again, &latest, at);
        happen_edited(&again, at);
    }
    clashes &= !again.order.failed && !again.order.pool.failed;
    order_fini(&again.order);
    free(again.moved);
    return clashes;
}

bool again_write(struct search *search, const struct found *found, struct edited *list, uint32_t *out_first)
{
    struct again again = {.search = search, .edits = found->edits, .edit_count = found->count, .list = list};
    const uint32_t end = search->question->meetings->end;
    list->room = 4 * end + 1;
    list->items = malloc(list->room * sizeof *list->items);
    list->was = malloc(list->room * sizeof *list->was);
    const bool written = list->items && list->was && begin_moves(&again);
    for (uint32_t at = 0; written && at <= end; at++) {
        if (at == search->first_at[0])
            *out_first = list->count;
        if (at < end)
            happen_edited(&again, at);
    }
    free(again.moved);
    return written;
}

bool again_known(const struct question *question, const struct moment *from, const struct moment *to)
{
    struct search search = {.question = question};
    struct again again = {.search = &search};
    struct agent agent;
    uint64_t tick = 1;
    order_init(&again.order, question->rule);
    order_launch_begin(&again.order, question->launch);
    for (uint32_t at = 0; at <= to->at; at++) {
        if (at == from->at) {
            order_agent(&again.order, from->unit, &agent);
            tick = order_slice(&agent);
        }
        if (at < to->at)
            happen(&again, &question->history->items[at], at);
    }
    order_agent(&again.order, to->unit, &agent);
    const bool known = !again.order.failed && !again.order.pool.failed && order_knows(&again.order, &agent, question->region, from->unit, tick);
    order_fini(&again.order);
    return known;
}

/* The unit's own operations from its read up to its access, which so many happenings came before, follow the store. */
bool again_read(const struct question *question, const struct moment *from, uint32_t store, const struct moment *read, uint32_t end)
{
    struct search search = {.question = question};
    struct again again = {.search = &search};
    const struct happening *items = question->history->items;
    struct agent agent;
    uint64_t tick = 1;
    order_init(&again.order, question->rule);
    order_launch_begin(&again.order, question->launch);
    for (uint32_t at = 0; at <= store; at++) {
        if (at == from->at) {
            order_agent(&again.order, from->unit, &agent);
            tick = order_slice(&agent);
        }
        if (at < read->at || !is_own(&items[at]) || items[at].by != read->unit)
            happen(&again, &items[at], at);
    }
    for (uint32_t at = read->at; at < end; at++)
        if (is_own(&items[at]) && items[at].by == read->unit)
            happen(&again, &items[at], at);
    order_agent(&again.order, read->unit, &agent);
    const bool known = !again.order.failed && !again.order.pool.failed && order_knows(&again.order, &agent, question->region, from->unit, tick);
    order_fini(&again.order);
    return known;
}

bool again_barrier(const struct question *question, const struct code_place *place)
{
    const struct meeting *meeting = question->meetings;
    const bool first_is_first = place->first == 0;
    const uint64_t from = first_is_first ? meeting->first.unit : meeting->second.unit;
    const uint64_t to = first_is_first ? meeting->second.unit : meeting->first.unit;
    struct search search = {.question = question};
    struct again again = {.search = &search};
    struct agent agent;
    uint64_t tick = 1;
    bool known = false;
    if (question->history->full || !search_locate(&search))
        return false;
    order_init(&again.order, question->rule);
    order_launch_begin(&again.order, question->launch);
    for (uint32_t at = 0; at <= meeting->end; at++) {
        if (at == (first_is_first ? search.first_at[0] : meeting->end)) {
            order_agent(&again.order, from, &agent);
            tick = order_slice(&agent);
            order_barrier(&again.order, unit_group(question, meeting->first.unit), 1u << question->region, SCOPE_WORK_GROUP, place->site);
        }
        if (at < meeting->end)
            happen(&again, &question->history->items[at], at);
    }
    if (!again.order.failed && !again.order.pool.failed) {
        order_agent(&again.order, to, &agent);
        known = order_knows(&again.order, &agent, question->region, from, tick);
    }
    order_fini(&again.order);
    return known;
}

/* Before the first release of that site, which the first access comes before if its work-group waits there; behind the last
 * acquire. NO_PLACE: there is none. */
enum { NO_PLACE = UINT32_MAX };

static uint32_t release_place(const struct question *question, const struct meeting *meeting, uint32_t site)
{
    for (uint32_t at = 0; at < meeting->end; at++)
        if (question->history->items[at].site == site && message_end(question, meeting, &question->history->items[at], true))
            return at;
    return NO_PLACE;
}

static uint32_t acquire_place(const struct question *question, const struct meeting *meeting, uint32_t site)
{
    for (uint32_t at = meeting->end; at > 0; at--)
        if (question->history->items[at - 1].site == site && message_end(question, meeting, &question->history->items[at - 1], false))
            return at;
    return NO_PLACE;
}

/* Members of the second access's work-group wait at the barrier behind the acquire: what they did behind their own, before that place of
 * the history, comes behind it. For each local id one more than where its latest acquire since the group's latest barrier is; 0: none. */
struct waiters { uint64_t first; uint32_t *own, count, to; };

static bool find_waiters(const struct question *question, const struct meeting *meeting, uint32_t site, uint32_t to, struct waiters *out)
{
    const uint64_t *local = question->launch->local_size;
    const uint64_t group = unit_group(question, meeting->second.unit);
    *out = (struct waiters){.count = (uint32_t)(local[0] * local[1] * local[2]), .to = to};
    out->first = group * out->count;
    out->own = calloc(out->count, sizeof *out->own);
    for (uint32_t at = 0; out->own && at < to; at++) {
        const struct happening *happening = &question->history->items[at];
        if (happening->kind == HAPPENED_BARRIER && happening->by == group)
            memset(out->own, 0, out->count * sizeof *out->own);
        else if (happening->site == site && message_end(question, meeting, happening, false) && happening->by - out->first < out->count)
            out->own[happening->by - out->first] = at + 1;
    }
    return out->own;
}

static bool waits_behind(const struct question *question, const struct waiters *waiters, uint32_t at)
{
    const struct happening *happening = &question->history->items[at];
    const uint64_t local = happening->by - waiters->first;
    const bool by_unit = happening->kind == HAPPENED_ATOMIC || happening->kind == HAPPENED_FENCE || happening->kind == HAPPENED_OVERWRITE;
    return waiters->own && by_unit && at < waiters->to && local < waiters->count && waiters->own[local] && at >= waiters->own[local];
}

/* Two of one work-group come by its barrier both: it does not order what they do on the same side of it. */
static bool may_part(const struct question *question, const struct meeting *meeting, uint32_t before, uint32_t behind)
{
    const struct checker_host *host = question->host;
    return unit_group(question, meeting->first.unit) != unit_group(question, meeting->second.unit) ||
           (host->precedes && host->precedes(host->self, before, behind));
}

bool again_message(const struct question *question, const struct meeting *meeting, const struct remedy *remedy)
{
    const struct question own = {.history = question->history, .launch = question->launch, .meetings = meeting, .meeting_count = 1};
    const bool sends = remedy->release_site != NO_END && may_part(question, meeting, remedy->release_site, meeting->second.site);
    const bool takes = remedy->acquire_site != NO_END && may_part(question, meeting, meeting->first.site, remedy->acquire_site);
    const uint32_t from = sends ? release_place(question, meeting, remedy->release_site) : NO_PLACE;
    const uint32_t to = takes ? acquire_place(question, meeting, remedy->acquire_site) : NO_PLACE;
    struct search search = {.question = &own};
    struct again again = {.search = &search};
    struct waiters waiters = {.own = NULL};
    struct agent agent;
    uint64_t tick = 1;
    if (question->history->full || !search_locate(&search) || (to != NO_PLACE && !find_waiters(question, meeting, remedy->acquire_site, to, &waiters)))
        return false;
    const uint32_t first_at = from < search.first_at[0] ? from : search.first_at[0];
    order_init(&again.order, question->rule);
    order_launch_begin(&again.order, question->launch);
    for (uint32_t at = 0; at <= meeting->end; at++) {
        if (at == first_at) {
            order_agent(&again.order, meeting->first.unit, &agent);
            tick = order_slice(&agent);
        }
        if (at == from)
            order_barrier(&again.order, unit_group(question, meeting->first.unit), 1u << question->region, SCOPE_WORK_GROUP, remedy->release_site);
        if (at == to)
            order_barrier(&again.order, unit_group(question, meeting->second.unit), 1u << question->region, SCOPE_WORK_GROUP, remedy->acquire_site);
        for (uint32_t behind = 0; at == to && behind < to; behind++)
            if (waits_behind(question, &waiters, behind))
                happen(&again, &question->history->items[behind], behind);
        if (at < meeting->end && !waits_behind(question, &waiters, at))
            happen(&again, &question->history->items[at], at);
    }
    free(waiters.own);
    order_agent(&again.order, meeting->second.unit, &agent);
    const bool known = !again.order.failed && !again.order.pool.failed &&
                       order_knows(&again.order, &agent, question->region, meeting->first.unit, tick);
    order_fini(&again.order);
    return known;
}

/* The fence may be at either access: nothing that it orders is between them. */
bool again_image_fence(const struct question *question, const struct code_place *place)
{
    const struct meeting *meeting = question->meetings;
    struct search search = {.question = question};
    struct again again = {.search = &search};
    struct agent agent;
    uint64_t tick = 1;
    if (question->history->full || place->first != 0 || !search_locate(&search))
        return false;
    order_init(&again.order, question->rule);
    order_launch_begin(&again.order, question->launch);
    for (uint32_t at = 0; at <= meeting->end; at++) {
        if (at == search.first_at[0]) {
            order_agent(&again.order, meeting->first.unit, &agent);
            tick = order_slice(&agent);
        }
        if (at < meeting->end)
            happen(&again, &question->history->items[at], at);
    }
    order_agent(&again.order, meeting->second.unit, &agent);
    order_fence(&again.order, &agent, REGION_IMAGE, ORDER_ACQ_REL, SCOPE_WORK_ITEM, place->site);
    order_agent(&again.order, meeting->second.unit, &agent);
    const bool sees = order_sees_own_image(&agent, tick) && !again.order.failed && !again.order.pool.failed;
    order_fini(&again.order);
    return sees;
}

/* Where the second copy begins, the second access: happenings before it. */
static uint32_t wait_place(const struct question *question)
{
    const struct meeting *meeting = question->meetings;
    uint64_t copies = meeting->second.unit < UNIT_COPIES ? 0 : 1 + meeting->second.unit - UNIT_COPIES;
    uint32_t at = 0;
    if (!copies)
        return meeting->end;
    while (at < meeting->end && (copies -= question->history->items[at].kind == HAPPENED_COPY))
        at++;
    return at;
}

bool again_wait(const struct question *question)
{
    const struct meeting *meeting = question->meetings;
    const uint64_t index = meeting->first.unit - UNIT_COPIES;
    const uint32_t place = wait_place(question);
    struct search search = {.question = question};
    struct again again = {.search = &search};
    struct agent agent;
    bool known = false;
    if (question->history->full || meeting->first.unit < UNIT_COPIES)
        return false;
    order_init(&again.order, question->rule);
    order_launch_begin(&again.order, question->launch);
    for (uint32_t at = 0; at < place; at++)
        happen(&again, &question->history->items[at], at);
    const bool waited = index < again.order.copy_count;
    if (waited)
        order_copy_wait(&again.order, again.order.copies[index].group, again.order.copies[index].number);
    if (place < meeting->end) /* the copy begins */
        happen(&again, &question->history->items[place], place);
    if (waited && !again.order.failed && !again.order.pool.failed) {
        order_agent(&again.order, meeting->second.unit, &agent);
        known = order_knows(&again.order, &agent, question->region, meeting->first.unit, meeting->first.tick);
    }
    order_fini(&again.order);
    return known;
}

/* Of members that come to a copy one after another the first ones are before it when the first access is made: behind the barrier the
 * copy begins anew. */
bool again_barrier_before(const struct question *question, uint32_t site)
{
    const struct meeting *meeting = question->meetings;
    const uint32_t began = wait_place(question);
    struct search search = {.question = question};
    struct again again = {.search = &search};
    struct agent agent;
    uint64_t tick = 1;
    bool known = false;
    if (question->history->full || meeting->second.unit < UNIT_COPIES || began == meeting->end || !search_locate(&search))
        return false;
    const struct happening *copy = &question->history->items[began];
    const uint32_t place = began > search.first_at[0] ? began : search.first_at[0];
    order_init(&again.order, question->rule);
    order_launch_begin(&again.order, question->launch);
    for (uint32_t at = 0; at <= place; at++) {
        if (at == search.first_at[0]) {
            order_agent(&again.order, meeting->first.unit, &agent);
            tick = order_slice(&agent);
        }
        if (at < place)
            happen(&again, &question->history->items[at], at);
    }
    order_barrier(&again.order, copy->by, 1u << question->region, SCOPE_WORK_GROUP, site);
    const uint64_t anew = order_copy_start(&again.order, copy->by, copy->number, copy->site);
    if (anew != UNIT_END && !again.order.failed && !again.order.pool.failed) {
        order_agent(&again.order, anew, &agent);
        known = order_knows(&again.order, &agent, question->region, meeting->first.unit, tick);
    }
    order_fini(&again.order);
    return known;
}

/* ---- a flag that is no atomic object --------------------------------------------------------------- */

struct passed { const struct passing *passing; uint32_t first_at, store_at; bool stored; };

/* A flag's passings, and where in the history its stores may be put: as late as can be within their slice. */
struct passed_on {
    const struct question *question;
    const struct flag *flag;
    struct passed items[PASSINGS_MOST];
    uint32_t count;
    uint32_t behind[MEETINGS_MOST]; /* of the first access's slice: it is asked for its tick when this many happenings were done */
    bool after[MEETINGS_MOST];      /* and the stores that are put there */
};

static bool is_of_unit(const struct question *question, const struct happening *happening, uint64_t unit)
{
    const struct place place = unit_place(question->launch, unit);
    if (is_fence(happening) || is_atomic(happening) || happening->kind == HAPPENED_OVERWRITE)
        return happening->by == unit;
    if (happening->kind == HAPPENED_SUB_GROUP_BARRIER)
        return happening->by == place.group && happening->number == place.sub_group;
    return happening->by == place.group && (is_barrier(happening) || happening->kind == HAPPENED_GROUP_END);
}

/* The end of its slice, or where its value was read. */
static uint32_t latest_place(const struct passed_on *on, const struct passed *passed)
{
    const struct history *history = on->question->history;
    uint32_t at = passed->first_at;
    while (at < passed->passing->end && !is_of_unit(on->question, &history->items[at], passed->passing->store.unit))
        at++;
    return at;
}

static void place_passings(struct passed_on *on, const struct passings *passings)
{
    for (uint32_t i = 0; i < passings->count; i++) {
        const struct passing *passing = &passings->items[(passings->next + PASSINGS_MOST - passings->count + i) % PASSINGS_MOST];
        const struct meeting store = {.first = passing->store, .end = passing->end};
        const struct question question = {.history = on->question->history, .meetings = &store, .meeting_count = 1};
        struct search search = {.question = &question};
        struct passed *passed = &on->items[on->count];
        if (passing->store.site != on->flag->store || passing->load.site != on->flag->load || passing->region != on->flag->region || !search_locate(&search))
            continue;
        *passed = (struct passed){.passing = passing, .first_at = search.first_at[0]};
        passed->store_at = latest_place(on, passed);
        on->count++;
    }
}

/* What may come behind a store in its slice is not published by it. */
static void place_meeting(struct passed_on *on, uint32_t index, uint32_t first_at)
{
    const struct checker_host *host = on->question->host;
    const struct asked *first = &on->question->meetings[index].first;
    on->behind[index] = first_at;
    on->after[index] = false;
    for (uint32_t i = 0; i < on->count; i++) {
        const struct passed *passed = &on->items[i];
        if (passed->passing->store.atomic || passed->passing->store.unit != first->unit || passed->first_at != first_at ||
            (host->precedes && host->precedes(host->self, first->site, on->flag->store)))
            continue;
        on->after[index] = true;
        if (passed->store_at > on->behind[index])
            on->behind[index] = passed->store_at;
    }
}

static void act_on_flag(struct again *again, const struct passed_on *on, const struct passing *passing, bool stores)
{
    const struct asked *asked = stores ? &passing->store : &passing->load;
    happen(again, &(struct happening){.kind = HAPPENED_ATOMIC, .order = stores ? ORDER_RELEASE : ORDER_ACQUIRE,
                                      .scope = (uint8_t)on->flag->scope, .region = (int8_t)passing->region, .reads = !stores,
                                      .writes = stores, .site = asked->site, .size = asked->size, .by = asked->unit,
                                      .address = passing->address}, 0);
}

/* The slices of first accesses, by that unit; UNIT_END: by whomever. */
static void ask_first(struct again *again, const struct passed_on *on, uint32_t at, bool after, uint64_t unit, uint64_t tick[])
{
    struct agent agent;
    for (uint32_t i = 0; i < again->search->meeting_count; i++) {
        const uint64_t first = on->question->meetings[i].first.unit;
        if (on->behind[i] != at || on->after[i] != after || (unit != UNIT_END && first != unit))
            continue;
        order_agent(&again->order, first, &agent);
        tick[i] = order_slice(&agent);
    }
}

/* Both by one work-item: did the load begin the slice of the store, or does the code have it first? */
static bool loads_first(const struct passed_on *on, const struct passed *load, const struct passed *store)
{
    const struct checker_host *host = on->question->host;
    const struct passing *passing = load->passing;
    const struct happening *items = on->question->history->items;
    uint32_t at = passing->end;
    while (at > 0 && !is_of_unit(on->question, &items[at - 1], passing->load.unit))
        at--;
    return (at > 0 && at <= store->first_at && is_atomic(&items[at - 1]) && items[at - 1].writes && items[at - 1].site == passing->load.site) ||
           (host->precedes && host->precedes(host->self, passing->load.site, on->flag->store));
}

/* Those that are put there, before the load: what it read, and its own work-item's, but for those that it comes before. NULL: the others. */
static void store_before(struct again *again, struct passed_on *on, uint32_t at, const struct passed *load, uint64_t tick[])
{
    for (uint32_t i = 0; i < on->count; i++) {
        struct passed *store = &on->items[i];
        const struct asked *asked = &store->passing->store;
        if (store->store_at != at || asked->atomic || store->stored ||
            (load && store != load && (asked->unit != load->passing->load.unit || loads_first(on, load, store))))
            continue;
        act_on_flag(again, on, store->passing, true);
        store->stored = true;
        ask_first(again, on, at, true, asked->unit, tick);
    }
}

/* Loads, the stores that they read, and second accesses, in the order in which they were done. */
static uint32_t ask_second(struct again *again, struct passed_on *on, uint32_t at, uint64_t tick[], bool *out_first)
{
    const struct question *question = on->question;
    const uint32_t meetings = again->search->meeting_count;
    uint32_t found = 0, passed = 0;
    struct agent agent;
    for (uint32_t i = 0; i <= meetings; i++) {
        const struct meeting *meeting = i < meetings ? &question->meetings[i] : NULL;
        for (; passed < on->count && (!meeting || on->items[passed].passing->when < meeting->when); passed++) {
            if (on->items[passed].passing->end != at)
                continue;
            store_before(again, on, at, &on->items[passed], tick);
            act_on_flag(again, on, on->items[passed].passing, false);
        }
        if (!meeting || meeting->end != at)
            continue;
        order_agent(&again->order, meeting->second.unit, &agent);
        const bool ordered = order_knows(&again->order, &agent, question->region, meeting->first.unit, tick[i]);
        *out_first |= ordered && i == 0;
        found += ordered;
    }
    return found;
}

/* As the source has it with the edit. */
static void happen_with_flag(struct again *again, const struct passed_on *on, uint32_t at)
{
    struct happening happening = again->search->question->history->items[at];
    if (happening.site == on->flag->store && happening.kind == HAPPENED_OVERWRITE)
        return; /* the store that is put where it may be */
    if (is_atomic(&happening) && happening.site == on->flag->store) {
        happening.order = (uint8_t)(happening.order == ORDER_RELAXED ? ORDER_RELEASE : happening.order == ORDER_ACQUIRE ? ORDER_ACQ_REL : happening.order);
        happening.scope = (uint8_t)on->flag->scope;
    }
    happen(again, &happening, at);
}

uint32_t again_flag(const struct question *question, const struct passings *passings, const struct flag *flag)
{
    const struct history *history = question->history;
    struct search search = {.question = question};
    struct again again = {.search = &search};
    struct passed_on on = {.question = question, .flag = flag};
    uint64_t tick[MEETINGS_MOST];
    uint32_t found = 0;
    bool first = false;
    if (history->full || !search_locate(&search))
        return 0;
    place_passings(&on, passings);
    for (uint32_t i = 0; i < search.meeting_count; i++) {
        tick[i] = UINT64_MAX;
        place_meeting(&on, i, search.first_at[i]);
    }
    order_init(&again.order, question->rule);
    order_launch_begin(&again.order, question->launch);
    for (uint32_t at = 0; at <= history->count; at++) {
        ask_first(&again, &on, at, false, UNIT_END, tick);
        found += ask_second(&again, &on, at, tick, &first);
        store_before(&again, &on, at, NULL, tick);
        if (at < history->count)
            happen_with_flag(&again, &on, at);
    }
    const bool failed = again.order.failed || again.order.pool.failed;
    order_fini(&again.order);
    return first && !failed ? found : 0;
}
