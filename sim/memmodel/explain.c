/* SPDX-License-Identifier: Apache-2.0 */
#include "explain.h"

#include <stdlib.h>
#include <string.h>

#include "edges.h"

/* ---- edits ---------------------------------------------------------------------------- */

/* In the order in which they are tried. A fence on the wrong side is found before one that is not there. */
enum edit_kind { EDIT_FLAGS, EDIT_SCOPE, EDIT_MOVE, EDIT_ORDER, EDIT_FENCES, EDIT_UPDATE, EDIT_ORDER_AND_SCOPE, EDIT_KINDS };

/* One operation of the source, wherever it runs. */
struct spot {
    const struct happening *sample;
    uint64_t by;              /* the first unit or group that did it */
    bool reads, writes;
    uint32_t site;
};

struct edit {
    enum edit_kind kind;
    uint32_t spot;
    enum memory_scope scope;  /* of EDIT_SCOPE, EDIT_ORDER_AND_SCOPE */
    enum memory_order order;  /* of EDIT_ORDER, EDIT_ORDER_AND_SCOPE */
};

enum { SPOTS_MOST = 16, EDITS_MOST = SPOTS_MOST * 8, WORK_MOST = 1 << 22, WORK_MORE = 1 << 19 };

struct search {
    const struct question *question;
    uint32_t first_at[MEETINGS_MOST]; /* the first access of each meeting comes behind so many happenings */
    uint32_t meeting_count;   /* of those that are located */
    uint32_t *spot_of;        /* of each happening, SPOTS_MOST: none */
    struct spot spots[SPOTS_MOST];
    uint32_t spot_count, spots_most;
    struct edit edits[EDITS_MOST];
    uint32_t edit_count;
    uint64_t work, work_most; /* happenings ordered so far */
    bool failed;              /* no memory */
};

/* The smallest edits that order most of the meetings so far. */
struct found { struct edit edits[2]; uint32_t count, ordered; };

static bool is_barrier(const struct happening *happening)
{
    return happening->kind <= HAPPENED_NAMED_BARRIER;
}

static bool is_atomic(const struct happening *happening)
{
    return happening->kind == HAPPENED_ATOMIC;
}

static bool is_fence(const struct happening *happening)
{
    return happening->kind == HAPPENED_FENCE;
}

/* ---- the launch again ----------------------------------------------------------------------- */

struct again {
    struct search *search;
    struct order order;
    const struct edit *edits;
    uint32_t edit_count;
    bool *moved;              /* by happening: it was done with another one; NULL: nothing moves */
    struct edited *list;      /* what happens is written there, instead of ordered; NULL: it is ordered */
};

/* The history with the edits, and which happening each one was. */
struct edited { struct happening *items; uint32_t *was; uint32_t count, room; };

static const struct edit *edit_of(const struct again *again, uint32_t at, enum edit_kind kind)
{
    for (uint32_t i = 0; i < again->edit_count; i++) {
        if (again->edits[i].spot == again->search->spot_of[at] && again->edits[i].kind == kind)
            return &again->edits[i];
    }
    return NULL;
}

static enum memory_order stronger(const struct happening *happening)
{
    if (happening->order == ORDER_SEQ_CST)
        return ORDER_SEQ_CST;
    if (is_fence(happening) || (happening->reads && happening->writes))
        return ORDER_ACQ_REL;
    return happening->writes ? ORDER_RELEASE : ORDER_ACQUIRE;
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
    if ((edit = edit_of(again, at, EDIT_ORDER)) || (edit = edit_of(again, at, EDIT_ORDER_AND_SCOPE)))
        happening.order = (uint8_t)edit->order;
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
    case HAPPENED_COPY: order_copy_start(order, what->by, what->number, what->site); break;
    case HAPPENED_COPY_WAIT: order_copy_wait(order, what->by, what->number); break;
    case HAPPENED_GROUP_END: order_group_end(order, what->by); break;
    }
}

/* The next operation of the same unit. */
static uint32_t next_own(const struct history *history, uint32_t at)
{
    for (uint32_t i = at + 1; i < history->count; i++) {
        if ((is_fence(&history->items[i]) || is_atomic(&history->items[i])) && history->items[i].by == history->items[at].by)
            return i;
    }
    return history->count;
}

static bool moves_forward(const struct happening *fence)
{
    return fence->order == ORDER_ACQUIRE;
}

/* A release fence that came too late goes before its atomic, an acquire fence that came too early behind it. */
static void do_moved(struct again *again, uint32_t at, bool before)
{
    const struct history *history = again->search->question->history;
    for (uint32_t i = 0; before && i < again->edit_count; i++) {
        uint32_t fence_at = again->edits[i].kind == EDIT_MOVE ? next_own(history, at) : history->count;
        if (fence_at < history->count && edit_of(again, fence_at, EDIT_MOVE) && !moves_forward(&history->items[fence_at])) {
            happen(again, &history->items[fence_at], fence_at);
            again->moved[fence_at] = true;
        }
    }
    for (uint32_t i = 0; !before && i < at; i++) {
        if (edit_of(again, i, EDIT_MOVE) && moves_forward(&history->items[i]) && next_own(history, i) == at)
            happen(again, &history->items[i], i);
    }
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
    happen(again, &happening, at);
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

static bool moves_something(const struct edit *edits, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (edits[i].kind == EDIT_MOVE)
            return true;
    }
    return false;
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
        ordered[i] = order_knows(&again->order, &agent, question->region, meeting->first.unit, tick[i]) ||
                     scopes_meet(again, meeting, &agent);
    }
}

/* Orders the launch again with the edits: in how many meetings would the second access come behind the first? 0: not in
 * the one that was asked about. */
static uint32_t orders(struct search *search, const struct edit *edits, uint32_t count)
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
    if (moves_something(edits, count) && !(again.moved = calloc(history->count + 1, sizeof *again.moved))) {
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
    search->failed |= again.order.failed || again.order.pool.failed;
    for (uint32_t i = 0; i < search->meeting_count && !search->failed && ordered[0]; i++)
        found += ordered[i];
    order_fini(&again.order);
    free(again.moved);
    return found;
}

/* ---- what could be edited --------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
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
    return at_a.line && at_a.line == at_b.line && at_a.column == at_b.column && same_text(at_a.file, at_b.file);
}

static uint32_t spot_find(struct search *search, const struct happening *happening)
{
    if (happening->kind > HAPPENED_OVERWRITE)
        return SPOTS_MOST;
    for (uint32_t i = 0; i < search->spot_count; i++) {
        if (same_place(search, search->spots[i].site, happening->site))
            return i;
    }
    if (search->spot_count == search->spots_most)
        return SPOTS_MOST;
    search->spots[search->spot_count] = (struct spot){.sample = happening, .by = happening->by, .site = happening->site};
    return search->spot_count++;
}

/* The latest ones first: what stands near the second access is the likelier mistake. */
static bool find_spots(struct search *search)
{
    const struct history *history = search->question->history;
    search->spot_of = malloc((history->count + 1) * sizeof *search->spot_of);
    for (uint32_t at = history->count; search->spot_of && at-- > 0;) {
        const struct happening *happening = &history->items[at];
        uint32_t spot = search->spot_of[at] = spot_find(search, happening);
        if (spot == SPOTS_MOST)
            continue;
        search->spots[spot].sample = happening;
        search->spots[spot].by = happening->by;
        search->spots[spot].reads |= happening->reads;
        search->spots[spot].writes |= happening->writes;
    }
    return search->spot_of != NULL;
}

static void add_edit(struct search *search, enum edit_kind kind, uint32_t spot, enum memory_scope scope, enum memory_order order)
{
    if (search->edit_count < EDITS_MOST)
        search->edits[search->edit_count++] = (struct edit){kind, spot, scope, order};
}

/* A relaxed read-modify-write may be one end of the edge and need no more than that. */
static void add_orders(struct search *search, uint32_t spot, enum memory_scope scope)
{
    const struct happening *sample = search->spots[spot].sample;
    if (is_atomic(sample) && sample->reads && sample->writes && sample->order == ORDER_RELAXED) {
        add_edit(search, EDIT_ORDER, spot, scope, ORDER_ACQUIRE);
        add_edit(search, EDIT_ORDER, spot, scope, ORDER_RELEASE);
    }
    add_edit(search, EDIT_ORDER, spot, scope, stronger(sample));
}

static bool wants(const struct search *search, uint32_t index, enum edit_kind kind)
{
    const struct happening *sample = search->spots[index].sample;
    int region = search->question->region;
    switch (kind) {
    case EDIT_FLAGS: return (is_barrier(sample) || is_fence(sample)) && !(sample->regions >> region & 1);
    case EDIT_SCOPE: return is_atomic(sample) || is_fence(sample);
    case EDIT_ORDER: return (is_atomic(sample) || is_fence(sample)) && stronger(sample) != sample->order;
    case EDIT_FENCES:
        return (is_atomic(sample) && sample->region != region) ||
               (is_fence(sample) && (sample->regions & (REGION_GLOBAL | REGION_LOCAL)) != (REGION_GLOBAL | REGION_LOCAL));
    case EDIT_UPDATE: return (is_atomic(sample) && !sample->reads) || sample->kind == HAPPENED_OVERWRITE;
    case EDIT_MOVE: return is_fence(sample);
    case EDIT_ORDER_AND_SCOPE: return is_atomic(sample) && stronger(sample) != sample->order;
    default: return false;
    }
}

static bool is_widening(enum edit_kind kind)
{
    return kind == EDIT_SCOPE || kind == EDIT_ORDER_AND_SCOPE;
}

/* A scope that holds both; a wider one only where it is not already. */
static void list_edits(struct search *search, enum memory_scope scope)
{
    for (enum edit_kind kind = 0; kind < EDIT_KINDS; kind++) {
        for (uint32_t spot = 0; spot < search->spot_count; spot++) {
            if (!wants(search, spot, kind) || (is_widening(kind) && search->spots[spot].sample->scope == scope))
                continue;
            if (kind == EDIT_ORDER)
                add_orders(search, spot, scope);
            else
                add_edit(search, kind, spot, scope, stronger(search->spots[spot].sample));
        }
    }
}

/* Tries them, and keeps them if more meetings are ordered than by what was found before. */
static bool try_edits(struct search *search, const struct edit *edits, uint32_t count, struct found *found)
{
    const uint32_t ordered = orders(search, edits, count);
    if (ordered > found->ordered) {
        *found = (struct found){.count = count, .ordered = ordered};
        memcpy(found->edits, edits, count * sizeof *edits);
    }
    return found->ordered == search->meeting_count;
}

/* Something is found: a little more is worth an edit for all. */
static void hurry(struct search *search, const struct found *found)
{
    if (found->ordered && search->work_most > search->work + WORK_MORE)
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

/* Pairs of one class first: scopes of both sides, orders of both sides. */
static void search_pair(struct search *search, struct found *found)
{
    for (int alike = 1; alike >= 0; alike--) {
        for (uint32_t i = 0; i < search->edit_count; i++) {
            for (uint32_t j = i + 1; j < search->edit_count; j++) {
                const struct edit pair[2] = {search->edits[i], search->edits[j]};
                bool same = pair[0].kind == pair[1].kind;
                if (same != alike || (pair[0].spot == pair[1].spot && same))
                    continue;
                if (try_edits(search, pair, 2, found))
                    return;
                hurry(search, found);
            }
        }
    }
}

/* ---- the sentences ------------------------------------------------------------------------------- */

struct saying {
    const struct search *search;
    struct answer *answer;
};

static void why_place(const struct saying *saying, uint32_t spot)
{
    wording_place(&saying->answer->why, saying->search->question->host, saying->search->spots[spot].site);
}

static void fix_place(const struct saying *saying, uint32_t spot)
{
    wording_place(&saying->answer->fix, saying->search->question->host, saying->search->spots[spot].site);
}

static const char *noun(const struct happening *sample)
{
    if (is_barrier(sample))
        return sample->kind == HAPPENED_BARRIER ? "barrier" : sample->kind == HAPPENED_NAMED_BARRIER ? "named barrier" : "sub-group barrier";
    if (is_fence(sample))
        return "fence";
    return sample->reads && sample->writes ? "read-modify-write" : sample->writes ? "store" : "load";
}

/* What an atomic or fence is in the edge that is missing. */
static const char *role(const struct happening *sample)
{
    bool releases = sample->order == ORDER_RELEASE || (sample->order >= ORDER_ACQ_REL && sample->writes && !sample->reads);
    if (is_fence(sample))
        return sample->order == ORDER_RELEASE ? "release fence" : sample->order == ORDER_ACQUIRE ? "acquire fence" : "fence";
    if (sample->order == ORDER_RELAXED)
        return noun(sample);
    return releases ? "release" : sample->writes ? "read-modify-write" : "acquire";
}

static void say_flags(const struct saying *saying, const struct edit *edit)
{
    const struct spot *spot = &saying->search->spots[edit->spot];
    int region = saying->search->question->region;
    struct answer *answer = saying->answer;
    wording_add(&answer->why, "the %s at ", noun(spot->sample));
    why_place(saying, edit->spot);
    wording_add(&answer->why, " has ");
    wording_regions(&answer->why, spot->sample->regions);
    wording_add(&answer->why, spot->sample->regions ? " only; these are %s accesses" : ": it orders no memory; these are %s accesses",
        space_word(region));
    wording_regions(&answer->fix, spot->sample->regions | 1u << region);
    wording_add(&answer->fix, " at ");
    fix_place(saying, edit->spot);
}

static uint64_t group_of(const struct saying *saying, const struct happening *sample)
{
    const uint64_t *size = saying->search->question->launch->local_size;
    return sample->kind == HAPPENED_FENCE || sample->kind == HAPPENED_ATOMIC ? sample->by / (size[0] * size[1] * size[2])
                                                                              : sample->by;
}

static void say_scope(const struct saying *saying, const struct edit *edit)
{
    const struct happening *sample = saying->search->spots[edit->spot].sample;
    struct wording *why = &saying->answer->why;
    wording_add(why, "the %s at ", role(sample));
    why_place(saying, edit->spot);
    wording_add(why, " has %s", scope_name((enum memory_scope)sample->scope));
    if (sample->scope <= SCOPE_WORK_GROUP) {
        wording_add(why, ": it reaches %s", sample->scope == SCOPE_SUB_GROUP ? "its sub-group of " : "");
        wording_group(why, saying->search->question->launch, group_of(saying, sample));
        wording_add(why, " only");
    } else if (sample->scope != edit->scope) {
        wording_add(why, ": before OpenCL 3.1 both ends of an edge need the same scope");
    }
}

/* Is the operation the end of an edge that sees what was published, with the edit? */
static bool receives(const struct saying *saying, const struct edit *edit)
{
    const struct spot *spot = &saying->search->spots[edit->spot];
    if (edit->kind == EDIT_ORDER || edit->kind == EDIT_ORDER_AND_SCOPE)
        return !spot->writes || edit->order == ORDER_ACQUIRE || spot->sample->order == ORDER_RELEASE;
    return !spot->writes || spot->sample->order == ORDER_ACQUIRE;
}

/* Who sends comes before who receives. */
static bool is_backward(const struct saying *saying, const struct edit edits[2])
{
    return receives(saying, &edits[0]) && !receives(saying, &edits[1]);
}

/* Two scopes for one edge: the two ends, and where they are. */
static void say_scopes(const struct saying *saying, const struct edit edits[2])
{
    const struct spot *spots = saying->search->spots;
    bool swapped = is_backward(saying, edits);
    const struct edit *from = &edits[swapped], *to = &edits[!swapped];
    const struct happening *sample = spots[to->spot].sample;
    struct wording *why = &saying->answer->why, *fix = &saying->answer->fix;
    say_scope(saying, from);
    wording_add(why, ", and the %s at ", role(sample));
    why_place(saying, to->spot);
    uint64_t group = group_of(saying, sample);
    if (sample->scope <= SCOPE_WORK_GROUP && group != group_of(saying, spots[from->spot].sample)) {
        wording_add(why, " that meets it is in ");
        wording_group(why, saying->search->question->launch, group);
    } else {
        wording_add(why, " has %s", scope_name((enum memory_scope)sample->scope));
    }
    wording_add(fix, "%s at ", scope_name(from->scope));
    fix_place(saying, from->spot);
    wording_add(fix, " and ");
    fix_place(saying, to->spot);
}

static void say_order(const struct saying *saying, const struct edit *edit)
{
    const struct happening *sample = saying->search->spots[edit->spot].sample;
    struct wording *why = &saying->answer->why;
    wording_add(why, "the %s at ", noun(sample));
    why_place(saying, edit->spot);
    if (is_fence(sample))
        wording_add(why, " has %s only", order_name((enum memory_order)sample->order));
    else
        wording_add(why, " is %s: %s", order_name((enum memory_order)sample->order) + strlen("memory_order_"),
            receives(saying, edit) ? "what the store published does not become visible by it"
                                   : "what was written before it does not become visible with it");
    wording_add(&saying->answer->fix, "%s%s%s at ", order_name(edit->order), edit->kind == EDIT_ORDER_AND_SCOPE ? ", " : "",
        edit->kind == EDIT_ORDER_AND_SCOPE ? scope_name(edit->scope) : "");
    fix_place(saying, edit->spot);
}

static void say_fences(const struct saying *saying, const struct edit *edit)
{
    const struct happening *sample = saying->search->spots[edit->spot].sample;
    struct wording *why = &saying->answer->why, *fix = &saying->answer->fix;
    int region = saying->search->question->region;
    if (is_fence(sample)) {
        wording_add(why, "the fence at ");
        why_place(saying, edit->spot);
        wording_add(why, " has ");
        wording_regions(why, sample->regions);
        wording_add(why, " only");
        wording_add(fix, "CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE at ");
        fix_place(saying, edit->spot);
        return;
    }
    wording_add(why, "the flag at ");
    why_place(saying, edit->spot);
    wording_add(why, " is in %s memory, the data is %s", space_word(sample->region), space_word(region));
    wording_add(fix, "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, %s, %s) %s ",
        order_name(sample->writes ? ORDER_RELEASE : ORDER_ACQUIRE), scope_name((enum memory_scope)sample->scope),
        sample->writes ? "before" : "after");
    fix_place(saying, edit->spot);
}

static void say_edit(const struct saying *saying, const struct edit *edit)
{
    struct wording *why = &saying->answer->why, *fix = &saying->answer->fix;
    const struct happening *sample = saying->search->spots[edit->spot].sample;
    switch (edit->kind) {
    case EDIT_FLAGS: say_flags(saying, edit); break;
    case EDIT_SCOPE:
        say_scope(saying, edit);
        wording_add(fix, "%s at ", scope_name(edit->scope));
        fix_place(saying, edit->spot);
        break;
    case EDIT_FENCES: say_fences(saying, edit); break;
    case EDIT_UPDATE:
        wording_add(why, "the store at ");
        why_place(saying, edit->spot);
        wording_add(why, " broke the release sequence: its value was read, and it released nothing");
        wording_add(fix, "an atomic read-modify-write at ");
        fix_place(saying, edit->spot);
        break;
    case EDIT_MOVE:
        wording_add(why, "the %s at ", role(sample));
        why_place(saying, edit->spot);
        wording_add(why, moves_forward(sample) ? " comes before the atomic that reads the flag" : " comes after the atomic that sets the flag");
        wording_add(fix, "the fence of ");
        fix_place(saying, edit->spot);
        wording_add(fix, moves_forward(sample) ? " behind that atomic" : " before that atomic");
        break;
    default: say_order(saying, edit); break;
    }
}

static void say_edits(const struct saying *saying, const struct edit *edits, uint32_t count)
{
    struct wording *why = &saying->answer->why;
    bool scopes = count == 2 && edits[0].kind == EDIT_SCOPE && edits[1].kind == EDIT_SCOPE;
    bool fences = false;
    if (scopes) {
        say_scopes(saying, edits);
        return;
    }
    bool backward = count == 2 && is_backward(saying, edits);
    for (uint32_t i = 0; i < count; i++) {
        const struct edit *edit = &edits[backward ? count - 1 - i : i];
        wording_add(why, "%s", i ? ", and " : "");
        wording_add(&saying->answer->fix, "%s", i ? ", and " : "");
        say_edit(saying, edit);
        fences |= edit->kind == EDIT_FENCES;
    }
    if (fences)
        wording_add(why, ": only fences with both flags on both sides order one memory by the other (seq_cst alone does not)");
}

/* ---- the steps -------------------------------------------------------------------------------------- */

static uint64_t unit_group(const struct question *question, uint64_t unit)
{
    const uint64_t *size = question->launch->local_size;
    return unit / (size[0] * size[1] * size[2]);
}

static bool is_step_of(const struct question *question, const struct happening *happening, uint64_t unit)
{
    if (is_atomic(happening) || is_fence(happening))
        return happening->by == unit;
    return is_barrier(happening) && unit < UNIT_COPIES && happening->by == unit_group(question, unit);
}

struct drawing {
    const struct search *search;
    struct answer *answer;
    struct edges_world world;               /* as it happened */
    struct edge_end ends[ANSWER_STEPS];     /* what the steps stand for */
    uint32_t sides[ANSWER_STEPS], count;
    uint64_t others[ANSWER_STEPS];          /* the units of sides 2 and up */
    uint32_t other_count;
};

static uint32_t side_of(struct drawing *drawing, uint64_t unit)
{
    const struct meeting *meeting = drawing->search->question->meetings;
    uint32_t other = 0;
    if (unit == meeting->first.unit || unit == meeting->second.unit)
        return unit != meeting->first.unit;
    while (other < drawing->other_count && drawing->others[other] != unit)
        other++;
    if (other == drawing->other_count)
        drawing->others[drawing->other_count++] = unit;
    return 2 + other;
}

/* ANSWER_STEPS: there are too many. */
static uint32_t draw_step(struct drawing *drawing, struct edge_end end)
{
    uint32_t at = 0;
    while (at < drawing->count && !(drawing->ends[at].unit == end.unit && drawing->ends[at].at == end.at))
        at++;
    if (at == drawing->count && at < ANSWER_STEPS) {
        drawing->ends[drawing->count] = end;
        drawing->sides[drawing->count++] = side_of(drawing, end.unit);
    }
    return at;
}

static bool has_edge(const struct drawing *drawing, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < drawing->answer->edge_count; i++) {
        const struct finding_edge *edge = &drawing->answer->edges[i];
        if (edge->from == from && edge->to == to)
            return true;
    }
    return false;
}

static void draw_edge(struct drawing *drawing, const struct edge *edge, bool synchronises)
{
    struct answer *answer = drawing->answer;
    const bool room = drawing->count + 2 <= ANSWER_STEPS && answer->edge_count < ANSWER_EDGES;
    const uint32_t from = room ? draw_step(drawing, edge->from) : ANSWER_STEPS, to = room ? draw_step(drawing, edge->to) : ANSWER_STEPS;
    if (room && !has_edge(drawing, from, to))
        answer->edges[answer->edge_count++] = (struct finding_edge){from, to, synchronises};
}

/* By which edges the second access comes behind the first once the edits are made: those that are there, and those that are
 * not yet. Of a long way both ends. */
static void draw_path(struct drawing *drawing, const struct edge *path, uint32_t count, const uint32_t *was)
{
    enum { ENDS = 2, MOST = 2 * ENDS + 2 };
    for (uint32_t i = 0, drawn = 0; i < count && drawn < MOST; i++) {
        const struct edge edge = {{path[i].from.unit, was[path[i].from.at]}, {path[i].to.unit, was[path[i].to.at]}};
        const bool synchronises = edges_synchronise(&drawing->world, &edge);
        if (synchronises && i >= ENDS && i + ENDS < count)
            continue;
        draw_edge(drawing, &edge, synchronises);
        drawn++;
    }
}

static bool write_edited(const struct search *search, const struct found *found, struct edited *list, uint32_t *out_first)
{
    const struct history *history = search->question->history;
    struct again again = {.search = (struct search *)(uintptr_t)search, .edits = found->edits, .edit_count = found->count, .list = list};
    const uint32_t end = search->question->meetings->end;
    list->room = 4 * end + 1;
    list->items = malloc(list->room * sizeof *list->items);
    list->was = malloc(list->room * sizeof *list->was);
    if (moves_something(found->edits, found->count))
        again.moved = calloc(history->count + 1, sizeof *again.moved);
    const bool written = list->items && list->was && (again.moved || !moves_something(found->edits, found->count));
    for (uint32_t at = 0; written && at <= end; at++) {
        if (at == search->first_at[0])
            *out_first = list->count;
        if (at < end)
            happen_edited(&again, at);
    }
    free(again.moved);
    return written;
}

static void draw_edited(struct drawing *drawing, const struct found *found)
{
    const struct question *question = drawing->search->question;
    struct edited list = {.count = 0};
    uint32_t first = 0, count = 0;
    if (write_edited(drawing->search, found, &list, &first)) {
        struct edges_world world = drawing->world;
        world.items = list.items;
        world.count = list.count;
        struct edge *path = edges_path(&world, (struct edge_end){question->meetings->first.unit, first},
                                       question->meetings->second.unit, &count);
        draw_path(drawing, path, count, list.was);
        free(path);
    }
    free(list.items);
    free(list.was);
}

/* What the first unit did after its access, and the second before its own: the next few of each. */
static void draw_own(struct drawing *drawing)
{
    enum { OWN = 4 };
    const struct question *question = drawing->search->question;
    const struct asked *first = &question->meetings->first, *second = &question->meetings->second;
    const struct happening *items = question->history->items;
    uint32_t found = 0;
    for (uint32_t at = drawing->search->first_at[0]; at < question->meetings->end && found < OWN; at++) {
        if (is_step_of(question, &items[at], first->unit) && items[at].site != first->site)
            found += draw_step(drawing, (struct edge_end){first->unit, at}) < ANSWER_STEPS;
    }
    found = 0;
    for (uint32_t at = question->meetings->end; at-- > 0 && found < OWN;) {
        if (is_step_of(question, &items[at], second->unit) && items[at].site != second->site)
            found += draw_step(drawing, (struct edge_end){second->unit, at}) < ANSWER_STEPS;
    }
}

static bool is_end(const struct drawing *drawing, uint32_t step)
{
    for (uint32_t i = 0; i < drawing->answer->edge_count; i++) {
        if (drawing->answer->edges[i].from == step || drawing->answer->edges[i].to == step)
            return true;
    }
    return false;
}

/* What the second unit acquired, and who acquired what the first released: how near they came. */
static void draw_near(struct drawing *drawing)
{
    const uint32_t own = drawing->count;
    for (uint32_t i = 0; i < own; i++) {
        struct edge edge = {drawing->ends[i], drawing->ends[i]};
        if (is_end(drawing, i))
            continue;
        if (drawing->sides[i] == 1 && edges_into(&drawing->world, edge.to, &edge.from))
            draw_edge(drawing, &edge, true);
        else if (drawing->sides[i] == 0 && edges_out_of(&drawing->world, edge.from, &edge.to))
            draw_edge(drawing, &edge, true);
    }
}

/* Operations on one atomic object meet: the last store of the one side and the load behind it of the other. */
static bool meet(const struct happening *from, const struct happening *to)
{
    return is_atomic(from) && is_atomic(to) && from->writes && to->reads && from->address == to->address && from < to;
}

/* No edit is known: where the two sides met all the same. */
static void draw_meeting(struct drawing *drawing)
{
    const struct happening *items = drawing->world.items;
    for (uint32_t from = drawing->count; from-- > 0;) {
        for (uint32_t to = 0; drawing->sides[from] == 0 && to < drawing->count; to++) {
            const struct edge edge = {drawing->ends[from], drawing->ends[to]};
            if (drawing->sides[to] != 1 || !meet(&items[edge.from.at], &items[edge.to.at]))
                continue;
            draw_edge(drawing, &edge, edges_synchronise(&drawing->world, &edge));
            return;
        }
    }
}

static bool comes_before(const struct drawing *drawing, uint32_t a, uint32_t b)
{
    return drawing->sides[a] != drawing->sides[b] ? drawing->sides[a] < drawing->sides[b] : drawing->ends[a].at < drawing->ends[b].at;
}

static void write_step(const struct drawing *drawing, uint32_t from, uint32_t to)
{
    const struct question *question = drawing->search->question;
    const struct happening *happening = &question->history->items[drawing->ends[from].at];
    struct finding_step *step = &drawing->answer->steps[to];
    struct wording *text = &drawing->answer->step_text[to];
    const uint32_t side = drawing->sides[from];
    *step = (struct finding_step){.side = side, .before = side == 1 || (side == 0 && drawing->ends[from].at < drawing->search->first_at[0])};
    drawing->answer->step_unit[to] = drawing->ends[from].unit;
    *text = (struct wording){.used = 0};
    question->host->place(question->host->self, happening->site, &step->place);
    if (is_barrier(happening)) {
        wording_add(text, "%s, ", noun(happening));
        wording_regions(text, happening->regions);
    } else {
        wording_add(text, "%s, %s, %s", is_atomic(happening) ? question->host->what(question->host->self, happening->site) : "fence",
            order_name((enum memory_order)happening->order), scope_name((enum memory_scope)happening->scope));
    }
    step->text = text->bytes;
}

/* Side by side, each in program order. */
static void write_steps(struct drawing *drawing)
{
    struct answer *answer = drawing->answer;
    uint32_t place[ANSWER_STEPS];
    for (uint32_t i = 0; i < drawing->count; i++) {
        place[i] = 0;
        for (uint32_t j = 0; j < drawing->count; j++)
            place[i] += j != i && comes_before(drawing, j, i);
        write_step(drawing, i, place[i]);
    }
    answer->step_count = drawing->count;
    for (uint32_t i = 0; i < answer->edge_count; i++) {
        answer->edges[i].from = place[answer->edges[i].from];
        answer->edges[i].to = place[answer->edges[i].to];
    }
}

static void draw(const struct search *search, const struct found *found, struct answer *answer)
{
    const struct question *question = search->question;
    struct drawing drawing = {.search = search, .answer = answer,
                              .world = {question->launch, question->rule, question->region, question->history->items,
                                        question->meetings->end, WORK_MOST}};
    if (found->count)
        draw_edited(&drawing, found);
    draw_own(&drawing);
    if (!answer->edge_count)
        draw_meeting(&drawing);
    draw_near(&drawing);
    write_steps(&drawing);
}

/* ---- the answer ----------------------------------------------------------------------------------------- */

/* An operation begins a slice: the tick tells behind which one the first access was. */
static bool locate(const struct history *history, const struct meeting *meeting, uint32_t *out_at)
{
    *out_at = 0;
    if (meeting->first.tick <= 1)
        return true;
    for (uint32_t i = meeting->end; i-- > 0;) { /* a wave's updates share one */
        if (history->items[i].tick == meeting->first.tick) {
            *out_at = i + 1;
            return true;
        }
    }
    return false;
}

/* As many as it goes; false: not even the one that was asked about. */
static bool locate_all(struct search *search)
{
    const struct question *question = search->question;
    uint32_t *count = &search->meeting_count;
    while (*count < question->meeting_count && locate(question->history, &question->meetings[*count], &search->first_at[*count]))
        ++*count;
    return *count > 0;
}

static enum memory_scope common_scope(const struct question *question)
{
    return unit_group(question, question->meetings->first.unit) == unit_group(question, question->meetings->second.unit) ? SCOPE_WORK_GROUP
                                                                                                      : SCOPE_DEVICE;
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

static void keep_edits(const struct search *search, const struct found *found, struct answer *answer)
{
    answer->amendment_count = found->count;
    for (uint32_t i = 0; i < found->count; i++) {
        const struct edit *edit = &found->edits[i];
        answer->amendments[i] = (struct amendment){edit->kind, search->spots[edit->spot].site, edit->scope, edit->order};
    }
}

bool explain_race(const struct question *question, struct answer *out_answer)
{
    struct search search = {.question = question, .spots_most = SPOTS_MOST, .work_most = WORK_MOST};
    struct found found = {.count = 0};
    *out_answer = (struct answer){.step_count = 0};
    if (question->history->full || !locate_all(&search) || !find_spots(&search)) {
        free(search.spot_of);
        return false;
    }
    list_edits(&search, wanted_scope(&search));
    if (!orders(&search, NULL, 0) && !search_single(&search, &found)) /* else it is no order that is missing */
        search_pair(&search, &found);
    if (found.count)
        say_edits(&(struct saying){&search, out_answer}, found.edits, found.count);
    keep_edits(&search, &found, out_answer);
    draw(&search, &found, out_answer);
    free(search.spot_of);
    return found.count > 0;
}

bool explain_covers(const struct question *question, const struct amendment *amendments, uint32_t count)
{
    struct search search = {.question = question, .spots_most = count, .work_most = WORK_MOST};
    struct edit edits[2];
    bool covers = true;
    for (uint32_t i = 0; i < count; i++) {
        search.spots[i].site = amendments[i].site;
        edits[i] = (struct edit){(enum edit_kind)amendments[i].kind, i, amendments[i].scope, amendments[i].order};
    }
    search.spot_count = count;
    if (!question->history->full && locate_all(&search) && find_spots(&search))
        covers = orders(&search, edits, count) == search.meeting_count || search.failed;
    free(search.spot_of);
    return covers;
}

/* ---- what would have to be added -------------------------------------------------------------------------- */

/* The launch again with one more barrier of the group, passed by one access before and by the other behind it. */
static bool barrier_orders(const struct question *question, const struct code_place *place)
{
    const struct history *history = question->history;
    const bool first_is_first = place->first == 0;
    struct search search = {.question = question, .spots_most = SPOTS_MOST};
    struct again again = {.search = &search};
    struct agent agent;
    const uint32_t end = question->meetings->end;
    uint64_t tick = 1;
    bool known = false;
    if (history->full || !locate(history, question->meetings, &search.first_at[0]) || !find_spots(&search)) {
        free(search.spot_of);
        return false;
    }
    order_init(&again.order, question->rule);
    order_launch_begin(&again.order, question->launch);
    for (uint32_t at = 0; at <= end; at++) {
        if (at == (first_is_first ? search.first_at[0] : end)) {
            order_agent(&again.order, first_is_first ? question->meetings->first.unit : question->meetings->second.unit, &agent);
            tick = order_slice(&agent);
            order_barrier(&again.order, unit_group(question, question->meetings->first.unit), 1u << question->region, SCOPE_WORK_GROUP, place->site);
        }
        if (at < end)
            happen_edited(&again, at);
    }
    if (!again.order.failed && !again.order.pool.failed) {
        order_agent(&again.order, first_is_first ? question->meetings->second.unit : question->meetings->first.unit, &agent);
        known = order_knows(&again.order, &agent, question->region, first_is_first ? question->meetings->first.unit : question->meetings->second.unit, tick);
    }
    order_fini(&again.order);
    free(search.spot_of);
    return known;
}

static void say_at(const struct question *question, const struct code_place *place, struct wording *fix)
{
    wording_add(fix, place->before ? " before " : " behind ");
    wording_place(fix, question->host, place->site);
}

static bool in_one_group(const struct question *question, const struct meeting *meeting)
{
    return unit_group(question, meeting->first.unit) == unit_group(question, meeting->second.unit);
}

static bool all_in_one_group(const struct question *question)
{
    for (uint32_t i = 0; i < question->meeting_count; i++) {
        if (!in_one_group(question, &question->meetings[i]))
            return false;
    }
    return true;
}

/* All that one kernel does happens before a later launch: the place is what has to be right. */
static bool separate(const struct question *question, struct wording *fix, struct remedy *remedy)
{
    const struct checker_host *host = question->host;
    const struct meeting *meeting = question->meetings;
    const bool barrier = in_one_group(question, meeting) && (question->region == IN_LOCAL || all_in_one_group(question));
    if (!host->between || !host->between(host->self, meeting->first.site, meeting->second.site, &remedy->place))
        return false;
    if (!barrier && question->region == IN_LOCAL)
        return false;
    if (barrier && !barrier_orders(question, &remedy->place))
        return false;
    remedy->kind = barrier ? REMEDY_BARRIER : REMEDY_SPLIT;
    if (barrier)
        wording_add(fix, "work_group_barrier(%s)", region_flag(question->region));
    else
        wording_add(fix, "two kernels, split");
    say_at(question, &remedy->place, fix);
    return true;
}

/* Two places are likelier meant to come one after the other, but for x++ in different groups. */
static bool meant_to_meet(const struct question *question)
{
    const struct checker_host *host = question->host;
    struct source_place a, b;
    if (question->meetings->first.site == question->meetings->second.site)
        return true;
    if (unit_group(question, question->meetings->first.unit) == unit_group(question, question->meetings->second.unit))
        return false;
    host->place(host->self, question->meetings->first.site, &a);
    host->place(host->self, question->meetings->second.site, &b);
    return a.line && a.line == b.line && same_text(a.file, b.file);
}

/* R29: two atomics on one object do not race when their scopes include each other. Words of 4 bytes that meet are one. */
static bool agree(const struct question *question, struct wording *fix, struct remedy *remedy)
{
    const bool one_atomic = question->meetings->first.atomic != question->meetings->second.atomic;
    const struct asked *atomic = question->meetings->first.atomic ? &question->meetings->first : &question->meetings->second;
    const struct asked *plain = question->meetings->first.atomic ? &question->meetings->second : &question->meetings->first;
    const enum memory_scope scope = one_atomic ? atomic->scope : all_in_one_group(question) ? SCOPE_WORK_GROUP : SCOPE_DEVICE;
    if (question->region == IN_IMAGE || question->meetings->first.size != 4 || question->meetings->second.size != 4)
        return false;
    if (!one_atomic && !meant_to_meet(question))
        return false;
    *remedy = (struct remedy){.kind = REMEDY_ATOMIC, .scope = scope};
    if (!explain_serves(question->launch, question->rule, remedy, question->meetings->first.unit, question->meetings->second.unit))
        return false;
    wording_add(fix, one_atomic ? "an atomic operation with %s at " : "atomic operations with %s at ", scope_name(scope));
    wording_place(fix, question->host, plain->site);
    return true;
}

bool explain_serves(const struct launch_info *launch, enum scope_rule rule, const struct remedy *remedy, uint64_t first, uint64_t second)
{
    if (first >= UNIT_COPIES || second >= UNIT_COPIES)
        return remedy->kind == REMEDY_SPLIT;
    const struct place a = unit_place(launch, first), b = unit_place(launch, second);
    switch (remedy->kind) {
    case REMEDY_BARRIER: return a.group == b.group;
    case REMEDY_ATOMIC: return scope_inclusive(rule, remedy->scope, &a, remedy->scope, &b);
    default: return true;
    }
}

bool explain_remedy(const struct question *question, struct wording *out_fix, struct remedy *out_remedy)
{
    const struct meeting *meeting = question->meetings;
    *out_fix = (struct wording){.used = 0};
    *out_remedy = (struct remedy){.kind = REMEDY_NONE};
    if (meeting->first.unit >= UNIT_COPIES || meeting->second.unit >= UNIT_COPIES)
        return false;
    if (separate(question, out_fix, out_remedy) || agree(question, out_fix, out_remedy))
        return true;
    out_remedy->kind = REMEDY_NONE;
    return false;
}
