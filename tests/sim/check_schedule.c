/* SPDX-License-Identifier: Apache-2.0 */
/* Policies, barriers, divergence, progress: toy programs on the real device. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/fake_interp.h"
#include "orrery/limits.h"
#include "orrery/report.h"

static struct scenario scenario;
static struct report *report;
static struct device *device;
static struct program *program;

/* The operations of the work-items, in order. */
enum { LOG_ROOM = 100000 };
static uint32_t log_ids[LOG_ROOM], log_count;
static uint32_t locked, flag_set;

static void note(const struct item *item)
{
    if (log_count < LOG_ROOM)
        log_ids[log_count++] = (uint32_t)item->global_id[0];
}
static bool always(const struct item *item)
{
    (void)item;
    return true;
}
static bool odd(const struct item *item)
{
    return item->local_id[0] % 2;
}
static bool upper_half(const struct item *item)
{
    return item->local_id[0] >= 8;
}
static bool not_first(const struct item *item)
{
    return item->local_id[0] != 0;
}

static void setup(void)
{
    scenario_default(&scenario);
    checks_fast(scenario.checks);
    report = report_new(&scenario);
    report_set_stream(report, NULL, false);
    fake_program = (struct fake_program){.info = {.name = "toy"}, .traits = {.sees_groups = true}};
    log_count = locked = flag_set = 0;
    fake_waves_made = fake_splits = fake_collectives = fake_collective_lanes = fake_widest = 0;
}

static void teardown(void)
{
    if (program)
        program_release(program);
    program = NULL;
    if (device)
        device_free(device);
    device = NULL;
    report_free(report);
    scenario_fini(&scenario);
    ck_assert_uint_eq(fake_waves_alive, 0);
}

static void load(const struct fake_op *ops)
{
    static const uint32_t words[] = {0x07230203};
    struct program_request request = {
        .words = words,
        .word_count = 1,
        .source_name = "toy.cl",
        .source_text = "line one\n  line two\nline three\nline four\nline five\nline six\n"};
    fake_program.ops = ops;
    ck_assert_int_eq(device_new(&scenario, report, &device, NULL), STATUS_OK);
    ck_assert_int_eq(program_load(device, &request, &program, NULL), STATUS_OK);
}

static enum status launch_again(uint64_t global, uint64_t local)
{
    struct launch_request request = {.kernel = program_kernel(program, 0),
                                     .command = 7,
                                     .work_dim = 1,
                                     .global_size = {global, 1, 1},
                                     .local_size = {local, 1, 1}};
    return device_launch(device, &request, NULL);
}

static enum status launch(const struct fake_op *ops, uint64_t global, uint64_t local)
{
    load(ops);
    return launch_again(global, local);
}

static void expect_log(uint32_t count, const uint32_t *ids)
{
    ck_assert_uint_eq(log_count, count);
    for (uint32_t i = 0; i < count; i++)
        ck_assert_uint_eq(log_ids[i], ids[i]);
}

static const struct fake_op once[] = {{.kind = FAKE_WORK, .act = note}, {.kind = FAKE_RETURN}};
static const struct fake_op twice[] = {
    {.kind = FAKE_WORK, .act = note}, {.kind = FAKE_WORK, .act = note}, {.kind = FAKE_RETURN}};
static const struct fake_op around_barrier[] = {{.kind = FAKE_WORK, .act = note},
                                                {.kind = FAKE_BARRIER},
                                                {.kind = FAKE_WORK, .act = note},
                                                {.kind = FAKE_RETURN}};

/* ---- order ------------------------------------------------------------------------ */

START_TEST(lockstep_runs_groups_in_order)
{
    ck_assert_int_eq(launch(twice, 4, 2), STATUS_OK);
    expect_log(8, (uint32_t[]){0, 1, 0, 1, 2, 3, 2, 3});
    ck_assert_uint_eq(device_kernels_run(device), 1);
    ck_assert_uint_eq(report_count(report), 0);
}
END_TEST

START_TEST(serial_runs_items_in_order)
{
    scenario.schedule.policy = SCHEDULE_SERIAL;
    ck_assert_int_eq(launch(twice, 4, 2), STATUS_OK);
    expect_log(8, (uint32_t[]){0, 0, 1, 1, 2, 2, 3, 3});
    ck_assert_uint_eq(fake_widest, 1);
    ck_assert(!fake_request.preempt);
}
END_TEST

START_TEST(serial_stops_at_barriers)
{
    scenario.schedule.policy = SCHEDULE_SERIAL;
    ck_assert_int_eq(launch(around_barrier, 6, 3), STATUS_OK);
    expect_log(12, (uint32_t[]){0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
    ck_assert_uint_eq(report_count(report), 0);
}
END_TEST

START_TEST(reverse_runs_all_backwards)
{
    scenario.schedule.policy = SCHEDULE_REVERSE;
    ck_assert_int_eq(launch(around_barrier, 4, 2), STATUS_OK);
    expect_log(8, (uint32_t[]){3, 2, 3, 2, 1, 0, 1, 0});
}
END_TEST

START_TEST(round_robin_gives_each_a_quantum)
{
    scenario.schedule.policy = SCHEDULE_ROUND_ROBIN;
    scenario.schedule.quantum = 1;
    ck_assert_int_eq(launch(twice, 4, 2), STATUS_OK);
    expect_log(8, (uint32_t[]){0, 1, 0, 1, 2, 3, 2, 3});
    ck_assert(fake_request.preempt);
}
END_TEST

START_TEST(round_robin_over_resident_groups)
{
    scenario.schedule.policy = SCHEDULE_ROUND_ROBIN;
    scenario.schedule.quantum = 1;
    scenario.schedule.resident_groups = 2;
    ck_assert_int_eq(launch(twice, 4, 2), STATUS_OK);
    expect_log(8, (uint32_t[]){0, 1, 2, 3, 0, 1, 2, 3});
}
END_TEST

START_TEST(round_robin_quantum_of_two)
{
    scenario.schedule.policy = SCHEDULE_ROUND_ROBIN;
    scenario.schedule.quantum = 2;
    ck_assert_int_eq(launch(twice, 2, 2), STATUS_OK);
    expect_log(4, (uint32_t[]){0, 0, 1, 1});
}
END_TEST

static void run_random(uint64_t seed, uint32_t resident, uint32_t *out_ids)
{
    setup();
    scenario.schedule.policy = SCHEDULE_RANDOM;
    scenario.schedule.seed = seed;
    scenario.schedule.resident_groups = resident;
    ck_assert_int_eq(launch(around_barrier, 32, 8), STATUS_OK);
    ck_assert_uint_eq(log_count, 64);
    memcpy(out_ids, log_ids, 64 * sizeof *out_ids);
    ck_assert_uint_eq(report_count(report), 0);
    teardown();
}

START_TEST(random_is_a_function_of_the_seed)
{
    uint32_t a[64], b[64], c[64], seen[32] = {0};
    teardown();
    run_random(1, 2, a);
    run_random(1, 2, b);
    run_random(2, 2, c);
    ck_assert_mem_eq(a, b, sizeof a);
    ck_assert(memcmp(a, c, sizeof a) != 0);
    for (int i = 0; i < 64; i++)
        seen[a[i]]++;
    for (int i = 0; i < 32; i++)
        ck_assert_uint_eq(seen[i], 2);
    setup();
}
END_TEST

START_TEST(random_changes_the_order_of_groups)
{
    uint32_t ids[64], first = 0, seeds = 20;
    teardown();
    for (uint64_t seed = 0; seed < seeds; seed++) {
        run_random(seed, 1, ids);
        first += ids[0] / 8 == 0;
        for (int i = 0; i < 64; i += 16) /* with one group resident each runs to its end */
            for (int k = 1; k < 16; k++)
                ck_assert_uint_eq(ids[i + k] / 8, ids[i] / 8);
    }
    ck_assert_uint_lt(first, seeds);
    setup();
}
END_TEST

/* ---- waves --------------------------------------------------------------------------- */

enum { WIDEST = HOSTILE(256, 16) }; /* lanes of a wave in lockstep */

START_TEST(groups_and_waves_are_reused)
{
    ck_assert_int_eq(launch(around_barrier, 64 * 600, 600), STATUS_OK);
    ck_assert_uint_eq(fake_waves_made, (600 + WIDEST - 1) / WIDEST);
    ck_assert_uint_eq(fake_widest, WIDEST);
    ck_assert_uint_eq(log_count, 2 * 64 * 600);
    ck_assert_int_eq(launch_again(64 * 600, 600), STATUS_OK);
    ck_assert_uint_eq(fake_waves_made, (600 + WIDEST - 1) / WIDEST);
    ck_assert_uint_eq(report_count(report), 0);
}
END_TEST

START_TEST(kernels_that_see_no_groups_share_waves)
{
    fake_program.traits.sees_groups = false;
    ck_assert_int_eq(launch(once, 1024, 8), STATUS_OK);
    ck_assert_uint_eq(fake_widest, WIDEST);
    ck_assert_uint_eq(log_count, 1024);
    for (uint32_t i = 0; i < 1024; i++)
        ck_assert_uint_eq(log_ids[i], i);
}
END_TEST

START_TEST(nothing_runs_for_an_empty_range)
{
    ck_assert_int_eq(launch(once, 0, 8), STATUS_OK);
    ck_assert_uint_eq(log_count, 0);
    ck_assert_uint_eq(device_kernels_run(device), 1);
}
END_TEST

/* ---- barriers ------------------------------------------------------------------------- */

START_TEST(barrier_joins_all_waves)
{
    ck_assert_int_eq(launch(around_barrier, 1000, 1000), STATUS_OK);
    for (uint32_t i = 0; i < 1000; i++)
        ck_assert_uint_eq(log_ids[i], i);
    for (uint32_t i = 0; i < 1000; i++)
        ck_assert_uint_eq(log_ids[1000 + i], i);
    ck_assert_uint_eq(report_count(report), 0);
}
END_TEST

static void expect_divergence(enum finding_kind kind, uint32_t line, const char *part)
{
    ck_assert_uint_eq(report_count(report), 1);
    const struct finding *finding = report_get(report, 0);
    ck_assert_int_eq(finding->kind, kind);
    ck_assert_uint_eq(finding->access[0].place.line, line);
    ck_assert_ptr_nonnull(finding->why);
    ck_assert_msg(strstr(finding->why, part) != NULL, "%s", finding->why);
    ck_assert_str_eq(finding->kernel, "toy");
}

/* Odd items return before the barrier. */
static const struct fake_op some_return[] = {{.kind = FAKE_BRANCH, .test = odd, .target = 3},
                                             {.kind = FAKE_BARRIER},
                                             {.kind = FAKE_WORK, .act = note},
                                             {.kind = FAKE_RETURN}};

START_TEST(barrier_that_some_never_reach)
{
    ck_assert_int_eq(launch(some_return, 16, 16), STATUS_OK);
    expect_divergence(FINDING_BARRIER_DIVERGENCE, 2,
                      "8 of the 16 work-items of work-group (0,0,0) wait here; 8 will never come");
    const struct finding *finding = report_get(report, 0);
    ck_assert_ptr_nonnull(strstr(finding->why, "the first is work-item (1,0,0)"));
    ck_assert_str_eq(finding->access[0].what, "work_group_barrier");
    ck_assert_str_eq(finding->access[0].place.file, "toy.cl");
    ck_assert_str_eq(finding->access[0].place.text, "  line two");
    ck_assert_uint_eq(finding->access[0].item.global_id[0], 0);
    ck_assert_uint_eq(finding->access_count, 1);
    ck_assert_uint_eq(log_count, 8);
}
END_TEST

START_TEST(divergence_is_found_by_every_policy)
{
    teardown();
    for (int policy = SCHEDULE_LOCKSTEP; policy <= SCHEDULE_RANDOM; policy++) {
        setup();
        scenario.schedule.policy = (enum schedule_policy)policy;
        ck_assert_int_eq(launch(some_return, 16, 16), STATUS_OK);
        expect_divergence(FINDING_BARRIER_DIVERGENCE, 2, "8 of the 16");
        ck_assert_uint_eq(log_count, 8);
        teardown();
    }
    setup();
}
END_TEST

START_TEST(two_different_barriers)
{
    static const struct fake_op ops[] = {{.kind = FAKE_BRANCH, .test = upper_half, .target = 3},
                                         {.kind = FAKE_BARRIER},
                                         {.kind = FAKE_BRANCH, .test = always, .target = 4},
                                         {.kind = FAKE_BARRIER},
                                         {.kind = FAKE_WORK, .act = note},
                                         {.kind = FAKE_RETURN}};
    ck_assert_int_eq(launch(ops, 12, 12), STATUS_OK);
    expect_divergence(FINDING_BARRIER_MISMATCH, 2,
                      "the 12 work-items of work-group (0,0,0) wait at different barriers: 8 at toy.cl:2 ");
    ck_assert_ptr_nonnull(strstr(report_get(report, 0)->why, "; 4 at toy.cl:4 "));
    ck_assert_uint_eq(report_get(report, 0)->access_count, 2);
    ck_assert_uint_eq(report_get(report, 0)->access[1].item.global_id[0], 8);
    ck_assert_uint_eq(log_count, 12);
}
END_TEST

/* Both sides of a branch lead to the one barrier after it: no divergence. */
START_TEST(lanes_of_both_branches_reach_one_barrier)
{
    static const struct fake_op ops[] = {{.kind = FAKE_BRANCH, .test = odd, .target = 2},
                                         {.kind = FAKE_WORK, .act = note},
                                         {.kind = FAKE_BARRIER},
                                         {.kind = FAKE_WORK, .act = note},
                                         {.kind = FAKE_RETURN}};
    teardown();
    for (int policy = SCHEDULE_LOCKSTEP; policy <= SCHEDULE_RANDOM; policy++) {
        setup();
        scenario.schedule.policy = (enum schedule_policy)policy;
        ck_assert_int_eq(launch(ops, 64, 16), STATUS_OK);
        ck_assert_uint_eq(report_count(report), 0);
        ck_assert_uint_eq(log_count, 32 + 64);
        teardown();
    }
    setup();
}
END_TEST

START_TEST(work_items_at_fault_are_not_waited_for)
{
    static const struct fake_op ops[] = {
        {.kind = FAKE_FAULT, .test = odd, .fault = {.kind = FAULT_READ, .size = 4}},
        {.kind = FAKE_BARRIER},
        {.kind = FAKE_WORK, .act = note},
        {.kind = FAKE_RETURN}};
    teardown();
    for (int policy = SCHEDULE_LOCKSTEP; policy <= SCHEDULE_RANDOM; policy++) {
        setup();
        scenario.schedule.policy = (enum schedule_policy)policy;
        ck_assert_int_eq(launch(ops, 16, 16), STATUS_OK);
        ck_assert_uint_eq(report_count(report), 1);
        ck_assert_int_eq(report_get(report, 0)->kind, FINDING_NULL_READ);
        ck_assert_uint_eq(log_count, 8);
        teardown();
    }
    setup();
}
END_TEST

/* ---- sub-groups ---------------------------------------------------------------------------- */

static bool first_sub_group(const struct item *item)
{
    return item->sub_group == 0;
}
static bool later_sub_group(const struct item *item)
{
    return item->sub_group != 0;
}

/* Sub-group 0 executes the group functions; the others skip them. */
static const struct fake_op sub_group_alone[] = {{.kind = FAKE_BRANCH, .test = later_sub_group, .target = 4},
                                                 {.kind = FAKE_SUB_GROUP_BARRIER},
                                                 {.kind = FAKE_SUB_GROUP_COLLECTIVE},
                                                 {.kind = FAKE_WORK, .act = note},
                                                 {.kind = FAKE_RETURN}};

START_TEST(sub_groups_do_not_wait_for_each_other)
{
    teardown();
    for (int policy = SCHEDULE_LOCKSTEP; policy <= SCHEDULE_RANDOM; policy++) {
        setup();
        scenario.schedule.policy = (enum schedule_policy)policy;
        scenario.device.sub_group_sizes[0] = 8;
        ck_assert_int_eq(launch(sub_group_alone, 60, 30), STATUS_OK);
        ck_assert_uint_eq(report_count(report), 0);
        ck_assert_uint_eq(log_count, 16);
        ck_assert_uint_eq(fake_collective_lanes, 16);
        teardown();
    }
    setup();
}
END_TEST

START_TEST(part_of_a_sub_group_diverges)
{
    static const struct fake_op ops[] = {{.kind = FAKE_BRANCH, .test = odd, .target = 2},
                                         {.kind = FAKE_SUB_GROUP_BARRIER},
                                         {.kind = FAKE_RETURN}};
    teardown();
    for (int policy = SCHEDULE_LOCKSTEP; policy <= SCHEDULE_RANDOM; policy++) {
        setup();
        scenario.schedule.policy = (enum schedule_policy)policy;
        scenario.device.sub_group_sizes[0] = 8;
        ck_assert_int_eq(launch(ops, 16, 16), STATUS_OK);
        expect_divergence(FINDING_BARRIER_DIVERGENCE, 2, "4 of the 8 work-items of sub-group ");
        teardown();
    }
    setup();
}
END_TEST

/* The lanes of each sub-group reach the barrier in three parts, in two waves at once. */
static bool second_third(const struct item *item)
{
    return item->local_id[0] % 3 == 1;
}
static bool last_thirds(const struct item *item)
{
    return item->local_id[0] % 3 != 0;
}

START_TEST(parts_of_sub_groups_reconverge)
{
    static const struct fake_op ops[] = {{.kind = FAKE_BRANCH, .test = last_thirds, .target = 3},
                                         {.kind = FAKE_SUB_GROUP_BARRIER},
                                         {.kind = FAKE_BRANCH, .test = always, .target = 5},
                                         {.kind = FAKE_BRANCH, .test = second_third, .target = 1},
                                         {.kind = FAKE_BRANCH, .test = always, .target = 1},
                                         {.kind = FAKE_WORK, .act = note},
                                         {.kind = FAKE_RETURN}};
    scenario.device.sub_group_sizes[0] = 8;
    ck_assert_int_eq(launch(ops, 1024, 512), STATUS_OK);
    ck_assert_uint_eq(report_count(report), 0);
    ck_assert_uint_eq(log_count, 1024);
    ck_assert_uint_gt(fake_splits, 4);
}
END_TEST

START_TEST(sub_groups_do_not_wait_for_work_items_at_fault)
{
    static const struct fake_op ops[] = {
        {.kind = FAKE_FAULT, .test = odd, .fault = {.kind = FAULT_WRITE, .size = 4}},
        {.kind = FAKE_SUB_GROUP_BARRIER},
        {.kind = FAKE_WORK, .act = note},
        {.kind = FAKE_RETURN}};
    scenario.device.sub_group_sizes[0] = 8;
    ck_assert_int_eq(launch(ops, 32, 16), STATUS_OK);
    ck_assert_uint_eq(report_count(report), 1);
    ck_assert_int_eq(report_get(report, 0)->kind, FINDING_NULL_WRITE);
    ck_assert_uint_eq(log_count, 16);
}
END_TEST

/* Sub-group 1 spins until sub-group 0 has passed its barrier: only possible when
 * sub-group 0 is not held up by the rest of its work-group. */
static bool until_flag(const struct item *item)
{
    return item->sub_group != 0 && !flag_set;
}
static void set_flag(const struct item *item)
{
    if (item->sub_group == 0)
        flag_set = 1;
}

START_TEST(sub_group_barrier_does_not_wait_for_spinners)
{
    static const struct fake_op ops[] = {{.kind = FAKE_BRANCH, .test = first_sub_group, .target = 2},
                                         {.kind = FAKE_SPIN, .test = until_flag},
                                         {.kind = FAKE_SUB_GROUP_BARRIER},
                                         {.kind = FAKE_WORK, .act = set_flag},
                                         {.kind = FAKE_RETURN}};
    teardown();
    for (int policy = SCHEDULE_LOCKSTEP; policy <= SCHEDULE_RANDOM; policy++) {
        setup();
        scenario.schedule.policy = (enum schedule_policy)policy;
        scenario.schedule.max_steps = 50000000;
        scenario.device.sub_group_sizes[0] = 4;
        fake_program.traits.has_atomics = true;
        ck_assert_int_eq(launch(ops, 8, 8), STATUS_OK);
        ck_assert_uint_eq(report_count(report), 0);
        teardown();
    }
    setup();
}
END_TEST

/* ---- collectives ------------------------------------------------------------------------------ */

START_TEST(collective_of_the_work_group)
{
    static const struct fake_op ops[] = {
        {.kind = FAKE_COLLECTIVE}, {.kind = FAKE_WORK, .act = note}, {.kind = FAKE_RETURN}};
    teardown();
    for (int policy = SCHEDULE_LOCKSTEP; policy <= SCHEDULE_RANDOM; policy++) {
        setup();
        scenario.schedule.policy = (enum schedule_policy)policy;
        ck_assert_int_eq(launch(ops, 900, 300), STATUS_OK);
        ck_assert_uint_eq(fake_collectives, 3);
        ck_assert_uint_eq(fake_collective_lanes, 900);
        ck_assert_uint_eq(log_count, 900);
        ck_assert_uint_eq(report_count(report), 0);
        teardown();
    }
    setup();
}
END_TEST

START_TEST(collective_that_some_miss)
{
    static const struct fake_op ops[] = {{.kind = FAKE_BRANCH, .test = not_first, .target = 2},
                                         {.kind = FAKE_COLLECTIVE},
                                         {.kind = FAKE_RETURN}};
    ck_assert_int_eq(launch(ops, 4, 4), STATUS_OK);
    expect_divergence(FINDING_COLLECTIVE_DIVERGENCE, 2, "1 of the 4 work-items");
    ck_assert_uint_eq(fake_collective_lanes, 1);
}
END_TEST

/* ---- progress ------------------------------------------------------------------------------------ */

static uint32_t holder;
static bool cannot_lock(const struct item *item)
{
    if (locked)
        return true;
    locked = 1;
    holder = (uint32_t)item->global_id[0];
    return false;
}
static void unlock(const struct item *item)
{
    ck_assert_uint_eq(holder, item->global_id[0]);
    locked = 0;
    note(item);
}

static const struct fake_op spin_lock[] = {
    {.kind = FAKE_SPIN, .test = cannot_lock}, {.kind = FAKE_WORK, .act = unlock}, {.kind = FAKE_RETURN}};

START_TEST(spin_lock_finishes)
{
    teardown();
    for (int policy = SCHEDULE_LOCKSTEP; policy <= SCHEDULE_RANDOM; policy++) {
        setup();
        locked = 0;
        scenario.schedule.policy = (enum schedule_policy)policy;
        fake_program.traits.has_atomics = true;
        ck_assert_int_eq(launch(spin_lock, 128, 32), STATUS_OK);
        ck_assert_uint_eq(log_count, 128);
        ck_assert_uint_eq(report_count(report), 0);
        teardown();
    }
    setup();
}
END_TEST

/* Group 0 waits for what only the last group does. */
static bool until_last(const struct item *item)
{
    return item->group_id[0] == 0 && !flag_set;
}
static void last_sets(const struct item *item)
{
    if (item->group_id[0] == 7)
        flag_set = 1;
    note(item);
}

START_TEST(a_waiting_group_lets_others_in)
{
    static const struct fake_op ops[] = {{.kind = FAKE_SPIN, .test = until_last},
                                         {.kind = FAKE_WORK, .act = last_sets},
                                         {.kind = FAKE_RETURN}};
    teardown();
    for (int policy = SCHEDULE_LOCKSTEP; policy <= SCHEDULE_RANDOM; policy++) {
        setup();
        flag_set = 0;
        scenario.schedule.policy = (enum schedule_policy)policy;
        fake_program.traits.has_atomics = true;
        ck_assert_int_eq(launch(ops, 16, 2), STATUS_OK);
        ck_assert_uint_eq(log_count, 16);
        teardown();
    }
    setup();
}
END_TEST

/* Every group waits until all have begun: all must be resident at once. */
static uint32_t arrived;
static void arrive(const struct item *item)
{
    (void)item;
    arrived++;
}
static bool until_all(const struct item *item)
{
    (void)item;
    return arrived < 64;
}

START_TEST(a_barrier_over_all_groups_finishes)
{
    static const struct fake_op ops[] = {{.kind = FAKE_WORK, .act = arrive},
                                         {.kind = FAKE_SPIN, .test = until_all},
                                         {.kind = FAKE_WORK, .act = note},
                                         {.kind = FAKE_RETURN}};
    arrived = 0;
    fake_program.traits.has_atomics = true;
    ck_assert_int_eq(launch(ops, 64, 1), STATUS_OK);
    ck_assert_uint_eq(log_count, 64);
}
END_TEST

/*
 * How many had begun each time the first checked: as many again begin each time all wait, not one, for each
 * time is a pass over all.
 */
static uint32_t seen[64], seen_count;
static bool until_all_noting(const struct item *item)
{
    if (item->global_id[0] == 0 && seen_count < 64 && (seen_count == 0 || seen[seen_count - 1] != arrived))
        seen[seen_count++] = arrived;
    return arrived < 64;
}

START_TEST(same_number_of_work_groups_starts_each_time_all_wait)
{
    static const enum schedule_policy policies[] = {SCHEDULE_LOCKSTEP, SCHEDULE_SERIAL};
    static const struct fake_op ops[] = {{.kind = FAKE_WORK, .act = arrive},
                                         {.kind = FAKE_SPIN, .test = until_all_noting},
                                         {.kind = FAKE_WORK, .act = note},
                                         {.kind = FAKE_RETURN}};
    scenario.schedule.policy = policies[_i];
    arrived = seen_count = 0;
    fake_program.traits.has_atomics = true;
    ck_assert_int_eq(launch(ops, 64, 1), STATUS_OK);
    ck_assert_uint_eq(log_count, 64);
    ck_assert_uint_eq(seen_count, 7);
    for (uint32_t i = 0; i < seen_count; i++)
        ck_assert_uint_eq(seen[i], 1U << i);
}
END_TEST

static const struct fake_op forever[] = {
    {.kind = FAKE_WORK, .act = note}, {.kind = FAKE_SPIN, .test = always}, {.kind = FAKE_RETURN}};

START_TEST(max_steps_end_an_endless_loop)
{
    teardown();
    for (int policy = SCHEDULE_LOCKSTEP; policy <= SCHEDULE_RANDOM; policy++) {
        setup();
        scenario.schedule.policy = (enum schedule_policy)policy;
        scenario.schedule.max_steps = 5000;
        ck_assert_int_eq(launch(forever, 4, 2), STATUS_NO_PROGRESS);
        ck_assert_uint_eq(report_count(report), 1);
        const struct finding *finding = report_get(report, 0);
        ck_assert_int_eq(finding->kind, FINDING_NO_PROGRESS);
        ck_assert_uint_eq(finding->access[0].place.line, 2);
        ck_assert_ptr_nonnull(strstr(finding->why, "more than 5000 loop iterations"));
        ck_assert_int_eq(launch_again(4, 2), STATUS_NO_PROGRESS); /* the device is still sound */
        teardown();
    }
    setup();
}
END_TEST

START_TEST(timeout_ends_an_endless_loop)
{
    scenario.schedule.timeout_seconds = 0.05;
    ck_assert_int_eq(launch(forever, 4, 2), STATUS_NO_PROGRESS);
    ck_assert_int_eq(report_get(report, 0)->kind, FINDING_NO_PROGRESS);
    ck_assert_ptr_nonnull(strstr(report_get(report, 0)->why, "timeout"));
}
END_TEST

START_TEST(limits_leave_ordinary_kernels_alone)
{
    scenario.schedule.max_steps = 1;
    scenario.schedule.timeout_seconds = 100;
    ck_assert_int_eq(launch(around_barrier, 400, 20), STATUS_OK);
    ck_assert_uint_eq(report_count(report), 0);
}
END_TEST

/* ---- events ----------------------------------------------------------------------------------------- */

static char trace[4096];
static void on_launch(void *self, const struct launch_event *event)
{
    (void)self;
    static const char *const names[] = {"begin", "end", "group", "gone"};
    char *end = trace + strlen(trace);
    if (event->phase >= GROUP_BEGIN)
        sprintf(end, "%s%d@%u ", names[event->phase], (int)event->group_linear, event->compute_unit);
    else
        sprintf(end, "%s%u:%u ", names[event->phase], event->launch->launch, event->launch->command);
}
static void on_sync(void *self, const struct sync_event *event)
{
    (void)self;
    sprintf(trace + strlen(trace), "sync%d/%u ", (int)event->kind, event->lane_count);
}

START_TEST(events_in_order)
{
    struct observer observer = {.launch = on_launch, .sync = on_sync};
    trace[0] = '\0';
    load(around_barrier);
    device_add_observer(device, &observer);
    ck_assert_int_eq(launch_again(10, 5), STATUS_OK);
    ck_assert_str_eq(trace, "begin1:7 group0@0 sync1/5 gone0@0 group1@1 sync1/5 gone1@1 end1:7 ");
}
END_TEST

START_TEST(several_observers_each_receive_all_events)
{
    struct observer launches = {.launch = on_launch}, syncs = {.sync = on_sync};
    trace[0] = '\0';
    fake_program.traits.sees_groups = false;
    load(once);
    ck_assert_int_eq(launch_again(2, 1), STATUS_OK);
    ck_assert(!fake_observed);
    device_add_observer(device, &launches);
    device_add_observer(device, &syncs);
    device_add_observer(device, &launches);
    ck_assert_int_eq(launch_again(2, 1), STATUS_OK);
    ck_assert(fake_observed);
    ck_assert_str_eq(trace, "begin2:7 begin2:7 group0@0 group0@0 group1@0 group1@0 "
                            "gone0@0 gone0@0 gone1@0 gone1@0 end2:7 end2:7 ");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("schedule");
    TCase *tests = tcase_create("schedule");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, lockstep_runs_groups_in_order);
    tcase_add_test(tests, serial_runs_items_in_order);
    tcase_add_test(tests, serial_stops_at_barriers);
    tcase_add_test(tests, reverse_runs_all_backwards);
    tcase_add_test(tests, round_robin_gives_each_a_quantum);
    tcase_add_test(tests, round_robin_over_resident_groups);
    tcase_add_test(tests, round_robin_quantum_of_two);
    tcase_add_test(tests, random_is_a_function_of_the_seed);
    tcase_add_test(tests, random_changes_the_order_of_groups);
    tcase_add_test(tests, groups_and_waves_are_reused);
    tcase_add_test(tests, kernels_that_see_no_groups_share_waves);
    tcase_add_test(tests, nothing_runs_for_an_empty_range);
    tcase_add_test(tests, barrier_joins_all_waves);
    tcase_add_test(tests, barrier_that_some_never_reach);
    tcase_add_test(tests, divergence_is_found_by_every_policy);
    tcase_add_test(tests, two_different_barriers);
    tcase_add_test(tests, lanes_of_both_branches_reach_one_barrier);
    tcase_add_test(tests, work_items_at_fault_are_not_waited_for);
    tcase_add_test(tests, sub_groups_do_not_wait_for_each_other);
    tcase_add_test(tests, part_of_a_sub_group_diverges);
    tcase_add_test(tests, parts_of_sub_groups_reconverge);
    tcase_add_test(tests, sub_groups_do_not_wait_for_work_items_at_fault);
    tcase_add_test(tests, sub_group_barrier_does_not_wait_for_spinners);
    tcase_add_test(tests, collective_of_the_work_group);
    tcase_add_test(tests, collective_that_some_miss);
    tcase_add_test(tests, spin_lock_finishes);
    tcase_add_test(tests, a_waiting_group_lets_others_in);
    tcase_add_test(tests, a_barrier_over_all_groups_finishes);
    tcase_add_loop_test(tests, same_number_of_work_groups_starts_each_time_all_wait, 0, 2);
    tcase_add_test(tests, max_steps_end_an_endless_loop);
    tcase_add_test(tests, timeout_ends_an_endless_loop);
    tcase_add_test(tests, limits_leave_ordinary_kernels_alone);
    tcase_add_test(tests, events_in_order);
    tcase_add_test(tests, several_observers_each_receive_all_events);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
