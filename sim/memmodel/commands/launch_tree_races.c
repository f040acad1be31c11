/* SPDX-License-Identifier: Apache-2.0 */
/* Races in a launch tree. Footprints of its launches are copied as they end. When the tree is complete, each
 * pair of launches is compared: the bytes of the earlier one that do not happen before the later one
 * (launch_tree_unordered) with all bytes of the later one. First atomics on common bytes join launches, and
 * the order is computed again. */
#include "launch_tree_races.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "sim/memmodel/launches/inter_launch.h"
#include "launch_tree.h"
#include "pipe_packets.h"
#include "sim/memmodel/explain/wording.h"
#include "orrery/rule.h"

enum { TEXT_CHARS = 400 };
static const char spec_text[] = "OpenCL 2.2 API, 3.3.6 host-side and device-side commands";

/* The accesses of one launch to one allocation, by use. */
struct tree_operations {
    uint32_t region_id;
    uint64_t low;
    bool fine, of_host;              /* fine-grained SVM; the host's own memory */
    char object[120], argument[120]; /* ", argument 0 'data'", by which the kernel reached it; or nothing */
    struct byte_set bytes[FOOTPRINT_USES];
    struct footprint_sites sites[FOOTPRINT_USES];
    /* strings of the program, which outlives its launch tree */
    struct source_place place[FOOTPRINT_USES][FOOTPRINT_SITES];
};
struct launch_record {
    struct tree_operations *operations;
    uint32_t count;
};

/* A launch that has ended, and whose tree is not complete. */
struct ended_launch {
    struct ended_launch *next;
    struct tree_launch tree_launch;
    uint32_t tree, device;
    const char *kernel;
    enum memory_scope releases, acquires;
    struct launch_record all;
    struct launch_record
        *rests; /* by tree_launch.groups: the accesses that do not happen before the work-group's end */
    /* by tree_launch.callers: the accesses, to fine-grained memory, that do not happen before the call of
     * enqueue_kernel */
    struct launch_record *clock_snapshots;
};

struct tree_races {
    const struct memory *memory;
    struct report *report;
    struct footprint_sink next;
    struct inter_launch *inter_launch;
    struct ended_launch *members; /* of all launch trees, the latest to end first */
    struct packets packets;       /* of these launches and of the running ones */
    bool lost, reported_loss;     /* out of memory: nothing is checked from here on */
};

/* ---- life ---------------------------------------------------------------------------------- */

struct tree_races *tree_races_new(const struct memory *memory, struct report *report,
                                  const struct footprint_sink *next)
{
    struct tree_races *tree_races = calloc(1, sizeof *tree_races);
    if (tree_races)
        *tree_races = (struct tree_races){.memory = memory, .report = report, .next = *next};
    return tree_races;
}

void tree_races_set_inter_launch(struct tree_races *tree_races, struct inter_launch *inter_launch)
{
    tree_races->inter_launch = inter_launch;
}

static void record_fini(struct launch_record *record)
{
    for (uint32_t i = 0; i < record->count; i++)
        for (int use = 0; use < FOOTPRINT_USES; use++) {
            byte_set_fini(&record->operations[i].bytes[use]);
            footprint_sites_fini(&record->operations[i].sites[use]);
        }
    free(record->operations);
}

static void ended_free(struct ended_launch *ended)
{
    record_fini(&ended->all);
    for (uint32_t i = 0; i < ended->tree_launch.group_count; i++)
        record_fini(&ended->rests[i]);
    for (uint32_t i = 0; i < ended->tree_launch.caller_count; i++)
        record_fini(&ended->clock_snapshots[i]);
    free(ended->rests);
    free(ended->clock_snapshots);
    free(ended->tree_launch.groups);
    free(ended->tree_launch.callers);
    free(ended->tree_launch.after);
    free(ended);
}

void tree_races_free(struct tree_races *tree_races)
{
    for (struct ended_launch *ended = tree_races ? tree_races->members : NULL, *next; ended; ended = next) {
        next = ended->next;
        ended_free(ended);
    }
    if (tree_races)
        packets_fini(&tree_races->packets);
    free(tree_races);
}

/* ---- taking footprints ---------------------------------------------------------------------- */

static void name_object(const struct tree_races *tree_races, struct tree_operations *operations)
{
    const struct region *region = memory_region(tree_races->memory, operations->low);
    operations->of_host = region->kind == REGION_NONE;
    operations->fine = operations->of_host || region->flags & REGION_FLAG_SHARED;
    if (operations->of_host) {
        snprintf(operations->object, sizeof operations->object, "host memory");
        return;
    }
    wording_region(region, operations->object, sizeof operations->object);
}

static bool copy_set(struct byte_set *to, const struct byte_set *from)
{
    struct byte_run run = {0, 0};
    byte_set_init(to, from->size);
    while (byte_set_next(from, run.high, &run))
        byte_set_add(to, run.low, run.high);
    return !to->failed && !from->failed;
}

static bool copy_sites(const struct launch_info *launch, const struct footprint_sites *from,
                       struct footprint_sites *to, struct source_place place[FOOTPRINT_SITES])
{
    bool whole = true;
    *to = *from;
    to->bytes = NULL;
    for (uint32_t i = 0; launch->program && i < from->count; i++)
        program_site(launch->program, from->site[i], &place[i]);
    if (!from->bytes || !footprint_sites_part(to, from->bytes[0].size))
        return !from->bytes;
    for (uint32_t i = 0; i < from->count; i++)
        whole &= copy_set(&to->bytes[i], &from->bytes[i]);
    return whole;
}

static bool copy_part(const struct tree_races *tree_races, const struct launch_info *launch,
                      const struct footprint_part *part, struct tree_operations *operations)
{
    bool whole = true;
    operations->region_id = part->region_id;
    operations->low = part->low;
    name_object(tree_races, operations);
    char name[100];
    if (launch->argument && !operations->of_host &&
        launch->argument(launch, part->low, part->high, name, sizeof name))
        snprintf(operations->argument, sizeof operations->argument, ", %s", name);
    for (int use = 0; use < FOOTPRINT_USES; use++) {
        whole &= copy_set(&operations->bytes[use], &part->bytes[use]);
        whole &= copy_sites(launch, &part->sites[use], &operations->sites[use], operations->place[use]);
    }
    return whole;
}

static bool copy_record(const struct tree_races *tree_races, const struct launch_info *launch,
                        const struct footprint_part *parts, uint32_t count, struct launch_record *record)
{
    bool whole = true;
    record->operations = calloc(count + 1, sizeof *record->operations);
    for (uint32_t i = 0; record->operations && i < count; i++)
        whole &= copy_part(tree_races, launch, &parts[i], &record->operations[record->count++]);
    return whole && record->operations;
}

static bool copy_rests(const struct tree_races *tree_races, const struct footprint *footprint,
                       struct ended_launch *ended)
{
    bool whole = true;
    ended->rests = calloc(footprint->rest_count + 1, sizeof *ended->rests);
    ended->tree_launch.groups = calloc(footprint->rest_count + 1, sizeof *ended->tree_launch.groups);
    for (uint32_t i = 0; ended->rests && ended->tree_launch.groups && i < footprint->rest_count; i++) {
        const struct footprint_rest *rest = &footprint->rests[i];
        CHECKED(ended->tree_launch.group_count == i);
        ended->tree_launch.groups[ended->tree_launch.group_count++] = rest->group;
        whole &= copy_record(tree_races, footprint->launch, rest->parts, rest->count, &ended->rests[i]);
    }
    return whole && ended->rests && ended->tree_launch.groups;
}

static bool copy_clock_snapshots(const struct tree_races *tree_races, const struct footprint *footprint,
                                 struct ended_launch *ended)
{
    bool whole = true;
    ended->clock_snapshots = calloc(footprint->clock_snapshot_count + 1, sizeof *ended->clock_snapshots);
    ended->tree_launch.callers =
        calloc(footprint->clock_snapshot_count + 1, sizeof *ended->tree_launch.callers);
    for (uint32_t i = 0;
         ended->clock_snapshots && ended->tree_launch.callers && i < footprint->clock_snapshot_count; i++) {
        const struct footprint_clock_snapshot *clock_snapshot = &footprint->clock_snapshots[i];
        CHECKED(ended->tree_launch.caller_count == i);
        ended->tree_launch.callers[ended->tree_launch.caller_count++] = clock_snapshot->unit;
        whole &= copy_record(tree_races, footprint->launch, clock_snapshot->parts, clock_snapshot->count,
                             &ended->clock_snapshots[i]);
    }
    return whole && ended->clock_snapshots && ended->tree_launch.callers;
}

static bool copy_after(const struct launch_info *launch, struct tree_launch *tree_launch)
{
    size_t size = launch->after_count * sizeof *tree_launch->after;
    tree_launch->after = malloc(size + 1);
    if (tree_launch->after && size)
        memcpy(tree_launch->after, launch->after, size);
    tree_launch->after_count = tree_launch->after ? launch->after_count : 0;
    return tree_launch->after != NULL;
}

static void take(struct tree_races *tree_races, const struct footprint *footprint)
{
    const struct launch_info *launch = footprint->launch;
    struct ended_launch *ended = calloc(1, sizeof *ended);
    if (!ended) {
        tree_races->lost = true;
        return;
    }
    *ended = (struct ended_launch){.next = tree_races->members,
                                   .tree = launch->tree_root,
                                   .device = launch->device,
                                   .kernel = launch->kernel,
                                   .releases = launch->releases,
                                   .acquires = launch->acquires};
    ended->tree_launch = (struct tree_launch){.launch = launch->launch,
                                              .parent = launch->parent,
                                              .start = launch->start,
                                              .parent_group = launch->parent_group,
                                              .parent_clock_snapshot = launch->parent_clock_snapshot};
    tree_races->members = ended;
    bool whole = copy_after(launch, &ended->tree_launch);
    whole &= copy_record(tree_races, launch, footprint->parts, footprint->count, &ended->all);
    whole &= copy_rests(tree_races, footprint, ended);
    whole &= copy_clock_snapshots(tree_races, footprint, ended);
    tree_races->lost |= !whole;
}

static void on_launch_ended(void *self, const struct footprint *footprint)
{
    struct tree_races *tree_races = self;
    if (footprint->launch->tree_root && !tree_races->lost)
        take(tree_races, footprint);
    else
        packets_forget(&tree_races->packets, footprint->launch->launch);
    if (tree_races->next.launch_ended)
        tree_races->next.launch_ended(tree_races->next.self, footprint);
}

static void on_settle(void *self, struct footprint_keeper *keeper)
{
    struct tree_races *tree_races = self;
    tree_races->next.settle(tree_races->next.self, keeper);
}

static bool on_follows(void *self, const struct launch_info *launch, const struct footprint_keeper *keeper)
{
    struct tree_races *tree_races = self;
    return tree_races->next.follows(tree_races->next.self, launch, keeper);
}

/* Footprints of launches in a tree arrive with all their bytes, so they need no keeper here. */
struct footprint_sink tree_races_footprints(struct tree_races *tree_races)
{
    const bool keeps = tree_races->next.settle && tree_races->next.follows;
    return (struct footprint_sink){tree_races, on_launch_ended, keeps ? on_settle : NULL,
                                   keeps ? on_follows : NULL};
}

void tree_races_packets(struct tree_races *tree_races, const struct launch_info *launch,
                        const struct packets_use *use)
{
    if (!tree_races->lost)
        packets_note(&tree_races->packets, tree_races->memory, launch, use);
    tree_races->lost |= tree_races->packets.failed;
}

/* ---- a complete tree ------------------------------------------------------------------------------- */

struct complete_tree {
    struct ended_launch **members;
    const struct tree_launch **launches;
    uint32_t count, left_out; /* left_out: launches after the first `count`, which are not checked */
    struct launch_tree *launch_tree;
};

/* The work grows with the square of the number of launches. Of kernels that enqueue kernels without end the
 * first ones are checked. */
enum { JUDGED_MOST = 4096 };

/* The accesses of `earlier` that are not ordered; NULL: none. */
static const struct launch_record *record_of(const struct complete_tree *tree, uint32_t earlier,
                                             struct unordered unordered)
{
    const struct ended_launch *ended = tree->members[earlier];
    switch (unordered.what) {
    case UNORDERED_ALL: return &ended->all;
    case UNORDERED_AFTER_GROUP: return &ended->rests[unordered.index];
    case UNORDERED_AFTER_CALL: return &ended->clock_snapshots[unordered.index];
    case UNORDERED_NONE: break;
    }
    return NULL;
}

/* ---- conflicts ---------------------------------------------------------------------------------------- */

struct tree_conflict {
    const struct tree_operations *a, *b;
    enum footprint_use use_a, use_b;
    struct byte_run run;
};

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

static bool operations_conflict(struct tree_conflict *conflict, bool atomics)
{
    for (enum footprint_use a = 0; a < FOOTPRINT_USES; a++)
        for (enum footprint_use b = 0; b < FOOTPRINT_USES; b++) {
            if (!uses_conflict(a, b, atomics) ||
                !byte_set_intersection(&conflict->a->bytes[a], &conflict->b->bytes[b], &conflict->run))
                continue;
            conflict->use_a = a;
            conflict->use_b = b;
            return true;
        }
    return false;
}

/* The next pair of operations that conflict, from the positions at[] on. Both lists are ascending by
 * allocation. */
static bool next_conflict(const struct launch_record *a, const struct launch_record *b, uint32_t at[2],
                          bool atomics, struct tree_conflict *out_conflict)
{
    while (at[0] < a->count && at[1] < b->count) {
        const struct tree_operations *x = &a->operations[at[0]], *y = &b->operations[at[1]];
        at[0] += x->region_id <= y->region_id;
        at[1] += y->region_id <= x->region_id;
        *out_conflict = (struct tree_conflict){.a = x, .b = y};
        if (x->region_id == y->region_id && operations_conflict(out_conflict, atomics))
            return true;
    }
    return false;
}

/* May one launch have acquired what the other released? */
static bool may_synchronise(const struct ended_launch *a, const struct ended_launch *b)
{
    return (a->releases >= SCOPE_DEVICE && b->acquires >= SCOPE_DEVICE) ||
           (b->releases >= SCOPE_DEVICE && a->acquires >= SCOPE_DEVICE) || !RULE(3202);
}

static void join_by_atomics(struct complete_tree *tree)
{
    struct tree_conflict conflict;
    for (uint32_t later = 1; later < tree->count; later++)
        for (uint32_t earlier = 0; earlier < later; earlier++) {
            uint32_t at[2] = {0, 0};
            if (launch_tree_ordered(tree->launch_tree, earlier, later) ||
                !may_synchronise(tree->members[earlier], tree->members[later]) ||
                !next_conflict(&tree->members[earlier]->all, &tree->members[later]->all, at, true, &conflict))
                continue;
            launch_tree_join(tree->launch_tree, earlier, later);
        }
}

/* ---- reporting ------------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void format(char text[TEXT_CHARS], const char *pattern, ...)
{
    va_list args;
    va_start(args, pattern);
    vsnprintf(text, TEXT_CHARS, pattern, args);
    va_end(args);
}

static const char *action_of(enum access_kind kind)
{
    return kind > ACCESS_WRITE   ? "atomic access by a kernel"
           : kind == ACCESS_READ ? "read by a kernel"
                                 : "write by a kernel";
}

/* For bytes of which it is not known which of several lines accessed them. */
static const char *some_action_of(enum access_kind kind)
{
    return kind > ACCESS_WRITE   ? "one of the atomic accesses by a kernel"
           : kind == ACCESS_READ ? "one of the reads by a kernel"
                                 : "one of the writes by a kernel";
}

static void name_launch(const struct complete_tree *tree, uint32_t row, const char *argument,
                        char by[TEXT_CHARS])
{
    const struct ended_launch *self = tree->members[row];
    uint32_t parent = launch_tree_row(tree->launch_tree, self->tree_launch.parent);
    if (parent == UINT32_MAX)
        format(by, "kernel %s (launch %" PRIu32 "), enqueued by the host%s", self->kernel,
               self->tree_launch.launch, argument);
    else
        format(by, "kernel %s (launch %" PRIu32 "), enqueued by kernel %s (launch %" PRIu32 ")%s",
               self->kernel, self->tree_launch.launch, tree->members[parent]->kernel,
               self->tree_launch.parent, argument);
}

/* Describes the access to the first byte of the run, and lowers run->high to the end of that instruction's
 * bytes. */
static void describe(const struct complete_tree *tree, uint32_t row, const struct tree_operations *operations,
                     enum footprint_use use, struct byte_run *run, struct finding_access *out_access,
                     char by[TEXT_CHARS])
{
    static const enum access_kind kinds[FOOTPRINT_USES] = {ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC_UPDATE,
                                                           ACCESS_ATOMIC_READ};
    uint64_t end;
    const uint32_t site = footprint_sites_at(&operations->sites[use], run->low, &end);
    name_launch(tree, row, operations->argument, by);
    *out_access = (struct finding_access){.kind = kinds[use],
                                          .what = some_action_of(kinds[use]),
                                          .by = by,
                                          .device_id = tree->members[row]->device};
    if (end < run->high)
        run->high = end;
    if (site == FOOTPRINT_SITES)
        return;
    out_access->what = action_of(kinds[use]);
    out_access->place = operations->place[use][site];
}

static void explain(const struct complete_tree *tree, uint32_t earlier, uint32_t later, bool fine,
                    char why[TEXT_CHARS], char fix[TEXT_CHARS])
{
    const struct ended_launch *a = tree->members[earlier], *b = tree->members[later];
    const bool child = b->tree_launch.parent == a->tree_launch.launch;
    const uint32_t row = child ? UINT32_MAX : launch_tree_child_between(tree->launch_tree, earlier, later);
    const struct ended_launch *between = row == UINT32_MAX ? NULL : tree->members[row];
    if (child && b->tree_launch.start == LAUNCH_AFTER_GROUP)
        format(why,
               "kernel %s waits only for the end of the work-group that enqueued it "
               "(CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP), and "
               "another work-group of kernel %s made the access",
               b->kernel, a->kernel);
    else if (child && fine)
        format(why,
               "kernel %s does not wait for kernel %s, which enqueued it (CLK_ENQUEUE_FLAGS_NO_WAIT): it "
               "comes only after what the work-item that enqueued it did before the call, and what happens "
               "before that; this access is not among these",
               b->kernel, a->kernel);
    else if (child)
        format(
            why,
            "kernel %s does not wait for kernel %s, which enqueued it (CLK_ENQUEUE_FLAGS_NO_WAIT), and does "
            "not even see what kernel %s wrote before the call: enqueue_kernel orders fine-grained SVM alone",
            b->kernel, a->kernel, a->kernel);
    else if (between && between->tree_launch.start == LAUNCH_AFTER_GROUP)
        format(
            why,
            "kernel %s descends from kernel %s, which waits only for the end of the work-group that enqueued "
            "it (CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP), and another work-group of kernel %s made the access",
            b->kernel, between->kernel, a->kernel);
    else if (between)
        format(why, "kernel %s descends from kernel %s, which does not wait for kernel %s", b->kernel,
               between->kernel, a->kernel);
    else
        format(why, "neither of the kernels %s and %s waits for the other: a device queue is out of order",
               a->kernel, b->kernel);
    if (child || between)
        format(fix, "enqueue kernel %s with CLK_ENQUEUE_FLAGS_WAIT_KERNEL",
               between ? between->kernel : b->kernel);
    else if (a->tree_launch.parent == b->tree_launch.parent)
        format(fix, "pass the event of the one that is to come first in the wait list of the other");
    else
        format(
            fix,
            "in the kernel that is an ancestor of both, pass the event of the one child in the wait list of "
            "the other: it stands for what that child enqueues, too");
}

static void report_conflict(const struct tree_races *tree_races, const struct complete_tree *tree,
                            uint32_t earlier, uint32_t later, const struct tree_conflict *conflict)
{
    char why[TEXT_CHARS], fix[TEXT_CHARS], by[2][TEXT_CHARS];
    struct byte_run run = conflict->run;
    struct finding finding = {.kind = FINDING_RACE_COMMANDS,
                              .launch = tree->members[later]->tree_launch.launch,
                              .kernel = tree->members[later]->kernel,
                              .object = conflict->a->object,
                              .has_offset = !conflict->a->of_host,
                              .offset_bytes = conflict->a->of_host ? 0 : conflict->run.low,
                              .access_count = 2,
                              .why = why,
                              .fix = fix,
                              .spec = spec_text};
    explain(tree, earlier, later, conflict->a->fine, why, fix);
    describe(tree, earlier, conflict->a, conflict->use_a, &run, &finding.access[0], by[0]);
    describe(tree, later, conflict->b, conflict->use_b, &run, &finding.access[1], by[1]);
    const uint64_t bytes = run.high - run.low;
    finding.access[0].size_bytes = finding.access[1].size_bytes =
        bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
    report_add(tree_races->report, &finding);
}

/* Reports each pair of places of the two uses once. */
static void report_uses(const struct tree_races *tree_races, const struct complete_tree *tree,
                        uint32_t earlier, uint32_t later, struct tree_conflict *conflict)
{
    bool reported[FOOTPRINT_SITES + 1][FOOTPRINT_SITES + 1] = {{false}};
    for (uint64_t from = 0, end[2];
         byte_set_common(&conflict->a->bytes[conflict->use_a], &conflict->b->bytes[conflict->use_b], from,
                         &conflict->run);) {
        const uint32_t one =
            footprint_sites_at(&conflict->a->sites[conflict->use_a], conflict->run.low, &end[0]);
        const uint32_t other =
            footprint_sites_at(&conflict->b->sites[conflict->use_b], conflict->run.low, &end[1]);
        if (!reported[one][other])
            report_conflict(tree_races, tree, earlier, later, conflict);
        reported[one][other] = true;
        from = conflict->run.high;
        for (int i = 0; i < 2; i++)
            from = end[i] < from ? end[i] : from;
    }
}

/* fine: only fine-grained memory, or else only other memory. */
static void report_conflicts(const struct tree_races *tree_races, const struct complete_tree *tree,
                             uint32_t earlier, uint32_t later, const struct launch_record *unordered,
                             bool fine)
{
    struct tree_conflict conflict;
    uint32_t at[2] = {0, 0};
    while (unordered && next_conflict(unordered, &tree->members[later]->all, at, false, &conflict))
        for (enum footprint_use a = 0; a < FOOTPRINT_USES && conflict.a->fine == fine; a++)
            for (enum footprint_use b = 0; b < FOOTPRINT_USES; b++)
                if (uses_conflict(a, b, false)) {
                    conflict.use_a = a;
                    conflict.use_b = b;
                    report_uses(tree_races, tree, earlier, later, &conflict);
                }
}

static bool conflict_in_fine(const struct launch_record *a, const struct launch_record *b)
{
    struct tree_conflict conflict;
    uint32_t at[2] = {0, 0};
    while (next_conflict(a, b, at, false, &conflict))
        if (conflict.a->fine)
            return true;
    return false;
}

static void report_all(const struct tree_races *tree_races, const struct complete_tree *tree)
{
    for (uint32_t later = 1; later < tree->count; later++)
        for (uint32_t earlier = 0; earlier < later; earlier++) {
            const struct launch_record *unordered =
                record_of(tree, earlier, launch_tree_unordered(tree->launch_tree, earlier, later));
            if (!unordered)
                continue;
            report_conflicts(tree_races, tree, earlier, later, unordered, false);
            if (conflict_in_fine(unordered, &tree->members[later]->all))
                report_conflicts(
                    tree_races, tree, earlier, later,
                    record_of(tree, earlier, launch_tree_unordered_fine(tree->launch_tree, earlier, later)),
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

static void describe_packets(const struct complete_tree *tree, uint32_t row, const struct packets_user *used,
                             struct finding_access *out_access, char by[TEXT_CHARS])
{
    name_launch(tree, row, used->argument, by);
    *out_access = (struct finding_access){.kind = ACCESS_WRITE,
                                          .what = used->writes ? "writing of packets by a kernel"
                                                               : "reading of packets by a kernel",
                                          .by = by,
                                          .device_id = tree->members[row]->device,
                                          .place = used->place};
}

static void report_packets(const struct tree_races *tree_races, const struct complete_tree *tree,
                           const uint32_t row[2], const struct packets_user *const used[2])
{
    char why[TEXT_CHARS], fix[TEXT_CHARS], by[2][TEXT_CHARS];
    struct finding finding = {.kind = FINDING_RACE_COMMANDS,
                              .launch = tree->members[row[1]]->tree_launch.launch,
                              .kernel = tree->members[row[1]]->kernel,
                              .object = used[0]->object,
                              .access_count = 2,
                              .why = why,
                              .fix = fix,
                              .spec = spec_text};
    explain(tree, row[0], row[1], false, why, fix);
    wording_one_at_a_time(!used[0]->writes, why, TEXT_CHARS);
    for (int i = 0; i < 2; i++)
        describe_packets(tree, row[i], used[i], &finding.access[i], by[i]);
    report_add(tree_races->report, &finding);
}

static void report_all_packets(const struct tree_races *tree_races, const struct complete_tree *tree)
{
    const struct packets *packets = &tree_races->packets;
    for (uint32_t a = 0; a < packets->count; a++) {
        const uint32_t one = launch_tree_row(tree->launch_tree, packets->users[a].launch);
        for (uint32_t b = 0; b < a && one != UINT32_MAX; b++) {
            const uint32_t other = packets->users[a].side == packets->users[b].side
                                       ? launch_tree_row(tree->launch_tree, packets->users[b].launch)
                                       : UINT32_MAX;
            const bool after = one > other;
            const struct packets_user *const used[2] = {&packets->users[after ? b : a],
                                                        &packets->users[after ? a : b]};
            const uint32_t row[2] = {after ? other : one, after ? one : other};
            if (other != UINT32_MAX && packets_race(tree, row[0], row[1], used[0]))
                report_packets(tree_races, tree, row, used);
        }
    }
}

/* ---- races that inter_launch.h finds------------------------------------------------------------------ */

struct tree_reporter {
    struct tree_races *tree_races;
    const struct complete_tree *tree;
};

static uint32_t last_judged(const struct complete_tree *tree)
{
    return tree->members[tree->count - 1]->tree_launch.launch;
}

static bool counts_as_ordered(void *self, uint32_t a, uint32_t b, enum inter_launch_what what)
{
    const struct complete_tree *tree = ((const struct tree_reporter *)self)->tree;
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

static void report_inter_launch_race(void *self, const struct inter_launch_race *race)
{
    const struct tree_reporter *reporter = self;
    struct finding finding;
    char by[2][TEXT_CHARS], what[2][TEXT_CHARS], argument[TEXT_CHARS];
    if (inter_launch_left_out(race, report_scenario(reporter->tree_races->report)))
        return;
    inter_launch_finding(race, &finding);
    finding.launch = race->side[1].launch;
    for (int i = 0; i < 2; i++) {
        format(argument, "%s%.200s", race->side[i].argument[0] ? ", " : "", race->side[i].argument);
        name_launch(reporter->tree, launch_tree_row(reporter->tree->launch_tree, race->side[i].launch),
                    argument, by[i]);
        finding.access[i].by = by[i];
        inter_launch_action(&race->side[i], what[i], sizeof what[i]);
        finding.access[i].what = what[i];
    }
    report_add(reporter->tree_races->report, &finding);
}

static void report_inter_launch(struct tree_races *tree_races, const struct complete_tree *tree,
                                uint32_t number)
{
    struct tree_reporter reporter = {tree_races, tree};
    if (tree_races->inter_launch)
        inter_launch_end_tree(
            tree_races->inter_launch, number,
            &(struct inter_launch_reporter){&reporter, counts_as_ordered, report_inter_launch_race});
}

/* ---- life of a tree -------------------------------------------------------------------------------- */

static int by_launch(const void *a, const void *b)
{
    const struct ended_launch *x = *(struct ended_launch *const *)a, *y = *(struct ended_launch *const *)b;
    return x->tree_launch.launch < y->tree_launch.launch ? -1 : x->tree_launch.launch > y->tree_launch.launch;
}

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
        ended_free(ended);
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

static void say_left_out(const struct tree_races *tree_races, const struct complete_tree *tree)
{
    char text[TEXT_CHARS];
    format(text,
           "launch %" PRIu32 " and the kernels that it enqueued are %" PRIu32
           " launches: races among the first %" PRIu32 " are looked for",
           tree->members[0]->tree_launch.launch, tree->count + tree->left_out, tree->count);
    if (tree->left_out)
        report_note(tree_races->report, text);
}

void tree_races_complete(struct tree_races *tree_races, uint32_t number, bool known)
{
    struct complete_tree tree = {0};
    bool fine = known && gather(tree_races, number, &tree) && !tree_races->lost;
    if (fine && tree.count > 1) {
        fine = launch_tree_compute(tree.launch_tree);
        if (fine)
            join_by_atomics(&tree);
        fine = fine && launch_tree_compute(tree.launch_tree);
    }
    if (fine && tree.count > 1) {
        report_all(tree_races, &tree);
        report_all_packets(tree_races, &tree);
    }
    if (fine) {
        report_inter_launch(tree_races, &tree, number);
        say_left_out(tree_races, &tree);
    }
    tree_races->lost |= !fine;
    tree_fini(&tree);
    say_loss(tree_races);
    forget(tree_races, number);
}
