/* SPDX-License-Identifier: Apache-2.0 */
/* Races in a launch tree. Footprints of its launches are copied as they end. When the tree is complete, each
 * pair of launches is compared: the bytes of the earlier one that do not happen before the later one
 * (launch_tree_unordered) with all bytes of the later one. First atomics on common bytes join launches, and
 * the order is computed again. */
#include "launch_tree_races.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "orrery/checked.h"
#include "orrery/rule.h"
#include "sim/memmodel/launches/inter_launch.h"
#include "launch_tree_records.h"
#include "launch_tree_report.h"
#include "pipe_packets.h"

struct tree_races {
    const struct memory *memory;
    struct report *report;
    struct inter_launch *inter_launch;
    struct ended_launch *members; /* of all launch trees, the latest to end first */
    struct packets packets;       /* of these launches and of the running ones */
    bool lost, reported_loss;     /* out of memory: nothing is checked from here on */
};

/* ---- life ---------------------------------------------------------------------------------- */

struct tree_races *tree_races_new(const struct memory *memory, struct report *report,
                                  struct inter_launch *inter_launch)
{
    struct tree_races *tree_races = calloc(1, sizeof *tree_races);
    if (tree_races)
        *tree_races = (struct tree_races){.memory = memory, .report = report, .inter_launch = inter_launch};
    return tree_races;
}

void tree_races_free(struct tree_races *tree_races)
{
    for (struct ended_launch *ended = tree_races ? tree_races->members : NULL, *next; ended; ended = next) {
        next = ended->next;
        launch_tree_records_free(ended);
    }
    if (tree_races)
        packets_fini(&tree_races->packets);
    free(tree_races);
}

/* ---- taking footprints ---------------------------------------------------------------------- */

static void on_launch_ended(void *self, const struct footprint *footprint)
{
    struct tree_races *tree_races = self;
    if (footprint->launch->tree_root && !tree_races->lost)
        tree_races->lost |= !launch_tree_records_add(&tree_races->members, tree_races->memory, footprint);
    else
        packets_forget(&tree_races->packets, footprint->launch->launch);
}

/* Footprints of launches in a tree arrive with all their bytes, so they need no keeper here. */
struct footprint_sink tree_races_footprints(struct tree_races *tree_races)
{
    return (struct footprint_sink){.self = tree_races, .launch_ended = on_launch_ended};
}

void tree_races_packets(struct tree_races *tree_races, const struct launch_info *launch,
                        const struct packets_use *use)
{
    tree_races->lost =
        tree_races->lost || !packets_note(&tree_races->packets, tree_races->memory, launch, use);
}

/* ---- conflicts ---------------------------------------------------------------------------------------- */

static bool is_atomic(enum footprint_use use)
{
    return use == FOOTPRINT_ATOMIC || use == FOOTPRINT_ATOMIC_READ;
}

static bool changes(enum footprint_use use)
{
    return use == FOOTPRINT_WRITTEN || use == FOOTPRINT_ATOMIC;
}

/* Do two uses conflict? atomics: of two atomic uses; else of other pairs. */
static bool uses_conflict(enum footprint_use a, enum footprint_use b, bool atomics)
{
    return (is_atomic(a) && is_atomic(b)) == atomics && (changes(a) || changes(b));
}

/* The next allocation that both launches used, from the positions at[] on. Both lists are ascending by
 * allocation. */
static bool next_common(const struct launch_record *a, const struct launch_record *b, uint32_t at[2],
                        struct tree_conflict *out_conflict)
{
    while (at[0] < a->count && at[1] < b->count) {
        const struct tree_operations *x = &a->operations[at[0]], *y = &b->operations[at[1]];
        at[0] += x->part.region_id <= y->part.region_id;
        at[1] += y->part.region_id <= x->part.region_id;
        *out_conflict = (struct tree_conflict){.a = x, .b = y};
        if (x->part.region_id == y->part.region_id)
            return true;
    }
    return false;
}

/* fine: in fine-grained memory. */
static bool records_conflict(const struct launch_record *a, const struct launch_record *b, bool atomics,
                             bool fine)
{
    struct tree_conflict conflict;
    uint32_t at[2] = {0, 0};
    while (next_common(a, b, at, &conflict))
        for (enum footprint_use x = 0; x < FOOTPRINT_USES && (conflict.a->fine || !fine); x++)
            for (enum footprint_use y = 0; y < FOOTPRINT_USES; y++)
                if (uses_conflict(x, y, atomics) &&
                    byte_set_intersection(&conflict.a->part.bytes[x], &conflict.b->part.bytes[y],
                                          &conflict.run))
                    return true;
    return false;
}

/* May one launch have acquired what the other released? */
static bool may_synchronise(const struct ended_launch *a, const struct ended_launch *b)
{
    return (a->releases >= SCOPE_DEVICE && b->acquires >= SCOPE_DEVICE) ||
           (b->releases >= SCOPE_DEVICE && a->acquires >= SCOPE_DEVICE) || !RULE(3202);
}

/* Joins the launches that their atomics may have ordered. True: there are such launches. */
static bool join_by_atomics(struct complete_tree *tree)
{
    bool some = false;
    for (uint32_t later = 1; later < tree->count; later++)
        for (uint32_t earlier = 0; earlier < later; earlier++)
            if (!launch_tree_ordered(tree->launch_tree, earlier, later) &&
                may_synchronise(tree->members[earlier], tree->members[later]) &&
                records_conflict(&tree->members[earlier]->all, &tree->members[later]->all, true, false)) {
                launch_tree_join(tree->launch_tree, earlier, later);
                some = true;
            }
    return some;
}

/* ---- reporting ------------------------------------------------------------------------------------- */

/* Reports each pair of places of the two uses once. */
static void report_uses(const struct complete_tree *tree, uint32_t earlier, uint32_t later,
                        struct tree_conflict *conflict)
{
    bool reported[FOOTPRINT_SITES + 1][FOOTPRINT_SITES + 1] = {{false}};
    for (uint64_t from = 0, end[2];
         byte_set_common(&conflict->a->part.bytes[conflict->use_a], &conflict->b->part.bytes[conflict->use_b],
                         from, &conflict->run);) {
        const uint32_t one =
            footprint_sites_at(&conflict->a->part.sites[conflict->use_a], conflict->run.low, &end[0]);
        const uint32_t other =
            footprint_sites_at(&conflict->b->part.sites[conflict->use_b], conflict->run.low, &end[1]);
        if (!reported[one][other])
            launch_tree_report_conflict(tree, earlier, later, conflict);
        reported[one][other] = true;
        from = conflict->run.high;
        for (int i = 0; i < 2; i++)
            from = end[i] < from ? end[i] : from;
    }
}

/* fine: only fine-grained memory, or else only other memory. */
static void report_conflicts(const struct complete_tree *tree, uint32_t earlier, uint32_t later,
                             const struct launch_record *unordered, bool fine)
{
    struct tree_conflict conflict;
    uint32_t at[2] = {0, 0};
    while (unordered && next_common(unordered, &tree->members[later]->all, at, &conflict))
        for (enum footprint_use a = 0; a < FOOTPRINT_USES && conflict.a->fine == fine; a++)
            for (enum footprint_use b = 0; b < FOOTPRINT_USES; b++)
                if (uses_conflict(a, b, false)) {
                    conflict.use_a = a;
                    conflict.use_b = b;
                    report_uses(tree, earlier, later, &conflict);
                }
}

static void report_all(const struct complete_tree *tree)
{
    for (uint32_t later = 1; later < tree->count; later++)
        for (uint32_t earlier = 0; earlier < later; earlier++) {
            const struct launch_record *unordered =
                launch_tree_record(tree, earlier, launch_tree_unordered(tree->launch_tree, earlier, later));
            if (!unordered)
                continue;
            report_conflicts(tree, earlier, later, unordered, false);
            if (records_conflict(unordered, &tree->members[later]->all, false, true))
                report_conflicts(
                    tree, earlier, later,
                    launch_tree_record(tree, earlier,
                                       launch_tree_unordered_fine(tree->launch_tree, earlier, later)),
                    true);
        }
}

/* ---- packets of pipes ------------------------------------------------------------------------------- */

/* Work-groups of the earlier launch may be ordered with each other by atomics. Then inter_launch.h checks
 * the packets, since it has the times of their moves. */
static bool packets_are_left(const struct complete_tree *tree, uint32_t earlier,
                             const struct unordered *unordered)
{
    return unordered->what == UNORDERED_AFTER_GROUP && tree->members[earlier]->releases >= SCOPE_DEVICE;
}

/* May packets of the earlier launch be moved after the later launch begins? */
static bool packets_race(const struct complete_tree *tree, uint32_t earlier, uint32_t later,
                         const struct packets_user *used)
{
    const struct unordered unordered = launch_tree_unordered(tree->launch_tree, earlier, later);
    if (unordered.what != UNORDERED_AFTER_GROUP)
        return unordered.what == UNORDERED_ALL;
    return (used->several || used->group != tree->launches[earlier]->groups[unordered.index]) &&
           !packets_are_left(tree, earlier, &unordered);
}

static void report_all_packets(const struct packets *packets, const struct complete_tree *tree)
{
    for (uint32_t a = 0; a < packets->users.count; a++) {
        const uint32_t one = launch_tree_row(tree->launch_tree, packets->users.items[a].launch);
        for (uint32_t b = 0; b < a && one != UINT32_MAX; b++) {
            const uint32_t other = packets->users.items[a].side == packets->users.items[b].side
                                       ? launch_tree_row(tree->launch_tree, packets->users.items[b].launch)
                                       : UINT32_MAX;
            const bool after = one > other;
            const struct packets_user *const used[2] = {&packets->users.items[after ? b : a],
                                                        &packets->users.items[after ? a : b]};
            const uint32_t row[2] = {after ? other : one, after ? one : other};
            if (other != UINT32_MAX && packets_race(tree, row[0], row[1], used[0]))
                launch_tree_report_packets(tree, row, used);
        }
    }
}

/* ---- races that inter_launch.h finds------------------------------------------------------------------ */

static uint32_t last_judged(const struct complete_tree *tree)
{
    return tree->members[tree->count - 1]->tree_launch.launch;
}

static bool counts_as_ordered(void *self, uint32_t a, uint32_t b, enum inter_launch_what what)
{
    const struct complete_tree *tree = self;
    const uint32_t earlier = launch_tree_row(tree->launch_tree, a < b ? a : b),
                   later = launch_tree_row(tree->launch_tree, a < b ? b : a);
    if (earlier == UINT32_MAX || later == UINT32_MAX)
        return tree->left_out && (a > last_judged(tree) || b > last_judged(tree));
    const struct unordered unordered = launch_tree_unordered(tree->launch_tree, earlier, later);
    if (unordered.what == UNORDERED_NONE)
        return true;
    if (what == INTER_LAUNCH_PACKETS)
        return packets_are_left(tree, earlier, &unordered);
    return what == INTER_LAUNCH_FINE_MEMORY &&
           launch_tree_unordered_fine(tree->launch_tree, earlier, later).what == UNORDERED_NONE;
}

static void report_inter_launch(const struct tree_races *tree_races, struct complete_tree *tree,
                                uint32_t number)
{
    const struct inter_launch_reporter reporter = {tree, counts_as_ordered, launch_tree_report_race};
    if (tree_races->inter_launch)
        inter_launch_end_tree(tree_races->inter_launch, number, &reporter);
}

/* ---- life of a tree -------------------------------------------------------------------------------- */

static int by_launch(const void *a, const void *b)
{
    const struct ended_launch *x = *(struct ended_launch *const *)a, *y = *(struct ended_launch *const *)b;
    return x->tree_launch.launch < y->tree_launch.launch ? -1 : x->tree_launch.launch > y->tree_launch.launch;
}

/* The work grows with the square of the number of launches. Of kernels that enqueue kernels without end the
 * first ones are checked. */
enum { JUDGED_MOST = 4096 };

/* Collects the launches of one tree, ascending by number. */
static bool gather(struct tree_races *tree_races, uint32_t number, struct complete_tree *tree)
{
    for (const struct ended_launch *ended = tree_races->members; ended; ended = ended->next)
        tree->count += ended->tree == number;
    tree->members = calloc(tree->count + 1, sizeof *tree->members);
    tree->launches = calloc(tree->count + 1, sizeof *tree->launches);
    if (!tree->members || !tree->launches)
        return false;
    uint32_t at = 0;
    for (struct ended_launch *ended = tree_races->members; ended; ended = ended->next)
        if (ended->tree == number)
            tree->members[at++] = ended;
    qsort(tree->members, tree->count, sizeof *tree->members, by_launch);
    tree->left_out = tree->count > JUDGED_MOST ? tree->count - JUDGED_MOST : 0;
    tree->count -= tree->left_out;
    for (uint32_t i = 0; i < tree->count; i++)
        tree->launches[i] = &tree->members[i]->tree_launch;
    tree->launch_tree = launch_tree_new(tree->launches, tree->count);
    return tree->launch_tree;
}

static void tree_fini(struct complete_tree *tree)
{
    launch_tree_free(tree->launch_tree);
    free(tree->launches);
    free(tree->members);
}

static void forget(struct tree_races *tree_races, uint32_t number)
{
    for (struct ended_launch **link = &tree_races->members; *link;) {
        struct ended_launch *ended = *link;
        if (ended->tree != number) {
            link = &ended->next;
            continue;
        }
        *link = ended->next;
        packets_forget(&tree_races->packets, ended->tree_launch.launch);
        launch_tree_records_free(ended);
    }
}

static void say_loss(struct tree_races *tree_races)
{
    if (tree_races->reported_loss ||
        !(tree_races->lost || (tree_races->inter_launch && inter_launch_lost(tree_races->inter_launch))))
        return;
    tree_races->reported_loss = true;
    fputs("orrery: kernels that kernels enqueue are not checked for races from here on: out of memory\n",
          stderr);
    report_miss(tree_races->report, CHECK_RACES);
}

static void say_left_out(const struct complete_tree *tree)
{
    char text[200];
    snprintf(text, sizeof text,
             "launch %" PRIu32 " and the kernels that it enqueued are %" PRIu32
             " launches: races among the first %" PRIu32 " are looked for",
             tree->members[0]->tree_launch.launch, tree->count + tree->left_out, tree->count);
    if (tree->left_out)
        report_note(tree->report, text);
}

void tree_races_complete(struct tree_races *tree_races, uint32_t number, bool known)
{
    struct complete_tree tree = {.report = tree_races->report};
    const bool fine = known && gather(tree_races, number, &tree) && !tree_races->lost;
    if (fine && tree.count > 1) {
        launch_tree_compute(tree.launch_tree);
        if (join_by_atomics(&tree))
            launch_tree_compute(tree.launch_tree);
        report_all(&tree);
        report_all_packets(&tree_races->packets, &tree);
    }
    if (fine) {
        report_inter_launch(tree_races, &tree, number);
        say_left_out(&tree);
    }
    tree_races->lost |= !fine;
    tree_fini(&tree);
    say_loss(tree_races);
    forget(tree_races, number);
}
