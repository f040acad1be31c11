/* SPDX-License-Identifier: Apache-2.0 */
/* The launch tree: bit rows of which launch happens before which, extended by enqueues, waits and ends. */
#include "launch_tree.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "orrery/rule.h"

/* At a row's start a launch is ordered as at its work-group's end. Rows share their tails: descendants of one
 * launch have the same. */
struct partly {
    const struct partly *next;
    struct partly *older; /* of all */
    uint32_t of;          /* each row has one of a launch */
    uint64_t group;
};

/* Rows of bits: the launches that happen before. */
struct launch_tree {
    const struct tree_launch *const *launches;
    uint32_t count, words;
    uint64_t *known; /* count rows: all of the launch happens before the row's start */
    /* as many, after them: more of it may happen before than `partly` has, by atomics or by several
     * work-groups */
    uint64_t *vague;
    uint64_t *joined; /* atomics met */
    const struct partly **partly;
    struct partly *nodes;
    const struct partly **looked_up;
    uint32_t looked_up_of; /* the row of the latest query: by launch */
    bool failed;           /* memory ran out */
};

/* ---- life ---------------------------------------------------------------------------------- */

struct launch_tree *launch_tree_new(const struct tree_launch *const *launches, uint32_t count)
{
    struct launch_tree *launch_tree = calloc(1, sizeof *launch_tree);
    if (!launch_tree)
        return NULL;
    *launch_tree = (struct launch_tree){
        .launches = launches, .count = count, .words = (count + 63) / 64, .looked_up_of = UINT32_MAX};
    launch_tree->known = calloc(2 * (size_t)count * launch_tree->words + 1, sizeof *launch_tree->known);
    launch_tree->vague = launch_tree->known ? launch_tree->known + (size_t)count * launch_tree->words : NULL;
    launch_tree->joined = calloc((size_t)count * launch_tree->words + 1, sizeof *launch_tree->joined);
    launch_tree->partly = calloc(count + 1, sizeof *launch_tree->partly);
    launch_tree->looked_up = calloc(count + 1, sizeof *launch_tree->looked_up);
    if (launch_tree->known && launch_tree->joined && launch_tree->partly && launch_tree->looked_up)
        return launch_tree;
    launch_tree_free(launch_tree);
    return NULL;
}

void launch_tree_free(struct launch_tree *launch_tree)
{
    if (!launch_tree)
        return;
    free(launch_tree->known);
    free(launch_tree->joined);
    free(launch_tree->partly);
    for (struct partly *node = launch_tree->nodes, *older; node; node = older) {
        older = node->older;
        free(node);
    }
    free(launch_tree->looked_up);
    free(launch_tree);
}

/* ---- launches ------------------------------------------------------------------------------- */

uint32_t launch_tree_row(const struct launch_tree *launch_tree, uint32_t launch)
{
    uint32_t from = 0, to = launch_tree->count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (launch_tree->launches[middle]->launch < launch)
            from = middle + 1;
        else
            to = middle;
    }
    return from < launch_tree->count && launch_tree->launches[from]->launch == launch ? from : UINT32_MAX;
}

static bool came_of(const struct launch_tree *launch_tree, uint32_t member, uint32_t ancestor)
{
    while (member != UINT32_MAX && member > ancestor)
        member = launch_tree_row(launch_tree, launch_tree->launches[member]->parent);
    return member == ancestor;
}

uint32_t launch_tree_child_between(const struct launch_tree *launch_tree, uint32_t ancestor, uint32_t row)
{
    while (row != UINT32_MAX && launch_tree->launches[row]->parent != launch_tree->launches[ancestor]->launch)
        row = launch_tree->launches[row]->parent
                  ? launch_tree_row(launch_tree, launch_tree->launches[row]->parent)
                  : UINT32_MAX;
    return row;
}

/* ---- which launch happens before which ------------------------------------------------------------ */

static bool bit(const struct launch_tree *launch_tree, const uint64_t *rows, uint32_t row, uint32_t column)
{
    CHECKED(row < launch_tree->count && column < launch_tree->count);
    return rows[(size_t)row * launch_tree->words + column / 64] >> column % 64 & 1;
}

static void set_bit(const struct launch_tree *launch_tree, uint64_t *rows, uint32_t row, uint32_t column)
{
    rows[(size_t)row * launch_tree->words + column / 64] |= UINT64_C(1) << column % 64;
}

static void join_bits(const struct launch_tree *launch_tree, uint32_t row, uint32_t other)
{
    for (uint32_t w = 0; w < launch_tree->words; w++) {
        launch_tree->known[(size_t)row * launch_tree->words + w] |=
            launch_tree->known[(size_t)other * launch_tree->words + w];
        launch_tree->vague[(size_t)row * launch_tree->words + w] |=
            launch_tree->vague[(size_t)other * launch_tree->words + w];
    }
}

static const struct partly *find(const struct partly *list, uint32_t of)
{
    while (list && list->of != of)
        list = list->next;
    return list;
}

static bool ends_in(const struct partly *list, const struct partly *tail)
{
    while (list && list != tail)
        list = list->next;
    return list == tail;
}

static void learn_group(struct launch_tree *launch_tree, uint32_t row, uint32_t of, uint64_t group)
{
    const struct partly *old = find(launch_tree->partly[row], of);
    if (old) {
        if (old->group != group)
            set_bit(launch_tree, launch_tree->vague, row, of);
        return;
    }
    struct partly *node = malloc(sizeof *node);
    launch_tree->failed |= !node;
    if (!node)
        return;
    *node = (struct partly){launch_tree->partly[row], launch_tree->nodes, of, group};
    launch_tree->partly[row] = launch_tree->nodes = node;
}

static void learn_groups(struct launch_tree *launch_tree, uint32_t row, uint32_t other)
{
    if (!launch_tree->partly[row])
        launch_tree->partly[row] = launch_tree->partly[other];
    for (const struct partly *node = launch_tree->partly[other];
         node && !ends_in(launch_tree->partly[row], node); node = node->next)
        learn_group(launch_tree, row, node->of, node->group);
}

/* The launches before its begin. */
static void learn_begun(struct launch_tree *launch_tree, uint32_t row, uint32_t other)
{
    join_bits(launch_tree, row, other);
    learn_groups(launch_tree, row, other);
}

/* `other` has ended before `row`, and so have those before it. */
static void learn(struct launch_tree *launch_tree, uint32_t row, uint32_t other)
{
    CHECKED(row < launch_tree->count && other < launch_tree->count);
    learn_begun(launch_tree, row, other);
    set_bit(launch_tree, launch_tree->known, row, other);
}

static void learn_after(struct launch_tree *launch_tree, uint32_t row, const struct launch_after *after)
{
    uint32_t other = launch_tree_row(launch_tree, after->launch);
    if (other == UINT32_MAX)
        return;
    if (after->marked) {
        learn_begun(launch_tree, row, other);
        return;
    }
    learn(launch_tree, row, other);
    for (uint32_t i = other + 1; after->complete && i < row; i++)
        if (came_of(launch_tree, i, other))
            learn(launch_tree, row, i);
}

static void learn_parent(struct launch_tree *launch_tree, uint32_t row)
{
    const struct tree_launch *self = launch_tree->launches[row];
    uint32_t parent = launch_tree_row(launch_tree, self->parent);
    CHECKED(parent == UINT32_MAX || parent < row); /* a kernel is enqueued after the one that does so began */
    if (parent == UINT32_MAX)
        return;
    learn_begun(launch_tree, row, parent);
    if (self->start == LAUNCH_AFTER_PARENT && RULE(3113))
        learn(launch_tree, row, parent);
    if (self->start == LAUNCH_AFTER_GROUP && RULE(3114))
        learn_group(launch_tree, row, parent, self->parent_group);
}

/* A launch that acquired is after those work-groups, too; whether it did, and when, is not known here. */
static void add_groups(struct launch_tree *launch_tree, uint32_t row, uint32_t other)
{
    for (const struct partly *node = launch_tree->partly[other];
         node && !ends_in(launch_tree->partly[row], node); node = node->next) {
        const struct partly *own = find(launch_tree->partly[row], node->of);
        if (!own || own->group != node->group)
            set_bit(launch_tree, launch_tree->vague, row, node->of);
    }
}

static void learn_joined(struct launch_tree *launch_tree, uint32_t row)
{
    for (uint32_t other = 0; other < launch_tree->count; other++)
        if (bit(launch_tree, launch_tree->joined, row, other)) {
            join_bits(launch_tree, row, other);
            set_bit(launch_tree, launch_tree->known, row, other);
            add_groups(launch_tree, row, other);
        }
}

/* Atomics may have ordered launches in either direction, so one pass is not enough. It is for `partly`: a
 * launch that is before by that came first. */
bool launch_tree_learn(struct launch_tree *launch_tree)
{
    const size_t bytes = 2 * (size_t)launch_tree->count * launch_tree->words * sizeof *launch_tree->known;
    uint64_t *before = malloc(bytes + 1);
    if (!before)
        return false;
    do {
        memcpy(before, launch_tree->known, bytes);
        for (uint32_t row = 0; row < launch_tree->count; row++) {
            learn_parent(launch_tree, row);
            for (uint32_t i = 0; i < launch_tree->launches[row]->after_count && RULE(3102); i++)
                learn_after(launch_tree, row, &launch_tree->launches[row]->after[i]);
            learn_joined(launch_tree, row);
        }
    } while (memcmp(before, launch_tree->known, bytes) != 0);
    free(before);
    launch_tree->looked_up_of = UINT32_MAX;
    return !launch_tree->failed;
}

void launch_tree_join(struct launch_tree *launch_tree, uint32_t one, uint32_t other)
{
    CHECKED(one != other && one < launch_tree->count && other < launch_tree->count);
    set_bit(launch_tree, launch_tree->joined, one, other);
    set_bit(launch_tree, launch_tree->joined, other, one);
}

bool launch_tree_ordered(const struct launch_tree *launch_tree, uint32_t one, uint32_t other)
{
    return bit(launch_tree, launch_tree->known, other, one) ||
           bit(launch_tree, launch_tree->known, one, other);
}

static const struct partly *look_up(struct launch_tree *launch_tree, uint32_t row, uint32_t of)
{
    if (launch_tree->looked_up_of != row) {
        memset(launch_tree->looked_up, 0, launch_tree->count * sizeof *launch_tree->looked_up);
        for (const struct partly *node = launch_tree->partly[row]; node; node = node->next)
            launch_tree->looked_up[node->of] = node;
        launch_tree->looked_up_of = row;
    }
    return launch_tree->looked_up[of];
}

static bool is_left(const struct launch_tree *launch_tree, uint32_t one, uint32_t other)
{
    return launch_tree_ordered(launch_tree, one, other) || bit(launch_tree, launch_tree->vague, one, other) ||
           bit(launch_tree, launch_tree->vague, other, one);
}

struct unknown launch_tree_unknown(struct launch_tree *launch_tree, uint32_t earlier, uint32_t later)
{
    const struct tree_launch *from = launch_tree->launches[earlier];
    if (is_left(launch_tree, earlier, later))
        return (struct unknown){UNKNOWN_NOTHING, 0};
    const struct partly *partly = look_up(launch_tree, later, earlier);
    if (!partly)
        return (struct unknown){UNKNOWN_ALL, 0};
    for (uint32_t i = 0; i < from->group_count; i++)
        if (from->groups[i] == partly->group)
            return (struct unknown){UNKNOWN_AFTER_GROUP, i};
    return (struct unknown){UNKNOWN_NOTHING, 0};
}

/* ---- order of fine-grained memory alone -------------------------------------------------------------- */

/* The calls by which work-items of `of` enqueued kernels that one may be after: their earlier operations
 * happen before it. latest: of one work-item, 1 + the latest. */
struct call_order {
    uint32_t of;
    uint64_t *seen, group;
    uint32_t latest;
    bool some, unsure;
};

/* number: 1 + the call's; 0: not known. */
static void add_call(const struct launch_tree *launch_tree, struct call_order *call_order, uint32_t number,
                     uint64_t group)
{
    CHECKED(call_order->of < launch_tree->count);
    const struct tree_launch *from = launch_tree->launches[call_order->of];
    const bool kept = number && number <= from->caller_count;
    call_order->some = true;
    call_order->unsure |=
        !kept || (call_order->latest && from->callers[call_order->latest - 1] != from->callers[number - 1]);
    call_order->group = group;
    if (kept && number > call_order->latest)
        call_order->latest = number;
}

static bool is_new(uint64_t *seen, uint32_t member)
{
    const uint64_t is = UINT64_C(1) << member % 64;
    const bool fresh = !(seen[member / 64] & is);
    seen[member / 64] |= is;
    return fresh;
}

static void gather_call_order(const struct launch_tree *launch_tree, struct call_order *call_order,
                              uint32_t row);

/* Of the work-item that enqueued it, or a marker. */
static void gather_from_caller(const struct launch_tree *launch_tree, struct call_order *call_order,
                               uint32_t caller, uint32_t number, uint64_t group)
{
    if (caller == call_order->of)
        add_call(launch_tree, call_order, number, group);
    else
        gather_call_order(launch_tree, call_order, caller);
}

static void gather_from_awaited(const struct launch_tree *launch_tree, struct call_order *call_order,
                                uint32_t awaited, bool complete)
{
    gather_call_order(launch_tree, call_order, awaited);
    for (uint32_t k = awaited + 1; complete && awaited != UINT32_MAX && k < launch_tree->count; k++)
        if (came_of(launch_tree, k, awaited))
            gather_call_order(launch_tree, call_order, k);
}

/* All that may happen before `row`: itself, the launches that it waited for and those that atomics joined to
 * it. */
static void gather_call_order(const struct launch_tree *launch_tree, struct call_order *call_order,
                              uint32_t row)
{
    if (row == UINT32_MAX || !is_new(call_order->seen, row))
        return;
    const struct tree_launch *self = launch_tree->launches[row];
    gather_from_caller(launch_tree, call_order, launch_tree_row(launch_tree, self->parent),
                       self->parent_clock_snapshot, self->parent_group);
    for (uint32_t i = 0; i < self->after_count; i++) {
        const struct launch_after *after = &self->after[i];
        if (after->marked)
            gather_from_caller(launch_tree, call_order, launch_tree_row(launch_tree, after->launch),
                               after->clock_snapshot, after->group);
        else
            gather_from_awaited(launch_tree, call_order, launch_tree_row(launch_tree, after->launch),
                                after->complete);
    }
    for (uint32_t other = 0; other < launch_tree->count; other++)
        if (bit(launch_tree, launch_tree->joined, row, other))
            gather_call_order(launch_tree, call_order, other);
}

static bool is_joined(const struct launch_tree *launch_tree, uint32_t row)
{
    uint64_t some = 0;
    for (uint32_t w = 0; w < launch_tree->words; w++)
        some |= launch_tree->joined[(size_t)row * launch_tree->words + w];
    return some;
}

static struct call_order hearsay_of(const struct launch_tree *launch_tree, uint32_t of, uint32_t row)
{
    struct call_order call_order = {.of = of, .seen = calloc(launch_tree->words, sizeof *call_order.seen)};
    if (!call_order.seen)
        return (struct call_order){.some = true, .unsure = true};
    gather_call_order(launch_tree, &call_order, row);
    free(call_order.seen);
    call_order.seen = NULL;
    return call_order;
}

/* Rule (1): an enqueueing call comes before what it enqueues, and orders fine-grained memory. Empty also if
 * it is not known what: several work-items, or the order by atomics, may have added more, or the later one to
 * the earlier. */
struct unknown launch_tree_unknown_fine(struct launch_tree *launch_tree, uint32_t earlier, uint32_t later)
{
    const struct unknown nothing = {UNKNOWN_NOTHING, 0},
                         unknown = launch_tree_unknown(launch_tree, earlier, later);
    if (unknown.what == UNKNOWN_NOTHING || !RULE(3101))
        return unknown;
    const struct call_order call_order = hearsay_of(launch_tree, earlier, later);
    const bool whole = unknown.what == UNKNOWN_ALL;
    if (call_order.unsure ||
        (call_order.some &&
         (is_joined(launch_tree, earlier) ||
          (!whole && call_order.group != launch_tree->launches[earlier]->groups[unknown.index]))))
        return nothing;
    if (hearsay_of(launch_tree, later, earlier).some)
        return nothing;
    /* the end of the call's work-group came later */
    return call_order.some && whole ? (struct unknown){UNKNOWN_AFTER_CALL, call_order.latest - 1} : unknown;
}
