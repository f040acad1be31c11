/* SPDX-License-Identifier: Apache-2.0 */
/* An oracle schedules real kernels: every interleaving is reached once, and the numbers are those of
 * combinatorics. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/device.h"
#include "orrery/scenario_run.h"
#include "orrery/schedule.h"

/* Three operations a work-item, in two work-groups. */
static char source[] =
    "kernel void buffering(global int *x, global int *seen)\n"
    "{\n"
    "    int i = (int)get_global_id(0);\n"
    "    int mine = i * 7, many = mine * mine + 1;\n"
    "    x[i] = many > 0;\n"
    "    seen[i] = x[1 - i];\n"
    "}\n"
    "kernel void barriers(global int *x, global int *seen)\n"
    "{\n"
    "    int i = (int)get_global_id(0);\n"
    "    local int shared[2];\n"
    "    shared[i] = i + 1;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    seen[i] = shared[1 - i];\n"
    "}\n"
    "kernel void atomics(global atomic_int *x, global int *seen)\n"
    "{\n"
    "    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);\n"
    "    seen[get_global_id(0)] = atomic_fetch_add_explicit(x, 5, memory_order_acquire, "
    "memory_scope_device);\n"
    "}\n";

enum { DEPTH_MOST = 32 };
static struct scenario scenario;
static struct report *report;
static struct device *device;
static struct program *program;
static uint64_t x, seen;

/* Depth first over the tree of choices: the path taken and how many there were at each place. */
static struct {
    uint32_t taken[DEPTH_MOST], count[DEPTH_MOST], depth, at;
} tree;
static struct schedule_candidate first[DEPTH_MOST];

static uint32_t next_path(void *self, const struct schedule_choice *choice)
{
    (void)self;
    uint32_t at = tree.at++;
    ck_assert_uint_lt(at, DEPTH_MOST);
    ck_assert_uint_eq(choice->number, at);
    ck_assert_uint_lt(choice->default_index, choice->count);
    if (at == tree.depth)
        tree.taken[tree.depth++] = 0;
    tree.count[at] = choice->count;
    first[at] = choice->candidates[tree.taken[at]];
    return tree.taken[at];
}

/* False when every path was taken. */
static bool advance(void)
{
    tree.at = 0;
    while (tree.depth && tree.taken[tree.depth - 1] + 1 == tree.count[tree.depth - 1])
        tree.depth--;
    if (!tree.depth)
        return false;
    tree.taken[tree.depth - 1]++;
    return true;
}

static uint32_t default_only(void *self, const struct schedule_choice *choice)
{
    ++*(uint32_t *)self;
    return choice->default_index;
}

static uint32_t stop_third(void *self, const struct schedule_choice *choice)
{
    (void)self;
    return choice->number == 2 ? SCHEDULE_STOP : choice->default_index;
}

static struct schedule_oracle oracle = {.choose = next_path};

static void setup(void)
{
    struct spirv spirv;
    struct scenario_source text;
    struct diagnosis diagnosis = {0};
    char *log;
    scenario_default(&scenario);
    checks_fast(scenario.checks);
    scenario.schedule.oracle = &oracle;
    scenario.schedule.resident_groups = 2;
    scenario.program.source_text = strdup(source);
    scenario.program.options = strdup("-cl-std=CL3.0");
    scenario.file = strdup("choice");
    memset(&tree, 0, sizeof tree);
    oracle = (struct schedule_oracle){.choose = next_path};
    report = report_new(&scenario);
    report_set_stream(report, NULL, false);
    ck_assert_int_eq(device_new(&scenario, report, &device, NULL), STATUS_OK);
    enum status status = scenario_build(&scenario, &spirv, &text, &log, &diagnosis);
    ck_assert_msg(status == STATUS_OK, "%s\n%s", diagnosis.text, log);
    struct program_request request = {.words = spirv.words,
                                      .word_count = spirv.word_count,
                                      .source_name = text.name,
                                      .source_text = text.text};
    ck_assert_int_eq(program_load(device, &request, &program, NULL), STATUS_OK);
    ck_assert_int_eq(device_alloc(device, 8, 0, 0, "x", &x), STATUS_OK);
    ck_assert_int_eq(device_alloc(device, 8, 0, 0, "seen", &seen), STATUS_OK);
    spirv_fini(&spirv);
    scenario_source_fini(&text);
    free(log);
}

static void teardown(void)
{
    program_release(program);
    device_free(device);
    report_free(report);
    scenario_fini(&scenario);
}

static enum status launch(const char *kernel, uint64_t local)
{
    static const int32_t zero;
    struct launch_arg args[] = {{&x, sizeof x, 0, 0}, {&seen, sizeof seen, 0, 0}};
    struct launch_request request = {.kernel = program_find_kernel(program, kernel),
                                     .work_dim = 1,
                                     .global_size = {2, 1, 1},
                                     .local_size = {local, 1, 1},
                                     .args = args,
                                     .arg_count = 2};
    ck_assert_ptr_nonnull(request.kernel);
    device_fill(device, 1, x, &zero, sizeof zero, 8);
    device_fill(device, 1, seen, &zero, sizeof zero, 8);
    return device_launch(device, &request, NULL);
}

static uint32_t pair_seen(void)
{
    int32_t values[2];
    ck_assert_int_eq(device_read(device, 2, seen, values, sizeof values), STATUS_OK);
    return (uint32_t)(values[0] * 10 + values[1]);
}

START_TEST(every_interleaving_once)
{
    uint32_t runs = 0, outcomes[12] = {0};
    do {
        ck_assert_int_eq(launch("buffering", 1), STATUS_OK);
        ck_assert_uint_lt(pair_seen(), 12);
        outcomes[pair_seen()]++;
        runs++;
    } while (advance());
    ck_assert_uint_eq(runs, 20); /* 6 over 3 */
    ck_assert_uint_eq(outcomes[0], 0);
    ck_assert_uint_gt(outcomes[1], 0);
    ck_assert_uint_gt(outcomes[10], 0);
    ck_assert_uint_gt(outcomes[11], 0);
    ck_assert_uint_eq(outcomes[1], outcomes[10]);
}
END_TEST

START_TEST(barriers_cut_the_tree)
{
    uint32_t runs = 0;
    do {
        ck_assert_int_eq(launch("barriers", 2), STATUS_OK);
        ck_assert_uint_eq(pair_seen(), 21);
        runs++;
    } while (advance());
    ck_assert_uint_eq(runs, 2 * 6); /* one operation each before, two each after */
    ck_assert_uint_eq(report_count(report), 0);
}
END_TEST

START_TEST(candidates_have_their_next_operation)
{
    uint32_t runs = 0;
    do {
        ck_assert_int_eq(launch("atomics", 1), STATUS_OK);
        ck_assert(pair_seen() == 5 || pair_seen() == 50);
        runs++;
    } while (advance());
    ck_assert_uint_eq(runs, 20);
    ck_assert_int_eq(launch("atomics", 1), STATUS_OK);
    const struct schedule_candidate *c = first;
    ck_assert_int_eq(c[0].operation, OPERATION_FENCE);
    ck_assert_int_eq(c[0].order, ORDER_RELEASE);
    ck_assert_uint_eq(c[0].item.global_id[0], 0);
    ck_assert_int_eq(c[1].operation, OPERATION_ACCESS);
    ck_assert_int_eq(c[1].access, ACCESS_ATOMIC_UPDATE);
    ck_assert_int_eq(c[1].order, ORDER_ACQUIRE);
    ck_assert_int_eq(c[1].scope, SCOPE_DEVICE);
    ck_assert_uint_eq(c[1].address, x);
    ck_assert_uint_eq(c[1].size_bytes, 4);
    ck_assert_uint_eq(c[1].steps, 1);
    ck_assert_int_eq(c[2].access, ACCESS_WRITE);
    ck_assert_uint_eq(c[2].address, seen);
    ck_assert_uint_eq(c[5].address, seen + 4);
    ck_assert_uint_eq(c[5].tile, 1);
    ck_assert_int_eq(c[5].operation, OPERATION_ACCESS);
}
END_TEST

START_TEST(default_is_one_after_the_other)
{
    uint32_t choices = 0;
    oracle = (struct schedule_oracle){.self = &choices, .choose = default_only};
    ck_assert_int_eq(launch("buffering", 1), STATUS_OK);
    ck_assert_uint_eq(pair_seen(), 1);
    ck_assert_uint_eq(choices, 6);
}
END_TEST

START_TEST(an_oracle_may_stop)
{
    oracle = (struct schedule_oracle){.choose = stop_third};
    ck_assert_int_eq(launch("buffering", 1), STATUS_ABORTED);
    oracle.choose = next_path;
    ck_assert_int_eq(launch("buffering", 1), STATUS_OK);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("choice");
    TCase *tests = tcase_create("choice");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, every_interleaving_once);
    tcase_add_test(tests, barriers_cut_the_tree);
    tcase_add_test(tests, candidates_have_their_next_operation);
    tcase_add_test(tests, default_is_one_after_the_other);
    tcase_add_test(tests, an_oracle_may_stop);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
