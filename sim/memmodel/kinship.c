/* SPDX-License-Identifier: Apache-2.0 */
#include "kinship.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/rule.h"

/* At a row's start a launch is known as its work-group knew it at its end. Rows share their tails: who came of one another knows the same. */
struct partly {
    const struct partly *next;
    struct partly *older; /* of all */
    uint32_t of;          /* each row has one of a launch */
    uint64_t group;
};

/* Rows of bits: who is known. */
struct kinship {
    const struct kin *const *kin;
    uint32_t count, words;
    uint64_t *known;  /* count rows: all of the launch is known at the row's start */
    uint64_t *vague;  /* as many, behind them: more of it may be known than `partly` has, by atomics or of several work-groups */
    uint64_t *joined; /* atomics met */
    const struct partly **partly;
    struct partly *nodes;
    const struct partly **looked_up; uint32_t looked_up_of; /* the row that was asked for last: by launch */
    bool failed;      /* memory ran out */
};

/* ---- life ---------------------------------------------------------------------------------- */

struct kinship *kinship_new(const struct kin *const *kin, uint32_t count)
{
    struct kinship *kinship = calloc(1, sizeof *kinship);
    if (!kinship)
        return NULL;
    *kinship = (struct kinship){.kin = kin, .count = count, .words = (count + 63) / 64, .looked_up_of = UINT32_MAX};
    kinship->known = calloc(2 * (size_t)count * kinship->words + 1, sizeof *kinship->known);
    kinship->vague = kinship->known ? kinship->known + (size_t)count * kinship->words : NULL;
    kinship->joined = calloc((size_t)count * kinship->words + 1, sizeof *kinship->joined);
    kinship->partly = calloc(count + 1, sizeof *kinship->partly);
    kinship->looked_up = calloc(count + 1, sizeof *kinship->looked_up);
    if (kinship->known && kinship->joined && kinship->partly && kinship->looked_up)
        return kinship;
    kinship_free(kinship);
    return NULL;
}

void kinship_free(struct kinship *kinship)
{
    if (!kinship)
        return;
    free(kinship->known);
    free(kinship->joined);
    free(kinship->partly);
    for (struct partly *node = kinship->nodes, *older; node; node = older) {
        older = node->older;
        free(node);
    }
    free(kinship->looked_up);
    free(kinship);
}

/* ---- launches ------------------------------------------------------------------------------- */

uint32_t kinship_row(const struct kinship *kinship, uint32_t launch)
{
    uint32_t from = 0, to = kinship->count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (kinship->kin[middle]->launch < launch)
            from = middle + 1;
        else
            to = middle;
    }
    return from < kinship->count && kinship->kin[from]->launch == launch ? from : UINT32_MAX;
}

static bool came_of(const struct kinship *kinship, uint32_t member, uint32_t ancestor)
{
    while (member != UINT32_MAX && member > ancestor)
        member = kinship_row(kinship, kinship->kin[member]->parent);
    return member == ancestor;
}

uint32_t kinship_child_between(const struct kinship *kinship, uint32_t ancestor, uint32_t row)
{
    while (row != UINT32_MAX && kinship->kin[row]->parent != kinship->kin[ancestor]->launch)
        row = kinship->kin[row]->parent ? kinship_row(kinship, kinship->kin[row]->parent) : UINT32_MAX;
    return row;
}

/* ---- who knows whom ----------------------------------------------------------------------------- */

static bool bit(const struct kinship *kinship, const uint64_t *rows, uint32_t row, uint32_t column)
{
    return rows[(size_t)row * kinship->words + column / 64] >> column % 64 & 1;
}

static void set_bit(const struct kinship *kinship, uint64_t *rows, uint32_t row, uint32_t column)
{
    rows[(size_t)row * kinship->words + column / 64] |= UINT64_C(1) << column % 64;
}

static void join_bits(const struct kinship *kinship, uint32_t row, uint32_t other)
{
    for (uint32_t w = 0; w < kinship->words; w++) {
        kinship->known[(size_t)row * kinship->words + w] |= kinship->known[(size_t)other * kinship->words + w];
        kinship->vague[(size_t)row * kinship->words + w] |= kinship->vague[(size_t)other * kinship->words + w];
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

static void learn_group(struct kinship *kinship, uint32_t row, uint32_t of, uint64_t group)
{
    const struct partly *old = find(kinship->partly[row], of);
    if (old) {
        if (old->group != group)
            set_bit(kinship, kinship->vague, row, of);
        return;
    }
    struct partly *node = malloc(sizeof *node);
    kinship->failed |= !node;
    if (!node)
        return;
    *node = (struct partly){kinship->partly[row], kinship->nodes, of, group};
    kinship->partly[row] = kinship->nodes = node;
}

static void learn_groups(struct kinship *kinship, uint32_t row, uint32_t other)
{
    if (!kinship->partly[row])
        kinship->partly[row] = kinship->partly[other];
    for (const struct partly *node = kinship->partly[other]; node && !ends_in(kinship->partly[row], node); node = node->next)
        learn_group(kinship, row, node->of, node->group);
}

/* What it knew when it began. */
static void learn_begun(struct kinship *kinship, uint32_t row, uint32_t other)
{
    join_bits(kinship, row, other);
    learn_groups(kinship, row, other);
}

/* `row` knows that `other` has ended, and so what that knew. */
static void learn(struct kinship *kinship, uint32_t row, uint32_t other)
{
    learn_begun(kinship, row, other);
    set_bit(kinship, kinship->known, row, other);
}

static void learn_after(struct kinship *kinship, uint32_t row, const struct launch_after *after)
{
    uint32_t other = kinship_row(kinship, after->launch);
    if (other == UINT32_MAX)
        return;
    if (after->marked) {
        learn_begun(kinship, row, other);
        return;
    }
    learn(kinship, row, other);
    for (uint32_t i = other + 1; after->complete && i < row; i++)
        if (came_of(kinship, i, other))
            learn(kinship, row, i);
}

static void learn_parent(struct kinship *kinship, uint32_t row)
{
    const struct kin *self = kinship->kin[row];
    uint32_t parent = kinship_row(kinship, self->parent);
    if (parent == UINT32_MAX)
        return;
    learn_begun(kinship, row, parent);
    if (self->start == LAUNCH_AFTER_PARENT && RULE(3113))
        learn(kinship, row, parent);
    if (self->start == LAUNCH_AFTER_GROUP && RULE(3114))
        learn_group(kinship, row, parent, self->parent_group);
}

/* Who acquired knows of those work-groups, too; whether it did, and when, is not known here. */
static void hear_groups(struct kinship *kinship, uint32_t row, uint32_t other)
{
    for (const struct partly *node = kinship->partly[other]; node && !ends_in(kinship->partly[row], node); node = node->next) {
        const struct partly *own = find(kinship->partly[row], node->of);
        if (!own || own->group != node->group)
            set_bit(kinship, kinship->vague, row, node->of);
    }
}

static void learn_joined(struct kinship *kinship, uint32_t row)
{
    for (uint32_t other = 0; other < kinship->count; other++)
        if (bit(kinship, kinship->joined, row, other)) {
            join_bits(kinship, row, other);
            set_bit(kinship, kinship->known, row, other);
            hear_groups(kinship, row, other);
        }
}

/* Atomics may have ordered launches in either direction, so one pass does not do. It does for `partly`: who is known so came before. */
bool kinship_learn(struct kinship *kinship)
{
    const size_t bytes = 2 * (size_t)kinship->count * kinship->words * sizeof *kinship->known;
    uint64_t *before = malloc(bytes + 1);
    if (!before)
        return false;
    do {
        memcpy(before, kinship->known, bytes);
        for (uint32_t row = 0; row < kinship->count; row++) {
            learn_parent(kinship, row);
            for (uint32_t i = 0; i < kinship->kin[row]->after_count && RULE(3102); i++)
                learn_after(kinship, row, &kinship->kin[row]->after[i]);
            learn_joined(kinship, row);
        }
    } while (memcmp(before, kinship->known, bytes) != 0);
    free(before);
    kinship->looked_up_of = UINT32_MAX;
    return !kinship->failed;
}

void kinship_join(struct kinship *kinship, uint32_t one, uint32_t other)
{
    set_bit(kinship, kinship->joined, one, other);
    set_bit(kinship, kinship->joined, other, one);
}

bool kinship_ordered(const struct kinship *kinship, uint32_t one, uint32_t other)
{
    return bit(kinship, kinship->known, other, one) || bit(kinship, kinship->known, one, other);
}

static const struct partly *look_up(struct kinship *kinship, uint32_t row, uint32_t of)
{
    if (kinship->looked_up_of != row) {
        memset(kinship->looked_up, 0, kinship->count * sizeof *kinship->looked_up);
        for (const struct partly *node = kinship->partly[row]; node; node = node->next)
            kinship->looked_up[node->of] = node;
        kinship->looked_up_of = row;
    }
    return kinship->looked_up[of];
}

static bool is_left(const struct kinship *kinship, uint32_t one, uint32_t other)
{
    return kinship_ordered(kinship, one, other) || bit(kinship, kinship->vague, one, other) || bit(kinship, kinship->vague, other, one);
}

struct unknown kinship_unknown(struct kinship *kinship, uint32_t earlier, uint32_t later)
{
    const struct kin *from = kinship->kin[earlier];
    if (is_left(kinship, earlier, later))
        return (struct unknown){UNKNOWN_NOTHING, 0};
    const struct partly *partly = look_up(kinship, later, earlier);
    if (!partly)
        return (struct unknown){UNKNOWN_ALL, 0};
    for (uint32_t i = 0; i < from->group_count; i++)
        if (from->groups[i] == partly->group)
            return (struct unknown){UNKNOWN_AFTER_GROUP, i};
    return (struct unknown){UNKNOWN_NOTHING, 0};
}

/* ---- what is known of fine-grained memory alone ------------------------------------------------------ */

/* When work-items of `of` enqueued kernels that one may have heard of: it knows what these did. latest: of one work-item, 1 + the latest. */
struct hearsay { uint32_t of; uint64_t *seen, group; uint32_t latest; bool some, unsure; };

/* number: 1 + the call's; 0: not known. */
static void hear(const struct kinship *kinship, struct hearsay *hearsay, uint32_t number, uint64_t group)
{
    const struct kin *from = kinship->kin[hearsay->of];
    const bool kept = number && number <= from->caller_count;
    hearsay->some = true;
    hearsay->unsure |= !kept || (hearsay->latest && from->callers[hearsay->latest - 1] != from->callers[number - 1]);
    hearsay->group = group;
    if (kept && number > hearsay->latest)
        hearsay->latest = number;
}

static bool is_new(uint64_t *seen, uint32_t member)
{
    const uint64_t is = UINT64_C(1) << member % 64;
    const bool fresh = !(seen[member / 64] & is);
    seen[member / 64] |= is;
    return fresh;
}

static void gather_hearsay(const struct kinship *kinship, struct hearsay *hearsay, uint32_t row);

/* Of who enqueued it, or a marker. */
static void gather_from_caller(const struct kinship *kinship, struct hearsay *hearsay, uint32_t caller, uint32_t number, uint64_t group)
{
    if (caller == hearsay->of)
        hear(kinship, hearsay, number, group);
    else
        gather_hearsay(kinship, hearsay, caller);
}

static void gather_from_awaited(const struct kinship *kinship, struct hearsay *hearsay, uint32_t awaited, bool complete)
{
    gather_hearsay(kinship, hearsay, awaited);
    for (uint32_t k = awaited + 1; complete && awaited != UINT32_MAX && k < kinship->count; k++)
        if (came_of(kinship, k, awaited))
            gather_hearsay(kinship, hearsay, k);
}

/* All that `row` may know: itself, whom it waited for and whom atomics joined to it. */
static void gather_hearsay(const struct kinship *kinship, struct hearsay *hearsay, uint32_t row)
{
    if (row == UINT32_MAX || !is_new(hearsay->seen, row))
        return;
    const struct kin *self = kinship->kin[row];
    gather_from_caller(kinship, hearsay, kinship_row(kinship, self->parent), self->parent_moment, self->parent_group);
    for (uint32_t i = 0; i < self->after_count; i++) {
        const struct launch_after *after = &self->after[i];
        if (after->marked)
            gather_from_caller(kinship, hearsay, kinship_row(kinship, after->launch), after->moment, after->group);
        else
            gather_from_awaited(kinship, hearsay, kinship_row(kinship, after->launch), after->complete);
    }
    for (uint32_t other = 0; other < kinship->count; other++)
        if (bit(kinship, kinship->joined, row, other))
            gather_hearsay(kinship, hearsay, other);
}

static bool is_joined(const struct kinship *kinship, uint32_t row)
{
    uint64_t some = 0;
    for (uint32_t w = 0; w < kinship->words; w++)
        some |= kinship->joined[(size_t)row * kinship->words + w];
    return some;
}

static struct hearsay hearsay_of(const struct kinship *kinship, uint32_t of, uint32_t row)
{
    struct hearsay hearsay = {.of = of, .seen = calloc(kinship->words, sizeof *hearsay.seen)};
    if (!hearsay.seen)
        return (struct hearsay){.some = true, .unsure = true};
    gather_hearsay(kinship, &hearsay, row);
    free(hearsay.seen);
    hearsay.seen = NULL;
    return hearsay;
}

/* Rule (1): an enqueueing call comes before what it enqueues, and orders fine-grained memory. Nothing also where it is not known what:
 * several work-items, or what atomics ordered, may have told it more, or the earlier of the later. */
struct unknown kinship_unknown_fine(struct kinship *kinship, uint32_t earlier, uint32_t later)
{
    const struct unknown nothing = {UNKNOWN_NOTHING, 0}, unknown = kinship_unknown(kinship, earlier, later);
    if (unknown.what == UNKNOWN_NOTHING || !RULE(3101))
        return unknown;
    const struct hearsay hearsay = hearsay_of(kinship, earlier, later);
    const bool whole = unknown.what == UNKNOWN_ALL;
    if (hearsay.unsure || (hearsay.some && (is_joined(kinship, earlier) || (!whole && hearsay.group != kinship->kin[earlier]->groups[unknown.index]))))
        return nothing;
    if (hearsay_of(kinship, later, earlier).some)
        return nothing;
    return hearsay.some && whole ? (struct unknown){UNKNOWN_AFTER_CALL, hearsay.latest - 1} : unknown; /* the end of the call's work-group came later */
}
