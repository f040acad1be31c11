/* SPDX-License-Identifier: Apache-2.0 */
/* Races in a launch tree: footprints of its launches are compared when the tree is complete. */
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

/* The accesses of one launch to one allocation. */
struct operations {
    uint32_t region_id;
    uint64_t low;
    bool fine, of_host;              /* fine-grained SVM; the host's own memory */
    char object[120], argument[120]; /* ", argument 0 'data'", by which the kernel reached it; or nothing */
    struct byte_set bytes[FOOTPRINT_USES];
    struct footprint_sites sites[FOOTPRINT_USES];
    /* strings of the program, which outlives its family */
    struct source_place place[FOOTPRINT_USES][FOOTPRINT_SITES];
};
struct record {
    struct operations *operations;
    uint32_t count;
};

/* One launch that has ended. */
struct member {
    struct member *next;
    struct tree_launch tree_launch;
    uint32_t family, device;
    const char *kernel;
    enum memory_scope releases, acquires;
    struct record all;
    struct record *rests; /* per tree_launch.groups: those that do not happen before the group's end */
    /* per tree_launch.callers: those that do not happen before a kernel enqueued then, of fine-grained
     * memory */
    struct record *clock_snapshots;
};

struct tree_races {
    const struct memory *memory;
    struct report *report;
    struct footprint_sink next;
    struct inter_launch *inter_launch;
    struct member *members;   /* of every family, the latest to end first */
    struct packets packets;   /* of all of them, and of what runs */
    bool lost, reported_loss; /* memory ran out: nothing is judged from here on */
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

static void record_fini(struct record *record)
{
    for (uint32_t i = 0; i < record->count; i++)
        for (int use = 0; use < FOOTPRINT_USES; use++) {
            byte_set_fini(&record->operations[i].bytes[use]);
            footprint_sites_fini(&record->operations[i].sites[use]);
        }
    free(record->operations);
}

static void member_free(struct member *member)
{
    record_fini(&member->all);
    for (uint32_t i = 0; i < member->tree_launch.group_count; i++)
        record_fini(&member->rests[i]);
    for (uint32_t i = 0; i < member->tree_launch.caller_count; i++)
        record_fini(&member->clock_snapshots[i]);
    free(member->rests);
    free(member->clock_snapshots);
    free(member->tree_launch.groups);
    free(member->tree_launch.callers);
    free(member->tree_launch.after);
    free(member);
}

void tree_races_free(struct tree_races *tree_races)
{
    for (struct member *member = tree_races ? tree_races->members : NULL, *next; member; member = next) {
        next = member->next;
        member_free(member);
    }
    if (tree_races)
        packets_fini(&tree_races->packets);
    free(tree_races);
}

/* ---- taking footprints ---------------------------------------------------------------------- */

static void name_object(const struct tree_races *tree_races, struct operations *operations)
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
                      const struct footprint_part *part, struct operations *operations)
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
                        const struct footprint_part *parts, uint32_t count, struct record *record)
{
    bool whole = true;
    record->operations = calloc(count + 1, sizeof *record->operations);
    for (uint32_t i = 0; record->operations && i < count; i++)
        whole &= copy_part(tree_races, launch, &parts[i], &record->operations[record->count++]);
    return whole && record->operations;
}

static bool copy_rests(const struct tree_races *tree_races, const struct footprint *footprint,
                       struct member *member)
{
    bool whole = true;
    member->rests = calloc(footprint->rest_count + 1, sizeof *member->rests);
    member->tree_launch.groups = calloc(footprint->rest_count + 1, sizeof *member->tree_launch.groups);
    for (uint32_t i = 0; member->rests && member->tree_launch.groups && i < footprint->rest_count; i++) {
        const struct footprint_rest *rest = &footprint->rests[i];
        CHECKED(member->tree_launch.group_count == i);
        member->tree_launch.groups[member->tree_launch.group_count++] = rest->group;
        whole &= copy_record(tree_races, footprint->launch, rest->parts, rest->count, &member->rests[i]);
    }
    return whole && member->rests && member->tree_launch.groups;
}

static bool copy_clock_snapshots(const struct tree_races *tree_races, const struct footprint *footprint,
                                 struct member *member)
{
    bool whole = true;
    member->clock_snapshots = calloc(footprint->clock_snapshot_count + 1, sizeof *member->clock_snapshots);
    member->tree_launch.callers =
        calloc(footprint->clock_snapshot_count + 1, sizeof *member->tree_launch.callers);
    for (uint32_t i = 0;
         member->clock_snapshots && member->tree_launch.callers && i < footprint->clock_snapshot_count; i++) {
        const struct footprint_clock_snapshot *clock_snapshot = &footprint->clock_snapshots[i];
        CHECKED(member->tree_launch.caller_count == i);
        member->tree_launch.callers[member->tree_launch.caller_count++] = clock_snapshot->unit;
        whole &= copy_record(tree_races, footprint->launch, clock_snapshot->parts, clock_snapshot->count,
                             &member->clock_snapshots[i]);
    }
    return whole && member->clock_snapshots && member->tree_launch.callers;
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
    struct member *member = calloc(1, sizeof *member);
    if (!member) {
        tree_races->lost = true;
        return;
    }
    *member = (struct member){.next = tree_races->members,
                              .family = launch->family,
                              .device = launch->device,
                              .kernel = launch->kernel,
                              .releases = launch->releases,
                              .acquires = launch->acquires};
    member->tree_launch = (struct tree_launch){.launch = launch->launch,
                                               .parent = launch->parent,
                                               .start = launch->start,
                                               .parent_group = launch->parent_group,
                                               .parent_clock_snapshot = launch->parent_clock_snapshot};
    tree_races->members = member;
    bool whole = copy_after(launch, &member->tree_launch);
    whole &= copy_record(tree_races, launch, footprint->parts, footprint->count, &member->all);
    whole &= copy_rests(tree_races, footprint, member);
    whole &= copy_clock_snapshots(tree_races, footprint, member);
    tree_races->lost |= !whole;
}

static void on_launch_ended(void *self, const struct footprint *footprint)
{
    struct tree_races *tree_races = self;
    if (footprint->launch->family && !tree_races->lost)
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

/* Of a launch that has a family the checker gives all bytes at once. */
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

/* ---- a family
 * ---------------------------------------------------------------------------------------------- */

struct family {
    struct member **members;
    const struct tree_launch **launches;
    uint32_t count, left_out; /* the members after those are not judged */
    struct launch_tree *launch_tree;
};

/* Members are judged in pairs, and what orders them is kept for each pair: of kernels that enqueue kernels
 * without end the first ones have to do. */
enum { JUDGED_MOST = 4096 };

/* The accesses of `earlier` that do not happen before; NULL: none. */
static const struct record *record_of(const struct family *family, uint32_t earlier, struct unknown unknown)
{
    const struct member *member = family->members[earlier];
    switch (unknown.what) {
    case UNKNOWN_ALL: return &member->all;
    case UNKNOWN_AFTER_GROUP: return &member->rests[unknown.index];
    case UNKNOWN_AFTER_CALL: return &member->clock_snapshots[unknown.index];
    case UNKNOWN_NOTHING: break;
    }
    return NULL;
}

/* ---- what meets --------------------------------------------------------------------------------------- */

struct meeting {
    const struct operations *a, *b;
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

/* Of two atomic ones, or of others. */
static bool uses_conflict(enum footprint_use a, enum footprint_use b, bool atomics)
{
    return (is_atomic(a) && is_atomic(b)) == atomics && (changes(a) || changes(b));
}

static bool operations_meet(struct meeting *meeting, bool atomics)
{
    for (enum footprint_use a = 0; a < FOOTPRINT_USES; a++)
        for (enum footprint_use b = 0; b < FOOTPRINT_USES; b++) {
            if (!uses_conflict(a, b, atomics) ||
                !byte_set_intersection(&meeting->a->bytes[a], &meeting->b->bytes[b], &meeting->run))
                continue;
            meeting->use_a = a;
            meeting->use_b = b;
            return true;
        }
    return false;
}

/* The next that meets after *at, both lists ascending by allocation. */
static bool records_meet(const struct record *a, const struct record *b, uint32_t at[2], bool atomics,
                         struct meeting *out_meeting)
{
    while (at[0] < a->count && at[1] < b->count) {
        const struct operations *x = &a->operations[at[0]], *y = &b->operations[at[1]];
        at[0] += x->region_id <= y->region_id;
        at[1] += y->region_id <= x->region_id;
        *out_meeting = (struct meeting){.a = x, .b = y};
        if (x->region_id == y->region_id && operations_meet(out_meeting, atomics))
            return true;
    }
    return false;
}

/* Either may have acquired what the other released. */
static bool may_synchronise(const struct member *a, const struct member *b)
{
    return (a->releases >= SCOPE_DEVICE && b->acquires >= SCOPE_DEVICE) ||
           (b->releases >= SCOPE_DEVICE && a->acquires >= SCOPE_DEVICE) || !RULE(3202);
}

static void join_by_atomics(struct family *family)
{
    struct meeting meeting;
    for (uint32_t later = 1; later < family->count; later++)
        for (uint32_t earlier = 0; earlier < later; earlier++) {
            uint32_t at[2] = {0, 0};
            if (launch_tree_ordered(family->launch_tree, earlier, later) ||
                !may_synchronise(family->members[earlier], family->members[later]) ||
                !records_meet(&family->members[earlier]->all, &family->members[later]->all, at, true,
                              &meeting))
                continue;
            launch_tree_join(family->launch_tree, earlier, later);
        }
}

/* ---- reporting
 * -------------------------------------------------------------------------------------------- */

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

/* Of several lines it is not known which. */
static const char *some_action_of(enum access_kind kind)
{
    return kind > ACCESS_WRITE   ? "one of the atomic accesses by a kernel"
           : kind == ACCESS_READ ? "one of the reads by a kernel"
                                 : "one of the writes by a kernel";
}

static void name_launch(const struct family *family, uint32_t member, const char *argument,
                        char by[TEXT_CHARS])
{
    const struct member *self = family->members[member];
    uint32_t parent = launch_tree_row(family->launch_tree, self->tree_launch.parent);
    if (parent == UINT32_MAX)
        format(by, "kernel %s (launch %" PRIu32 "), enqueued by the host%s", self->kernel,
               self->tree_launch.launch, argument);
    else
        format(by, "kernel %s (launch %" PRIu32 "), enqueued by kernel %s (launch %" PRIu32 ")%s",
               self->kernel, self->tree_launch.launch, family->members[parent]->kernel,
               self->tree_launch.parent, argument);
}

/* The first byte's access, and how far it is one by the same instruction. */
static void describe(const struct family *family, uint32_t member, const struct operations *operations,
                     enum footprint_use use, struct byte_run *run, struct finding_access *out_access,
                     char by[TEXT_CHARS])
{
    static const enum access_kind kinds[FOOTPRINT_USES] = {ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC_UPDATE,
                                                           ACCESS_ATOMIC_READ};
    uint64_t end;
    const uint32_t site = footprint_sites_at(&operations->sites[use], run->low, &end);
    name_launch(family, member, operations->argument, by);
    *out_access = (struct finding_access){.kind = kinds[use],
                                          .what = some_action_of(kinds[use]),
                                          .by = by,
                                          .device_id = family->members[member]->device};
    if (end < run->high)
        run->high = end;
    if (site == FOOTPRINT_SITES)
        return;
    out_access->what = action_of(kinds[use]);
    out_access->place = operations->place[use][site];
}

static void explain(const struct family *family, uint32_t earlier, uint32_t later, bool fine,
                    char why[TEXT_CHARS], char fix[TEXT_CHARS])
{
    const struct member *a = family->members[earlier], *b = family->members[later];
    const bool child = b->tree_launch.parent == a->tree_launch.launch;
    const uint32_t row = child ? UINT32_MAX : launch_tree_child_between(family->launch_tree, earlier, later);
    const struct member *between = row == UINT32_MAX ? NULL : family->members[row];
    if (child && b->tree_launch.start == LAUNCH_AFTER_GROUP)
        format(why,
               "kernel %s waits for the end of the work-group that enqueued it alone "
               "(CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP), and "
               "another work-group of kernel %s made the access",
               b->kernel, a->kernel);
    else if (child && fine)
        format(
            why,
            "kernel %s does not wait for kernel %s, which enqueued it (CLK_ENQUEUE_FLAGS_NO_WAIT): it comes "
            "after what the work-item "
            "that did so had done before, and all that was ordered before that, and this access is neither",
            b->kernel, a->kernel);
    else if (child)
        format(why,
               "kernel %s does not wait for kernel %s, which enqueued it (CLK_ENQUEUE_FLAGS_NO_WAIT), and "
               "does not even see what that "
               "wrote before: enqueue_kernel orders fine-grained SVM alone",
               b->kernel, a->kernel);
    else if (between && between->tree_launch.start == LAUNCH_AFTER_GROUP)
        format(
            why,
            "kernel %s came of kernel %s, which waits for the end of the work-group that enqueued it alone "
            "(CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP), and another work-group of kernel %s made the access",
            b->kernel, between->kernel, a->kernel);
    else if (between)
        format(why, "kernel %s came of kernel %s, which does not wait for kernel %s", b->kernel,
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

static void report_meeting(const struct tree_races *tree_races, const struct family *family, uint32_t earlier,
                           uint32_t later, const struct meeting *meeting)
{
    char why[TEXT_CHARS], fix[TEXT_CHARS], by[2][TEXT_CHARS];
    struct byte_run run = meeting->run;
    struct finding finding = {.kind = FINDING_RACE_COMMANDS,
                              .launch = family->members[later]->tree_launch.launch,
                              .kernel = family->members[later]->kernel,
                              .object = meeting->a->object,
                              .has_offset = !meeting->a->of_host,
                              .offset_bytes = meeting->a->of_host ? 0 : meeting->run.low,
                              .access_count = 2,
                              .why = why,
                              .fix = fix,
                              .spec = spec_text};
    explain(family, earlier, later, meeting->a->fine, why, fix);
    describe(family, earlier, meeting->a, meeting->use_a, &run, &finding.access[0], by[0]);
    describe(family, later, meeting->b, meeting->use_b, &run, &finding.access[1], by[1]);
    const uint64_t bytes = run.high - run.low;
    finding.access[0].size_bytes = finding.access[1].size_bytes =
        bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
    report_add(tree_races->report, &finding);
}

/* Wherever the two uses meet, each two places of the program once. */
static void report_uses(const struct tree_races *tree_races, const struct family *family, uint32_t earlier,
                        uint32_t later, struct meeting *meeting)
{
    bool reported[FOOTPRINT_SITES + 1][FOOTPRINT_SITES + 1] = {{false}};
    for (uint64_t from = 0, end[2]; byte_set_common(
             &meeting->a->bytes[meeting->use_a], &meeting->b->bytes[meeting->use_b], from, &meeting->run);) {
        const uint32_t one =
            footprint_sites_at(&meeting->a->sites[meeting->use_a], meeting->run.low, &end[0]);
        const uint32_t other =
            footprint_sites_at(&meeting->b->sites[meeting->use_b], meeting->run.low, &end[1]);
        if (!reported[one][other])
            report_meeting(tree_races, family, earlier, later, meeting);
        reported[one][other] = true;
        from = meeting->run.high;
        for (int i = 0; i < 2; i++)
            from = end[i] < from ? end[i] : from;
    }
}

/* fine: of fine-grained memory, or of other. */
static void report_some(const struct tree_races *tree_races, const struct family *family, uint32_t earlier,
                        uint32_t later, const struct record *unknown, bool fine)
{
    struct meeting meeting;
    uint32_t at[2] = {0, 0};
    while (unknown && records_meet(unknown, &family->members[later]->all, at, false, &meeting))
        for (enum footprint_use a = 0; a < FOOTPRINT_USES && meeting.a->fine == fine; a++)
            for (enum footprint_use b = 0; b < FOOTPRINT_USES; b++)
                if (uses_conflict(a, b, false)) {
                    meeting.use_a = a;
                    meeting.use_b = b;
                    report_uses(tree_races, family, earlier, later, &meeting);
                }
}

static bool meet_in_fine(const struct record *a, const struct record *b)
{
    struct meeting meeting;
    uint32_t at[2] = {0, 0};
    while (records_meet(a, b, at, false, &meeting))
        if (meeting.a->fine)
            return true;
    return false;
}

static void report_all(const struct tree_races *tree_races, const struct family *family)
{
    for (uint32_t later = 1; later < family->count; later++)
        for (uint32_t earlier = 0; earlier < later; earlier++) {
            const struct record *unknown =
                record_of(family, earlier, launch_tree_unknown(family->launch_tree, earlier, later));
            if (!unknown)
                continue;
            report_some(tree_races, family, earlier, later, unknown, false);
            if (meet_in_fine(unknown, &family->members[later]->all))
                report_some(
                    tree_races, family, earlier, later,
                    record_of(family, earlier, launch_tree_unknown_fine(family->launch_tree, earlier, later)),
                    true);
        }
}

/* ---- packets of pipes ------------------------------------------------------------------------------- */

/* If work-groups of the earlier are ordered with each other, the times of their moves are not known here:
 * inter_launch.h has them. */
static bool packets_are_left(const struct family *family, uint32_t earlier, const struct unknown *unknown)
{
    return unknown->what == UNKNOWN_AFTER_GROUP && family->members[earlier]->releases >= SCOPE_DEVICE;
}

/* May what the one moved come after what the other did? */
static bool packets_race(const struct family *family, uint32_t earlier, uint32_t later,
                         const struct packets_user *used)
{
    const struct unknown unknown = launch_tree_unknown(family->launch_tree, earlier, later);
    if (unknown.what != UNKNOWN_AFTER_GROUP)
        return unknown.what == UNKNOWN_ALL;
    return (used->several || used->group != family->launches[earlier]->groups[unknown.index]) &&
           !packets_are_left(family, earlier, &unknown);
}

static void describe_packets(const struct family *family, uint32_t member, const struct packets_user *used,
                             struct finding_access *out_access, char by[TEXT_CHARS])
{
    name_launch(family, member, used->argument, by);
    *out_access = (struct finding_access){.kind = ACCESS_WRITE,
                                          .what = used->writes ? "writing of packets by a kernel"
                                                               : "reading of packets by a kernel",
                                          .by = by,
                                          .device_id = family->members[member]->device,
                                          .place = used->place};
}

static void report_packets(const struct tree_races *tree_races, const struct family *family,
                           const uint32_t row[2], const struct packets_user *const used[2])
{
    char why[TEXT_CHARS], fix[TEXT_CHARS], by[2][TEXT_CHARS];
    struct finding finding = {.kind = FINDING_RACE_COMMANDS,
                              .launch = family->members[row[1]]->tree_launch.launch,
                              .kernel = family->members[row[1]]->kernel,
                              .object = used[0]->object,
                              .access_count = 2,
                              .why = why,
                              .fix = fix,
                              .spec = spec_text};
    explain(family, row[0], row[1], false, why, fix);
    wording_one_at_a_time(!used[0]->writes, why, TEXT_CHARS);
    for (int i = 0; i < 2; i++)
        describe_packets(family, row[i], used[i], &finding.access[i], by[i]);
    report_add(tree_races->report, &finding);
}

static void report_all_packets(const struct tree_races *tree_races, const struct family *family)
{
    const struct packets *packets = &tree_races->packets;
    for (uint32_t a = 0; a < packets->count; a++) {
        const uint32_t one = launch_tree_row(family->launch_tree, packets->users[a].launch);
        for (uint32_t b = 0; b < a && one != UINT32_MAX; b++) {
            const uint32_t other = packets->users[a].side == packets->users[b].side
                                       ? launch_tree_row(family->launch_tree, packets->users[b].launch)
                                       : UINT32_MAX;
            const bool after = one > other;
            const struct packets_user *const used[2] = {&packets->users[after ? b : a],
                                                        &packets->users[after ? a : b]};
            const uint32_t row[2] = {after ? other : one, after ? one : other};
            if (other != UINT32_MAX && packets_race(family, row[0], row[1], used[0]))
                report_packets(tree_races, family, row, used);
        }
    }
}

/* ---- what atomics did not order ---------------------------------------------------------------------- */

struct crossing {
    struct tree_races *tree_races;
    const struct family *family;
};

static uint32_t last_judged(const struct family *family)
{
    return family->members[family->count - 1]->tree_launch.launch;
}

static bool counts_as_ordered(void *self, uint32_t a, uint32_t b, enum inter_launch_what what)
{
    const struct family *family = ((const struct crossing *)self)->family;
    const uint32_t earlier = launch_tree_row(family->launch_tree, a < b ? a : b),
                   later = launch_tree_row(family->launch_tree, a < b ? b : a);
    if (earlier == UINT32_MAX || later == UINT32_MAX)
        return family->left_out && (a > last_judged(family) || b > last_judged(family));
    const struct unknown unknown = launch_tree_unknown(family->launch_tree, earlier, later);
    if (unknown.what == UNKNOWN_NOTHING)
        return true;
    if (what == INTER_LAUNCH_PACKETS)
        return packets_are_left(family, earlier, &unknown);
    return what == INTER_LAUNCH_FINE_MEMORY &&
           launch_tree_unknown_fine(family->launch_tree, earlier, later).what == UNKNOWN_NOTHING;
}

static void report_crossing(void *self, const struct inter_launch_race *race)
{
    const struct crossing *crossing = self;
    struct finding finding;
    char by[2][TEXT_CHARS], what[2][TEXT_CHARS], argument[TEXT_CHARS];
    if (inter_launch_left_out(race, report_scenario(crossing->tree_races->report)))
        return;
    inter_launch_finding(race, &finding);
    finding.launch = race->side[1].launch;
    for (int i = 0; i < 2; i++) {
        format(argument, "%s%.200s", race->side[i].argument[0] ? ", " : "", race->side[i].argument);
        name_launch(crossing->family, launch_tree_row(crossing->family->launch_tree, race->side[i].launch),
                    argument, by[i]);
        finding.access[i].by = by[i];
        inter_launch_action(&race->side[i], what[i], sizeof what[i]);
        finding.access[i].what = what[i];
    }
    report_add(crossing->tree_races->report, &finding);
}

static void report_crossings(struct tree_races *tree_races, const struct family *family, uint32_t number)
{
    struct crossing crossing = {tree_races, family};
    if (tree_races->inter_launch)
        inter_launch_end_family(
            tree_races->inter_launch, number,
            &(struct inter_launch_reporter){&crossing, counts_as_ordered, report_crossing});
}

/* ---- life of a family
 * --------------------------------------------------------------------------------------- */

static int by_launch(const void *a, const void *b)
{
    const struct member *x = *(struct member *const *)a, *y = *(struct member *const *)b;
    return x->tree_launch.launch < y->tree_launch.launch ? -1 : x->tree_launch.launch > y->tree_launch.launch;
}

/* Out of the list of all. */
static bool gather(struct tree_races *tree_races, uint32_t number, struct family *family)
{
    for (const struct member *member = tree_races->members; member; member = member->next)
        family->count += member->family == number;
    family->members = calloc(family->count + 1, sizeof *family->members);
    family->launches = calloc(family->count + 1, sizeof *family->launches);
    if (!family->members || !family->launches)
        return false;
    uint32_t at = 0;
    for (struct member *member = tree_races->members; member; member = member->next)
        if (member->family == number)
            family->members[at++] = member;
    qsort(family->members, family->count, sizeof *family->members, by_launch);
    family->left_out = family->count > JUDGED_MOST ? family->count - JUDGED_MOST : 0;
    family->count -= family->left_out;
    for (uint32_t i = 0; i < family->count; i++)
        family->launches[i] = &family->members[i]->tree_launch;
    family->launch_tree = launch_tree_new(family->launches, family->count);
    return family->launch_tree;
}

static void family_fini(struct family *family)
{
    launch_tree_free(family->launch_tree);
    free(family->launches);
    free(family->members);
}

static void forget(struct tree_races *tree_races, uint32_t number)
{
    for (struct member **link = &tree_races->members; *link;) {
        struct member *member = *link;
        if (member->family != number) {
            link = &member->next;
            continue;
        }
        *link = member->next;
        packets_forget(&tree_races->packets, member->tree_launch.launch);
        member_free(member);
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

static void say_left_out(const struct tree_races *tree_races, const struct family *family)
{
    char text[TEXT_CHARS];
    format(text,
           "launch %" PRIu32 " and the kernels that it enqueued are %" PRIu32
           " launches: races among the first %" PRIu32 " are looked for",
           family->members[0]->tree_launch.launch, family->count + family->left_out, family->count);
    if (family->left_out)
        report_note(tree_races->report, text);
}

void tree_races_complete(struct tree_races *tree_races, uint32_t number, bool known)
{
    struct family family = {0};
    bool fine = known && gather(tree_races, number, &family) && !tree_races->lost;
    if (fine && family.count > 1) {
        fine = launch_tree_learn(family.launch_tree);
        if (fine)
            join_by_atomics(&family);
        fine = fine && launch_tree_learn(family.launch_tree);
    }
    if (fine && family.count > 1) {
        report_all(tree_races, &family);
        report_all_packets(tree_races, &family);
    }
    if (fine) {
        report_crossings(tree_races, &family, number);
        say_left_out(tree_races, &family);
    }
    tree_races->lost |= !fine;
    family_fini(&family);
    say_loss(tree_races);
    forget(tree_races, number);
}
