/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the findings about races in a launch tree. The sentences follow from the relation of the two
 * launches: a child and its parent, a later descendant, or two that a device queue runs in any order. */
#include "launch_tree_report.h"

#include <inttypes.h>

#include "pipe_packets.h"
#include "sim/memmodel/explain/wording.h"
#include "sim/memmodel/launches/inter_launch.h"

enum { TEXT_CHARS = 400 };
static const char spec_text[] = "OpenCL 2.2 API, 3.3.6 host-side and device-side commands";

static void name_launch(const struct complete_tree *tree, uint32_t row, const char *argument,
                        char by[TEXT_CHARS])
{
    const struct ended_launch *self = tree->members[row];
    uint32_t parent = launch_tree_row(tree->launch_tree, self->tree_launch.parent);
    if (parent == UINT32_MAX)
        wording_print(by, TEXT_CHARS, "kernel %s (launch %" PRIu32 "), enqueued by the host%s", self->kernel,
                      self->tree_launch.launch, argument);
    else
        wording_print(by, TEXT_CHARS,
                      "kernel %s (launch %" PRIu32 "), enqueued by kernel %s (launch %" PRIu32 ")%s",
                      self->kernel, self->tree_launch.launch, tree->members[parent]->kernel,
                      self->tree_launch.parent, argument);
}

/* Describes the access to the first byte of the run, and lowers run->high to the end of that instruction's
 * bytes. */
static void describe(const struct complete_tree *tree, uint32_t row, const struct tree_operations *operations,
                     enum footprint_use use, struct byte_run *run, struct finding_access *out_access,
                     char what[TEXT_CHARS], char by[TEXT_CHARS])
{
    uint64_t end;
    const uint32_t site = footprint_sites_at(&operations->part.sites[use], run->low, &end);
    name_launch(tree, row, operations->argument, by);
    wording_action(wording_access(footprint_kind(use)), site == FOOTPRINT_SITES, "a kernel", what,
                   TEXT_CHARS);
    *out_access = (struct finding_access){
        .kind = footprint_kind(use), .what = what, .by = by, .device_id = tree->members[row]->device};
    if (end < run->high)
        run->high = end;
    if (site < FOOTPRINT_SITES)
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
        wording_print(why, TEXT_CHARS,
                      "kernel %s waits only for the end of the work-group that enqueued it "
                      "(CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP), and "
                      "another work-group of kernel %s made the access",
                      b->kernel, a->kernel);
    else if (child && fine)
        wording_print(
            why, TEXT_CHARS,
            "kernel %s does not wait for kernel %s, which enqueued it (CLK_ENQUEUE_FLAGS_NO_WAIT): it "
            "comes only after what the work-item that enqueued it did before the call, and what happens "
            "before that; this access is not among these",
            b->kernel, a->kernel);
    else if (child)
        wording_print(
            why, TEXT_CHARS,
            "kernel %s does not wait for kernel %s, which enqueued it (CLK_ENQUEUE_FLAGS_NO_WAIT), and does "
            "not even see what kernel %s wrote before the call: enqueue_kernel orders fine-grained SVM alone",
            b->kernel, a->kernel, a->kernel);
    else if (between && between->tree_launch.start == LAUNCH_AFTER_GROUP)
        wording_print(
            why, TEXT_CHARS,
            "kernel %s descends from kernel %s, which waits only for the end of the work-group that enqueued "
            "it (CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP), and another work-group of kernel %s made the access",
            b->kernel, between->kernel, a->kernel);
    else if (between)
        wording_print(why, TEXT_CHARS, "kernel %s descends from kernel %s, which does not wait for kernel %s",
                      b->kernel, between->kernel, a->kernel);
    else
        wording_print(why, TEXT_CHARS,
                      "neither of the kernels %s and %s waits for the other: a device queue is out of order",
                      a->kernel, b->kernel);
    if (child || between)
        wording_print(fix, TEXT_CHARS, "enqueue kernel %s with CLK_ENQUEUE_FLAGS_WAIT_KERNEL",
                      between ? between->kernel : b->kernel);
    else if (a->tree_launch.parent == b->tree_launch.parent)
        wording_print(fix, TEXT_CHARS,
                      "pass the event of the one that is to come first in the wait list of the other");
    else
        wording_print(
            fix, TEXT_CHARS,
            "in the kernel that is an ancestor of both, pass the event of the one child in the wait list of "
            "the other: it stands for what that child enqueues, too");
}

void launch_tree_report_conflict(const struct complete_tree *tree, uint32_t earlier, uint32_t later,
                                 const struct tree_conflict *conflict)
{
    char why[TEXT_CHARS], fix[TEXT_CHARS], what[2][TEXT_CHARS], by[2][TEXT_CHARS];
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
    describe(tree, earlier, conflict->a, conflict->use_a, &run, &finding.access[0], what[0], by[0]);
    describe(tree, later, conflict->b, conflict->use_b, &run, &finding.access[1], what[1], by[1]);
    const uint64_t bytes = run.high - run.low;
    finding.access[0].size_bytes = finding.access[1].size_bytes =
        bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
    report_add(tree->report, &finding);
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

void launch_tree_report_packets(const struct complete_tree *tree, const uint32_t row[2],
                                const struct packets_user *const used[2])
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
    report_add(tree->report, &finding);
}

void launch_tree_report_race(void *self, const struct inter_launch_race *race)
{
    const struct complete_tree *tree = self;
    struct finding finding = race->finding;
    char by[2][TEXT_CHARS], argument[TEXT_CHARS];
    if (inter_launch_left_out(race, report_scenario(tree->report)))
        return;
    finding.launch = race->side[1].launch;
    for (int i = 0; i < 2; i++) {
        wording_print(argument, TEXT_CHARS, "%s%.200s", race->side[i].argument[0] ? ", " : "",
                      race->side[i].argument);
        name_launch(tree, launch_tree_row(tree->launch_tree, race->side[i].launch), argument, by[i]);
        finding.access[i].by = by[i];
    }
    report_add(tree->report, &finding);
}
