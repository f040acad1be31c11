/* SPDX-License-Identifier: Apache-2.0 */
/* Order within a launch tree. Each launch has a row of bits: the launches that happen before it as a whole.
 * Beside it is a list of launches of which only what comes before the end of one work-group happens before
 * it, and a row of launches of which more may happen before. Rows are extended by the parent, by events that
 * the launch waits for and by atomics, until nothing changes (launch_tree_compute). Lemma: parents, and
 * launches that others wait for, have lower rows. So without atomics one pass is enough. */
#include "launch_tree.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "orrery/rule.h"

/* The row's launch comes after the end of work-group `group` of launch `of`. The lists of descendants share
 * their tails with their ancestor's. */
struct group_end {
    const struct group_end *next;
    struct group_end *older; /* of the allocated nodes */
    uint32_t of;             /* a list has at most one node for each launch */
    uint64_t group;
};

/* Rows of bits, one for each launch, by row of another launch. */
struct launch_tree {
    const struct tree_launch *const *launches;
    uint32_t count, words;
    uint64_t *before; /* `count` rows: all of that launch happens before this one begins */
    /* `count` more rows after them: more of that launch may happen before than `group_ends` says, by atomics
     * or by several work-groups */
    uint64_t *undecided;
    uint64_t *joined; /* atomics of the two may synchronise */
    const struct group_end **group_ends;
    struct group_end *nodes;
    bool failed; /* out of memory */
};

/* ---- life ---------------------------------------------------------------------------------- */

struct launch_tree *launch_tree_new(const struct tree_launch *const *launches, uint32_t count)
{
    struct launch_tree *launch_tree = calloc(1, sizeof *launch_tree);
    if (!launch_tree)
        return NULL;
    *launch_tree = (struct launch_tree){.launches = launches, .count = count, .words = (count + 63) / 64};
    launch_tree->before = calloc(2 * (size_t)count * launch_tree->words + 1, sizeof *launch_tree->before);
    launch_tree->undecided =
        launch_tree->before ? launch_tree->before + (size_t)count * launch_tree->words : NULL;
    launch_tree->joined = calloc((size_t)count * launch_tree->words + 1, sizeof *launch_tree->joined);
    launch_tree->group_ends = calloc(count + 1, sizeof *launch_tree->group_ends);
    if (launch_tree->before && launch_tree->joined && launch_tree->group_ends)
        return launch_tree;
    launch_tree_free(launch_tree);
    return NULL;
}

void launch_tree_free(struct launch_tree *launch_tree)
{
    if (!launch_tree)
        return;
    free(launch_tree->before);
    free(launch_tree->joined);
    free(launch_tree->group_ends);
    for (struct group_end *node = launch_tree->nodes, *older; node; node = older) {
        older = node->older;
        free(node);
    }
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

static bool descends_from(const struct launch_tree *launch_tree, uint32_t row, uint32_t ancestor)
{
    while (row != UINT32_MAX && row > ancestor)
        row = launch_tree_row(launch_tree, launch_tree->launches[row]->parent);
    return row == ancestor;
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
        launch_tree->before[(size_t)row * launch_tree->words + w] |=
            launch_tree->before[(size_t)other * launch_tree->words + w];
        launch_tree->undecided[(size_t)row * launch_tree->words + w] |=
            launch_tree->undecided[(size_t)other * launch_tree->words + w];
    }
}

static const struct group_end *find(const struct group_end *list, uint32_t of)
{
    while (list && list->of != of)
        list = list->next;
    return list;
}

static bool ends_in(const struct group_end *list, const struct group_end *tail)
{
    while (list && list != tail)
        list = list->next;
    return list == tail;
}

static void add_group_end(struct launch_tree *launch_tree, uint32_t row, uint32_t of, uint64_t group)
{
    const struct group_end *old = find(launch_tree->group_ends[row], of);
    if (old) {
        if (old->group != group)
            set_bit(launch_tree, launch_tree->undecided, row, of);
        return;
    }
    struct group_end *node = malloc(sizeof *node);
    launch_tree->failed |= !node;
    if (!node)
        return;
    *node = (struct group_end){launch_tree->group_ends[row], launch_tree->nodes, of, group};
    launch_tree->group_ends[row] = launch_tree->nodes = node;
}

static void add_group_ends(struct launch_tree *launch_tree, uint32_t row, uint32_t other)
{
    if (!launch_tree->group_ends[row])
        launch_tree->group_ends[row] = launch_tree->group_ends[other];
    for (const struct group_end *node = launch_tree->group_ends[other];
         node && !ends_in(launch_tree->group_ends[row], node); node = node->next)
        add_group_end(launch_tree, row, node->of, node->group);
}

/* Adds what happens before the begin of `other`. */
static void add_before_begin(struct launch_tree *launch_tree, uint32_t row, uint32_t other)
{
    join_bits(launch_tree, row, other);
    add_group_ends(launch_tree, row, other);
}

/* Adds all of `other`, which ends before `row` begins, and what happens before `other`. */
static void add_launch(struct launch_tree *launch_tree, uint32_t row, uint32_t other)
{
    CHECKED(row < launch_tree->count && other < launch_tree->count);
    add_before_begin(launch_tree, row, other);
    set_bit(launch_tree, launch_tree->before, row, other);
}

static void add_wait(struct launch_tree *launch_tree, uint32_t row, const struct launch_after *after)
{
    uint32_t other = launch_tree_row(launch_tree, after->launch);
    if (other == UINT32_MAX)
        return;
    if (after->marked) {
        add_before_begin(launch_tree, row, other);
        return;
    }
    add_launch(launch_tree, row, other);
    for (uint32_t i = other + 1; after->complete && i < row; i++)
        if (descends_from(launch_tree, i, other))
            add_launch(launch_tree, row, i);
}

static void add_parent(struct launch_tree *launch_tree, uint32_t row)
{
    const struct tree_launch *self = launch_tree->launches[row];
    uint32_t parent = launch_tree_row(launch_tree, self->parent);
    CHECKED(parent == UINT32_MAX || parent < row); /* a parent begins before its children are enqueued */
    if (parent == UINT32_MAX)
        return;
    add_before_begin(launch_tree, row, parent);
    if (self->start == LAUNCH_AFTER_PARENT && RULE(3113))
        add_launch(launch_tree, row, parent);
    if (self->start == LAUNCH_AFTER_GROUP && RULE(3114))
        add_group_end(launch_tree, row, parent, self->parent_group);
}

/* A launch that acquired also comes after these work-groups. Whether it did, and when, is unknown here. */
static void mark_group_ends(struct launch_tree *launch_tree, uint32_t row, uint32_t other)
{
    for (const struct group_end *node = launch_tree->group_ends[other];
         node && !ends_in(launch_tree->group_ends[row], node); node = node->next) {
        const struct group_end *own = find(launch_tree->group_ends[row], node->of);
        if (!own || own->group != node->group)
            set_bit(launch_tree, launch_tree->undecided, row, node->of);
    }
}

static void add_joined(struct launch_tree *launch_tree, uint32_t row)
{
    for (uint32_t other = 0; other < launch_tree->count; other++)
        if (bit(launch_tree, launch_tree->joined, row, other)) {
            join_bits(launch_tree, row, other);
            set_bit(launch_tree, launch_tree->before, row, other);
            mark_group_ends(launch_tree, row, other);
        }
}

/* Atomics may order launches in either direction, so passes are repeated until no row of bits changes. The
 * lists of work-groups need no further pass: such a launch has a lower row. */
bool launch_tree_compute(struct launch_tree *launch_tree)
{
    const size_t bytes = 2 * (size_t)launch_tree->count * launch_tree->words * sizeof *launch_tree->before;
    uint64_t *previous = malloc(bytes + 1);
    if (!previous)
        return false;
    do {
        memcpy(previous, launch_tree->before, bytes);
        for (uint32_t row = 0; row < launch_tree->count; row++) {
            add_parent(launch_tree, row);
            for (uint32_t i = 0; i < launch_tree->launches[row]->after_count && RULE(3102); i++)
                add_wait(launch_tree, row, &launch_tree->launches[row]->after[i]);
            add_joined(launch_tree, row);
        }
    } while (memcmp(previous, launch_tree->before, bytes) != 0);
    free(previous);
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
    return bit(launch_tree, launch_tree->before, other, one) ||
           bit(launch_tree, launch_tree->before, one, other);
}

static bool counts_as_ordered(const struct launch_tree *launch_tree, uint32_t one, uint32_t other)
{
    return launch_tree_ordered(launch_tree, one, other) ||
           bit(launch_tree, launch_tree->undecided, one, other) ||
           bit(launch_tree, launch_tree->undecided, other, one);
}

struct unordered launch_tree_unordered(const struct launch_tree *launch_tree, uint32_t earlier,
                                       uint32_t later)
{
    const struct tree_launch *from = launch_tree->launches[earlier];
    if (counts_as_ordered(launch_tree, earlier, later))
        return (struct unordered){UNORDERED_NONE, 0};
    const struct group_end *group_ends = find(launch_tree->group_ends[later], earlier);
    if (!group_ends)
        return (struct unordered){UNORDERED_ALL, 0};
    for (uint32_t i = 0; i < from->group_count; i++)
        if (from->groups[i] == group_ends->group)
            return (struct unordered){UNORDERED_AFTER_GROUP, i};
    return (struct unordered){UNORDERED_NONE, 0};
}

/* ---- order of fine-grained memory alone -------------------------------------------------------------- */

/* The calls by which work-items of launch `of` enqueued kernels that happen before another launch. What the
 * work-item did before such a call happens before. latest: 1 + the number of the latest call, if all are of
 * one work-item; unsure: they are not, or a call was not kept. */
struct call_order {
    uint32_t of;
    uint64_t *seen, group;
    uint32_t latest;
    bool some, unsure;
};

/* number: 1 + the number of the call; 0: it has no snapshot. */
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

static bool is_new(uint64_t *seen, uint32_t row)
{
    const uint64_t is = UINT64_C(1) << row % 64;
    const bool fresh = !(seen[row / 64] & is);
    seen[row / 64] |= is;
    return fresh;
}

static void gather_call_order(const struct launch_tree *launch_tree, struct call_order *call_order,
                              uint32_t row);

/* Adds the call of the work-item that enqueued the launch, or a marker that it waits for. */
static void gather_from_caller(const struct launch_tree *launch_tree, struct call_order *call_order,
                               uint32_t caller, uint32_t number, uint64_t group)
{
    if (caller == call_order->of)
        add_call(launch_tree, call_order, number, group);
    else
        gather_call_order(launch_tree, call_order, caller);
}

static void gather_from_waits(const struct launch_tree *launch_tree, struct call_order *call_order,
                              uint32_t waited_for, bool complete)
{
    gather_call_order(launch_tree, call_order, waited_for);
    for (uint32_t k = waited_for + 1; complete && waited_for != UINT32_MAX && k < launch_tree->count; k++)
        if (descends_from(launch_tree, k, waited_for))
            gather_call_order(launch_tree, call_order, k);
}

/* Adds the calls before `row`: its own, and those of launches that it waited for or that atomics joined to
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
            gather_from_waits(launch_tree, call_order, launch_tree_row(launch_tree, after->launch),
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

static struct call_order call_order_of(const struct launch_tree *launch_tree, uint32_t of, uint32_t row)
{
    struct call_order call_order = {.of = of, .seen = calloc(launch_tree->words, sizeof *call_order.seen)};
    if (!call_order.seen)
        return (struct call_order){.some = true, .unsure = true};
    gather_call_order(launch_tree, &call_order, row);
    free(call_order.seen);
    call_order.seen = NULL;
    return call_order;
}

/* Rule (1): in fine-grained memory an enqueueing call comes before the launch that it enqueues. NONE also
 * where more may be ordered: by several work-items, by atomics, or because the later launch may come before
 * the earlier one. */
struct unordered launch_tree_unordered_fine(const struct launch_tree *launch_tree, uint32_t earlier,
                                            uint32_t later)
{
    const struct unordered nothing = {UNORDERED_NONE, 0},
                           unordered = launch_tree_unordered(launch_tree, earlier, later);
    if (unordered.what == UNORDERED_NONE || !RULE(3101))
        return unordered;
    const struct call_order call_order = call_order_of(launch_tree, earlier, later);
    const bool whole = unordered.what == UNORDERED_ALL;
    if (call_order.unsure)
        return nothing;
    const bool other_group =
        !whole && call_order.group != launch_tree->launches[earlier]->groups[unordered.index];
    if (call_order.some && (other_group || is_joined(launch_tree, earlier)))
        return nothing;
    if (call_order_of(launch_tree, later, earlier).some)
        return nothing;
    /* the end of a work-group comes after its calls, so they add nothing to it */
    return call_order.some && whole ? (struct unordered){UNORDERED_AFTER_CALL, call_order.latest - 1}
                                    : unordered;
}
