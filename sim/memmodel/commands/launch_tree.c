/* SPDX-License-Identifier: Apache-2.0 */
/* Order within a launch tree. The launches that happen before a launch are found by a walk from it: to its
 * parent, to the launches that it waits for, and so on from these. The walk notes how each launch is related:
 * does all of it happen before, or what comes before the end of a work-group, or before calls of
 * enqueue_kernel? Atomics may have ordered launches in either direction, and when is unknown. So the walk
 * continues from joined launches last, and what it finds there of single work-groups is undecided. Rows of
 * bits are kept of all walks, the rest of the latest one. */
#include "launch_tree.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "orrery/rule.h"
#include "sim/memmodel/common/list.h"

/* What a walk has found about one launch. */
struct relation {
    bool walked;   /* its begin happens before, or the walk began there */
    bool ended;    /* the end of its work-group `group` happens before */
    bool called;   /* calls by which its work-items enqueued kernels or markers happen before */
    bool unsure;   /* several work-items made these calls, or a call was not kept */
    uint32_t call; /* 1 + the number of the latest call, if all are of one work-item */
    uint64_t group, call_group;
};

struct launch_tree {
    const struct tree_launch *const *launches;
    uint32_t count, words;
    uint32_t *parents; /* rows; UINT32_MAX: the parent is not in the tree */
    /* Rows of bits, one for each launch, by row of another launch */
    uint64_t *before; /* all of the other one happens before */
    /* more of it may happen before than `before` and relations say, by atomics or several work-groups */
    uint64_t *undecided;
    uint64_t *joined; /* atomics of the two may synchronise */
    /* the latest walk */
    uint32_t from;              /* the row where it began; UINT32_MAX: there was none */
    struct relation *relations; /* by row */
    uint32_t *walked, walked_count;
    bool by_atomics; /* it continues from joined launches */
};

/* ---- life ---------------------------------------------------------------------------------- */

struct launch_tree *launch_tree_new(const struct tree_launch *const *launches, uint32_t count)
{
    struct launch_tree *launch_tree = calloc(1, sizeof *launch_tree);
    if (!launch_tree)
        return NULL;
    const uint32_t words = (count + 63) / 64;
    const size_t bits = (size_t)count * words;
    *launch_tree = (struct launch_tree){.launches = launches,
                                        .count = count,
                                        .words = words,
                                        .parents = calloc(count + 1, sizeof *launch_tree->parents),
                                        .before = calloc(bits + 1, sizeof *launch_tree->before),
                                        .undecided = calloc(bits + 1, sizeof *launch_tree->undecided),
                                        .joined = calloc(bits + 1, sizeof *launch_tree->joined),
                                        .from = UINT32_MAX,
                                        .relations = calloc(count + 1, sizeof *launch_tree->relations),
                                        .walked = calloc(count + 1, sizeof *launch_tree->walked)};
    if (!launch_tree->parents || !launch_tree->before || !launch_tree->undecided || !launch_tree->joined ||
        !launch_tree->relations || !launch_tree->walked) {
        launch_tree_free(launch_tree);
        return NULL;
    }
    for (uint32_t row = 0; row < count; row++)
        launch_tree->parents[row] = launch_tree_row(launch_tree, launches[row]->parent);
    return launch_tree;
}

void launch_tree_free(struct launch_tree *launch_tree)
{
    if (!launch_tree)
        return;
    free(launch_tree->parents);
    free(launch_tree->before);
    free(launch_tree->undecided);
    free(launch_tree->joined);
    free(launch_tree->relations);
    free(launch_tree->walked);
    free(launch_tree);
}

/* ---- launches ------------------------------------------------------------------------------- */

uint32_t launch_tree_row(const struct launch_tree *launch_tree, uint32_t launch)
{
    uint32_t row;
    bisect(launch_tree->count, row, launch_tree->launches[row]->launch >= launch);
    return row < launch_tree->count && launch_tree->launches[row]->launch == launch ? row : UINT32_MAX;
}

uint32_t launch_tree_child_between(const struct launch_tree *launch_tree, uint32_t ancestor, uint32_t row)
{
    while (row != UINT32_MAX && launch_tree->parents[row] != ancestor)
        row = launch_tree->parents[row];
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
    CHECKED(row < launch_tree->count && column < launch_tree->count);
    rows[(size_t)row * launch_tree->words + column / 64] |= UINT64_C(1) << column % 64;
}

/* The end of the work-group happens before the launch where the walk began. If only atomics may have ordered
 * them, that is undecided. */
static void add_group_end(struct launch_tree *launch_tree, uint32_t of, uint64_t group)
{
    struct relation *relation = &launch_tree->relations[of];
    if (!relation->ended && !launch_tree->by_atomics) {
        relation->ended = true;
        relation->group = group;
    }
    if (!relation->ended || relation->group != group)
        set_bit(launch_tree, launch_tree->undecided, launch_tree->from, of);
}

/* What happens before the row's begin is found later: a chain of launches may be longer than a stack. */
static void walk(struct launch_tree *launch_tree, uint32_t row)
{
    if (launch_tree->relations[row].walked)
        return;
    CHECKED(launch_tree->walked_count < launch_tree->count);
    launch_tree->relations[row].walked = true;
    launch_tree->walked[launch_tree->walked_count++] = row;
}

/* A work-item of the caller enqueued the launch, or a marker that it waits for, after the caller's begin.
 * number: 1 + the number of the call; 0: it has no snapshot. */
static void walk_caller(struct launch_tree *launch_tree, uint32_t caller, uint32_t number, uint64_t group)
{
    const struct tree_launch *from = launch_tree->launches[caller];
    struct relation *relation = &launch_tree->relations[caller];
    const bool kept = number && number <= from->caller_count,
               other =
                   kept && relation->call && from->callers[relation->call - 1] != from->callers[number - 1];
    relation->called = true;
    relation->unsure |= !kept || other;
    relation->call_group = group;
    if (kept && number > relation->call)
        relation->call = number;
    walk(launch_tree, caller);
}

static void walk_whole(struct launch_tree *launch_tree, uint32_t row)
{
    set_bit(launch_tree, launch_tree->before, launch_tree->from, row);
    walk(launch_tree, row);
}

static void walk_wait(struct launch_tree *launch_tree, uint32_t row, const struct launch_after *after)
{
    const uint32_t other = launch_tree_row(launch_tree, after->launch);
    if (other == UINT32_MAX)
        return;
    if (after->marked) {
        walk_caller(launch_tree, other, after->clock_snapshot, after->group);
        return;
    }
    walk_whole(launch_tree, other);
    for (uint32_t i = other + 1; after->complete && i < row; i++)
        if (launch_tree_child_between(launch_tree, other, i) != UINT32_MAX)
            walk_whole(launch_tree, i);
}

/* Continues from the launch to its parent, and to what it waits for. */
static void walk_on(struct launch_tree *launch_tree, uint32_t row)
{
    const struct tree_launch *self = launch_tree->launches[row];
    const uint32_t parent = launch_tree->parents[row];
    CHECKED(parent == UINT32_MAX || parent < row); /* a parent begins before its children are enqueued */
    if (parent != UINT32_MAX) {
        if (self->start == LAUNCH_AFTER_PARENT && RULE(3113))
            set_bit(launch_tree, launch_tree->before, launch_tree->from, parent);
        if (self->start == LAUNCH_AFTER_GROUP && RULE(3114))
            add_group_end(launch_tree, parent, self->parent_group);
        walk_caller(launch_tree, parent, self->parent_clock_snapshot, self->parent_group);
    }
    for (uint32_t i = 0; i < self->after_count && RULE(3102); i++)
        walk_wait(launch_tree, row, &self->after[i]);
}

/* Continues from the launches that are joined to this one. What happens before as a whole was walked. */
static void walk_joined(struct launch_tree *launch_tree, uint32_t row)
{
    const uint64_t *joined = &launch_tree->joined[(size_t)row * launch_tree->words],
                   *before = &launch_tree->before[(size_t)launch_tree->from * launch_tree->words];
    for (uint32_t w = 0; w < launch_tree->words; w++)
        for (uint64_t rest; (rest = joined[w] & ~before[w]) != 0;)
            walk_whole(launch_tree, w * 64 + (uint32_t)__builtin_ctzll(rest));
}

static void walk_from(struct launch_tree *launch_tree, uint32_t row)
{
    const size_t bytes = launch_tree->words * sizeof *launch_tree->before;
    memset(&launch_tree->before[(size_t)row * launch_tree->words], 0, bytes);
    memset(&launch_tree->undecided[(size_t)row * launch_tree->words], 0, bytes);
    memset(launch_tree->relations, 0, launch_tree->count * sizeof *launch_tree->relations);
    launch_tree->from = row;
    launch_tree->walked_count = 0;
    launch_tree->by_atomics = false;
    walk(launch_tree, row);
    uint32_t done = 0;
    for (; done < launch_tree->walked_count; done++)
        walk_on(launch_tree, launch_tree->walked[done]);
    launch_tree->by_atomics = true;
    for (uint32_t i = 0; i < launch_tree->walked_count; i++) {
        walk_joined(launch_tree, launch_tree->walked[i]);
        for (; done < launch_tree->walked_count; done++)
            walk_on(launch_tree, launch_tree->walked[done]);
    }
}

static struct relation relation_of(struct launch_tree *launch_tree, uint32_t earlier, uint32_t later)
{
    if (launch_tree->from != later)
        walk_from(launch_tree, later);
    return launch_tree->relations[earlier];
}

void launch_tree_compute(struct launch_tree *launch_tree)
{
    for (uint32_t row = 0; row < launch_tree->count; row++)
        walk_from(launch_tree, row);
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

struct unordered launch_tree_unordered(struct launch_tree *launch_tree, uint32_t earlier, uint32_t later)
{
    const struct tree_launch *from = launch_tree->launches[earlier];
    if (counts_as_ordered(launch_tree, earlier, later))
        return (struct unordered){UNORDERED_NONE, 0};
    const struct relation relation = relation_of(launch_tree, earlier, later);
    if (!relation.ended)
        return (struct unordered){UNORDERED_ALL, 0};
    for (uint32_t i = 0; i < from->group_count; i++)
        if (from->groups[i] == relation.group)
            return (struct unordered){UNORDERED_AFTER_GROUP, i};
    return (struct unordered){UNORDERED_NONE, 0};
}

/* ---- order of fine-grained memory alone -------------------------------------------------------------- */

static bool is_joined(const struct launch_tree *launch_tree, uint32_t row)
{
    uint64_t some = 0;
    for (uint32_t w = 0; w < launch_tree->words; w++)
        some |= launch_tree->joined[(size_t)row * launch_tree->words + w];
    return some;
}

/* Rule (1): in fine-grained memory an enqueueing call comes before the launch that it enqueues. NONE also
 * where more may be ordered: by several work-items, by atomics, or because the later launch may come before
 * the earlier one. */
struct unordered launch_tree_unordered_fine(struct launch_tree *launch_tree, uint32_t earlier, uint32_t later)
{
    const struct unordered nothing = {UNORDERED_NONE, 0},
                           unordered = launch_tree_unordered(launch_tree, earlier, later);
    if (unordered.what == UNORDERED_NONE || !RULE(3101))
        return unordered;
    const struct relation relation = relation_of(launch_tree, earlier, later);
    const bool whole = unordered.what == UNORDERED_ALL;
    const bool other_group =
        !whole && relation.call_group != launch_tree->launches[earlier]->groups[unordered.index];
    if (relation.unsure || (relation.called && (other_group || is_joined(launch_tree, earlier))))
        return nothing;
    if (relation_of(launch_tree, later, earlier).called)
        return nothing;
    /* the end of a work-group comes after its calls, so they add nothing to it */
    return relation.called && whole ? (struct unordered){UNORDERED_AFTER_CALL, relation.call - 1} : unordered;
}
