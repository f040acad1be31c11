/* SPDX-License-Identifier: Apache-2.0 */
/* The control API as a linked test suite uses it: findings, expectations, resets, statistics. */
#include "tests/support/cl_fixture.h"

#include "orrery/orrery.h"

#include <unistd.h>

static const char source[] = "kernel void after(global int *p)\n"
                             "{\n"
                             "    p[4] = 1;\n"
                             "}\n"
                             "kernel void before(global int *p)\n"
                             "{\n"
                             "    p[0] = p[-1];\n"
                             "}\n"
                             "kernel void meet(global int *p)\n"
                             "{\n"
                             "    if (get_local_id(0) == 0)\n"
                             "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    p[get_local_id(0)] = 1;\n"
                             "}\n"
                             "kernel void fine(global int *p)\n"
                             "{\n"
                             "    p[get_local_id(0)] = 1;\n"
                             "}\n"
                             "kernel void add(global int *p)\n"
                             "{\n"
                             "    if (get_local_id(0) == 0)\n"
                             "        p[1] = 5;\n"
                             "    if (get_local_id(0) == 1)\n"
                             "        atomic_add(p + 1, 2);\n"
                             "}\n"
                             "kernel void cut(global int *p)\n"
                             "{\n"
                             "    if (get_local_id(0) < 3)\n"
                             "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    if (get_local_id(0) % 3 == 0)\n"
                             "        p[1] = get_local_id(0);\n"
                             "}\n";
static cl_program program;
static cl_mem buffer;
static char text[2000];

static void set_up(void)
{
    cl_int err;
    const char *strings[] = {source};
    cl_set_up();
    program = clCreateProgramWithSource(context, 1, strings, NULL, &err);
    cl_ok(err);
    cl_ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    buffer = cl_buffer(context, CL_MEM_READ_WRITE, 16, NULL);
}

static void tear_down(void)
{
    cl_ok(clReleaseMemObject(buffer));
    cl_ok(clReleaseProgram(program));
    cl_tear_down();
}

/* Flushed, not waited for: a query of the findings waits. */
static void launch(const char *name)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    cl_ok(err);
    cl_ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &(size_t){4}, &(size_t){4}, 0, NULL, NULL));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clFlush(queue));
}

START_TEST(fulfilled_expectation_is_ok)
{
    ck_assert_int_eq(orrery_expect("out-of-bounds-write", "after", 3, 1, 1), ORRERY_OK);
    launch("after");
    ck_assert_int_eq(orrery_check_expectations(text, sizeof text), ORRERY_OK);
    ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(unmet_expectations_are_reported)
{
    orrery_expect("out-of-bounds-write", NULL, 0, 0, 3);
    orrery_expect("out-of-bounds-read", "after", 0, 1, 1);
    orrery_expect("out-of-bounds-*", NULL, 4, 2, SIZE_MAX);
    orrery_expect("barrier-divergence", NULL, 0, 1, 2);
    launch("after");
    ck_assert_int_eq(orrery_check_expectations(text, sizeof text), ORRERY_UNMET);
    ck_assert_str_eq(text, "expected 1 out-of-bounds-read in kernel after, found 0\n"
                           "expected at least 2 out-of-bounds-* at line 4, found 0\n"
                           "expected 1 to 2 barrier-divergence, found 0\n");
}
END_TEST

START_TEST(new_findings_counts_since_its_last_call)
{
    ck_assert_uint_eq(orrery_new_findings(NULL, 0), 0);
    launch("after");
    launch("before");
    ck_assert_uint_eq(orrery_new_findings(text, sizeof text), 2);
    ck_assert_msg(strstr(text, "orrery: error: out-of-bounds-write: ") == text, "%s", text);
    ck_assert_ptr_nonnull(strstr(text, "\norrery: error: out-of-bounds-read: "));
    ck_assert_uint_eq(orrery_new_findings(text, sizeof text), 0);
    ck_assert_str_eq(text, "");
    ck_assert_uint_eq(orrery_finding_count(), 2);
}
END_TEST

START_TEST(new_findings_counts_a_repeated_one)
{
    launch("after");
    launch("before");
    orrery_new_findings(NULL, 0);
    launch("before");
    ck_assert_uint_eq(orrery_new_findings(text, sizeof text), 1);
    ck_assert_msg(strstr(text, "orrery: error: out-of-bounds-read: ") == text, "%s", text);
    ck_assert_ptr_null(strstr(text, "out-of-bounds-write"));
}
END_TEST

START_TEST(new_findings_cuts_its_text_at_the_size)
{
    char little[8];
    launch("after");
    ck_assert_uint_eq(orrery_new_findings(little, sizeof little), 1);
    ck_assert_str_eq(little, "orrery:");
}
END_TEST

START_TEST(new_findings_counts_those_of_the_exit_status)
{
    ck_assert_int_eq(orrery_set_option("check-bounds", "warning", NULL, 0), ORRERY_OK);
    launch("after");
    ck_assert_uint_eq(orrery_new_findings(text, sizeof text), 0);
    ck_assert_str_eq(text, "");
    ck_assert_int_eq(orrery_set_option("fail-on", "warning", NULL, 0), ORRERY_OK);
    ck_assert_uint_eq(orrery_new_findings(NULL, 0), 0); /* it was passed over */
    launch("after");
    ck_assert_uint_eq(orrery_new_findings(text, sizeof text), 1);
    ck_assert_msg(strstr(text, "orrery: warning: out-of-bounds-write: ") == text, "%s", text);
    ck_assert_int_eq(orrery_set_option("fail-on", "off", NULL, 0), ORRERY_OK);
    launch("after");
    ck_assert_uint_eq(orrery_new_findings(text, sizeof text), 0);
}
END_TEST

START_TEST(new_findings_does_not_count_cleared_ones)
{
    launch("after");
    orrery_statistics_get(&(struct orrery_statistics){0}); /* it waits */
    orrery_clear_findings();
    ck_assert_uint_eq(orrery_new_findings(NULL, 0), 0);
    launch("after");
    ck_assert_uint_eq(orrery_new_findings(NULL, 0), 1);
}
END_TEST

START_TEST(more_than_the_most_is_unmet)
{
    orrery_expect("out-of-bounds-*", NULL, 0, 1, 1);
    launch("after");
    launch("before");
    ck_assert_int_eq(orrery_check_expectations(text, sizeof text), ORRERY_UNMET);
    ck_assert_str_eq(text, "expected 1 out-of-bounds-*, found 2\n");
}
END_TEST

START_TEST(the_forbidden_is_reported_with_its_place)
{
    orrery_forbid("*");
    orrery_expect("out-of-bounds-write", NULL, 0, 1, 1);
    launch("after");
    ck_assert_int_eq(orrery_check_expectations(text, sizeof text), ORRERY_OK);
    launch("before");
    ck_assert_int_eq(orrery_check_expectations(text, sizeof text), ORRERY_UNMET);
    ck_assert_msg(strstr(text, "forbidden: out-of-bounds-read in kernel before at ") == text, "%s", text);
    ck_assert_ptr_nonnull(strstr(text, ":7:"));
    ck_assert_ptr_nonnull(strstr(text, "argument 0 'p'"));
}
END_TEST

START_TEST(a_forbidden_kind_leaves_others_alone)
{
    orrery_forbid("race-*");
    launch("after");
    ck_assert_int_eq(orrery_check_expectations(NULL, 0), ORRERY_OK);
}
END_TEST

START_TEST(invalid_expectation_is_refused)
{
    ck_assert_int_eq(orrery_expect("no-such-finding", NULL, 0, 1, 1), ORRERY_NOT_FOUND);
    ck_assert_int_eq(orrery_expect("nothing-*", NULL, 0, 1, 1), ORRERY_NOT_FOUND);
    ck_assert_int_eq(orrery_expect(NULL, NULL, 0, 1, 1), ORRERY_NOT_FOUND);
    ck_assert_int_eq(orrery_expect("race-global", NULL, 0, 2, 1), ORRERY_NOT_FOUND);
    ck_assert_int_eq(orrery_forbid("no-such-finding"), ORRERY_NOT_FOUND);
}
END_TEST

START_TEST(long_complaints_are_cut)
{
    char small[10];
    orrery_expect("barrier-divergence", NULL, 0, 1, 1);
    ck_assert_int_eq(orrery_check_expectations(small, sizeof small), ORRERY_UNMET);
    ck_assert_str_eq(small, "expected ");
}
END_TEST

START_TEST(a_reset_starts_afresh)
{
    struct orrery_statistics statistics;
    orrery_expect("barrier-divergence", NULL, 0, 1, 1);
    ck_assert_int_eq(orrery_set_option("check-bounds", "warning", NULL, 0), ORRERY_OK);
    orrery_set_seed(99);
    launch("after");
    orrery_statistics_get(&statistics);
    ck_assert_uint_eq(statistics.kernels, 1);
    ck_assert_uint_eq(statistics.errors, 0);
    ck_assert_uint_eq(statistics.warnings, 1);
    ck_assert_uint_eq(statistics.occurrences, 4);
    ck_assert_uint_gt(statistics.nanoseconds, 0);

    ck_assert_int_eq(orrery_reset(), ORRERY_OK);
    ck_assert_uint_eq(orrery_finding_count(), 0);
    ck_assert_int_eq(orrery_check_expectations(NULL, 0), ORRERY_OK);
    orrery_statistics_get(&statistics);
    ck_assert_uint_eq(
        statistics.kernels + statistics.warnings + statistics.occurrences + statistics.nanoseconds, 0);
    ck_assert_uint_eq(orrery_kernels_run(), 1); /* of the process */

    launch("after");
    launch("fine");
    orrery_statistics_get(&statistics);
    ck_assert_uint_eq(statistics.kernels, 2);
    ck_assert_uint_eq(statistics.errors, 1); /* the severity is that of the scenario again */
}
END_TEST

START_TEST(a_reset_waits_for_the_launch_before_it)
{
    launch("after");
    orrery_reset();
    ck_assert_uint_eq(orrery_finding_count(), 0);
    ck_assert_int_eq(orrery_forbid("*"), ORRERY_OK);
    ck_assert_int_eq(orrery_check_expectations(text, sizeof text), ORRERY_OK);
}
END_TEST

static _Atomic int called;

static void CL_CALLBACK slow(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    usleep(100000);
    called++;
}

/* A callback may still call, under the options that there were. */
START_TEST(an_option_waits_for_the_callbacks_before_it)
{
    for (int round = 1; round <= 3; round++) {
        cl_event event;
        cl_ok(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
        cl_ok(clSetEventCallback(event, CL_COMPLETE, slow, NULL));
        cl_ok(clFinish(queue));
        cl_ok(clReleaseEvent(event));
        ck_assert_int_eq(orrery_set_option("seed", "3", text, sizeof text), ORRERY_OK);
        ck_assert_int_eq(called, round);
    }
}
END_TEST

/* A suite that enables such a check too late must get an error. */
START_TEST(options_that_need_bookkeeping_are_refused_while_contexts_live)
{
    static const char kernel_text[] = "kernel void k(global int *p) { if (p[0]) p[1] = 1; }";
    const char *strings[] = {kernel_text};
    for (int alive = 1; alive >= 0; alive--) {
        if (!alive)
            tear_down();
        ck_assert_int_eq(orrery_set_option("uninitialized", "error", text, sizeof text),
                         alive ? ORRERY_BUSY : ORRERY_OK);
        ck_assert_int_eq(text[0] != 0, alive);
        if (!alive)
            set_up();
        cl_ok(clReleaseProgram(program));
        program = clCreateProgramWithSource(context, 1, strings, NULL, NULL);
        cl_ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
        launch("k");
        cl_ok(clFinish(queue));
        ck_assert_uint_eq(orrery_finding_count(), !alive);
        ck_assert_int_eq(orrery_reset(), ORRERY_OK);
    }
}
END_TEST

/* Severities count at once, and checks that the device was made for may be switched off and on. */
START_TEST(checks_of_the_new_device_may_be_switched)
{
    static const char *const options[] = {"uninitialized", "data-races", "check-atomics"};
    const char *option = options[_i];
    ck_assert_int_eq(orrery_set_option(option, "warning", text, sizeof text),
                     _i == 2 ? ORRERY_OK : ORRERY_BUSY);
    tear_down();
    ck_assert_int_eq(orrery_set_option(option, "warning", text, sizeof text), ORRERY_OK);
    set_up();
    ck_assert_int_eq(orrery_set_option(option, "error", text, sizeof text), ORRERY_OK);
    ck_assert_int_eq(orrery_set_option(option, "off", text, sizeof text), ORRERY_OK);
    ck_assert_int_eq(orrery_set_option(option, "warning", text, sizeof text), ORRERY_OK);
    tear_down();
    ck_assert_int_eq(orrery_set_option(option, "off", text, sizeof text), ORRERY_OK);
    set_up();
    ck_assert_int_eq(orrery_set_option(option, "error", text, sizeof text), ORRERY_BUSY);
    /* it was on when the scenario was loaded */
    ck_assert_int_eq(orrery_reset(), _i == 2 ? ORRERY_BUSY : ORRERY_OK);
}
END_TEST

START_TEST(suppressed_findings_are_counted_apart)
{
    struct orrery_statistics statistics;
    tear_down();
    ck_assert_int_eq(orrery_load_scenario_text("orrery: 1\nsuppressions: [{id: \"*\", kernel: after}]\n",
                                               text, sizeof text),
                     ORRERY_OK);
    set_up();
    launch("after");
    launch("before");
    orrery_statistics_get(&statistics);
    ck_assert_uint_eq(statistics.errors, 1);
    ck_assert_uint_eq(statistics.suppressed, 1);
}
END_TEST

START_TEST(a_finding_has_both_accesses_fix_and_specification)
{
    struct orrery_finding finding;
    launch("meet");
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(orrery_finding_count(), 1);
    ck_assert_int_eq(orrery_finding_get(0, &finding), ORRERY_OK);
    ck_assert_str_eq(finding.id, "barrier-divergence");
    ck_assert_ptr_nonnull(strstr(finding.fix, "reach the same barrier"));
    ck_assert_int_eq(finding.fix_verified, 0);
    ck_assert_ptr_nonnull(strstr(finding.spec, "OpenCL"));
    ck_assert_uint_ge(finding.access_count, 1);
    ck_assert_uint_eq(finding.access[0].line, 12);
    ck_assert_ptr_nonnull(strstr(finding.access[0].text, "barrier(CLK_LOCAL_MEM_FENCE)"));
    ck_assert_str_eq(finding.access[0].by, "");
    if (finding.access_count < 2)
        ck_assert_str_eq(finding.access[1].file, "");
    launch("before");
    cl_ok(clFinish(queue));
    ck_assert_int_eq(orrery_finding_get(1, &finding), ORRERY_OK);
    ck_assert_uint_eq(finding.access_count, 1);
    ck_assert_uint_eq(finding.access[0].size_bytes, 4);
    ck_assert_uint_eq(finding.access[0].global_id[0], finding.global_id[0]);
}
END_TEST

START_TEST(accesses_that_race_have_their_values)
{
    struct orrery_finding finding;
    tear_down();
    ck_assert_int_eq(orrery_set_option("data-races", "error", text, sizeof text), ORRERY_OK);
    set_up();
    launch("add");
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(orrery_finding_count(), 1);
    ck_assert_int_eq(orrery_finding_get(0, &finding), ORRERY_OK);
    ck_assert_str_eq(finding.id, "race-global");
    ck_assert_uint_eq(finding.access_count, 2);
    const struct orrery_access *store = &finding.access[0], *update = &finding.access[1];
    ck_assert_uint_eq(store->line, 22);
    ck_assert(store->has_value && store->value == 5 && !store->has_written);
    ck_assert_uint_eq(update->line, 24);
    ck_assert(update->has_value && update->value == 5);
    ck_assert(update->has_written && update->written == 7);
    ck_assert_uint_eq(finding.length_bytes, 4);
    ck_assert_str_eq(store->order, "");
    ck_assert_str_eq(store->scope, "");
    ck_assert_str_eq(update->order, "relaxed");
    ck_assert_str_eq(update->scope, "device");
    ck_assert_str_eq(finding.cause, "");
}
END_TEST

START_TEST(follow_up_finding_names_its_cause)
{
    struct orrery_finding finding;
    tear_down();
    unsetenv("ORRERY_FAST"); /* the scenario sets the checks */
    ck_assert_int_eq(orrery_load_scenario_text(
                         "orrery: 1\ndevice: {sub_group_sizes: [2]}\nchecks: {profile: fast, races: error}\n",
                         text, sizeof text),
                     ORRERY_OK);
    set_up();
    launch("cut");
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(orrery_finding_count(), 2);
    ck_assert_int_eq(orrery_finding_get(0, &finding), ORRERY_OK);
    ck_assert_str_eq(finding.id, "barrier-divergence");
    ck_assert_str_eq(finding.cause, "");
    ck_assert_str_eq(finding.cause_file, "");
    const struct orrery_finding first = finding;
    ck_assert_int_eq(orrery_finding_get(1, &finding), ORRERY_OK);
    ck_assert_str_eq(finding.id, "race-global");
    ck_assert_str_eq(finding.cause, "barrier-divergence");
    ck_assert_str_eq(finding.cause_file, first.file);
    ck_assert_uint_eq(finding.cause_line, 29);
    ck_assert_uint_eq(finding.cause_column, first.column);
    for (int i = 0; i < 2; i++) {
        ck_assert(finding.access[i].has_item);
        ck_assert_uint_eq(finding.access[i].sub_group, finding.access[i].global_id[0] / 2);
    }
    ck_assert_uint_ne(finding.access[0].sub_group, finding.access[1].sub_group);
}
END_TEST

static cl_program compiled(const char *of, cl_uint header_count, const cl_program *headers,
                           const char **names)
{
    cl_int err;
    cl_program made = clCreateProgramWithSource(context, 1, &of, NULL, &err);
    cl_ok(err);
    if (names)
        cl_ok(clCompileProgram(made, 0, NULL, NULL, header_count, headers, names, NULL, NULL));
    return made;
}

static void quotes(size_t index, const char *file, uint32_t line, const char *wanted)
{
    struct orrery_finding finding;
    ck_assert_int_eq(orrery_finding_get(index, &finding), ORRERY_OK);
    ck_assert_str_eq(finding.access[0].file, file);
    ck_assert_uint_eq(finding.access[0].line, line);
    ck_assert_str_eq(finding.access[0].text, wanted);
}

/* Each source has a name of its own. */
START_TEST(findings_quote_headers_and_linked_sources)
{
    static const char header_text[] =
        "\nstatic void put(global int *p)\n{\n    p[5] = 1; /* in the header */\n}\n";
    const char *names[] = {"inner/put.h"};
    cl_int err;
    cl_program header = compiled(header_text, 0, NULL, NULL);
    cl_program parts[] = {
        compiled("#include \"inner/put.h\"\nvoid other(global int *p);\nkernel void own(global int *p) { "
                 "p[4] = 1; }\n"
                 "kernel void in_header(global int *p) { put(p); }\nkernel void in_other(global int *p) { "
                 "other(p); }\n",
                 1, &header, names),
        compiled("#include \"inner/put.h\"\n\n\nkernel void alone(global int *p) { put(p); }\n\n"
                 "void other(global int *p) { p[4] = 2; }\n",
                 1, &header, names)};
    cl_program linked = clLinkProgram(context, 0, NULL, NULL, 2, parts, NULL, NULL, &err), built = program;
    cl_ok(err);
    program = linked;
    launch("own");
    launch("in_header");
    launch("in_other");
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(orrery_finding_count(), 3);
    quotes(0, "program2.cl", 3, "kernel void own(global int *p) { p[4] = 1; }");
    quotes(1, "inner/put.h", 4, "    p[5] = 1; /* in the header */");
    quotes(2, "program3.cl", 6, "void other(global int *p) { p[4] = 2; }");
    program = built;
    cl_ok(clReleaseProgram(linked));
    cl_ok(clReleaseProgram(parts[0]));
    cl_ok(clReleaseProgram(parts[1]));
    cl_ok(clReleaseProgram(header));
}
END_TEST

START_TEST(each_function_has_a_name)
{
    static const char *const names[] = {
        "orrery_load_scenario_file",
        "orrery_load_scenario_text",
        "orrery_set_option",
        "orrery_set_seed",
        "orrery_finding_count",
        "orrery_finding_count_of",
        "orrery_finding_get",
        "orrery_new_findings",
        "orrery_clear_findings",
        "orrery_expect",
        "orrery_forbid",
        "orrery_check_expectations",
        "orrery_reset",
        "orrery_statistics_get",
        "orrery_kernels_run",
        "orrery_time",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ck_assert_msg(clGetExtensionFunctionAddressForPlatform(platform, names[i]) != NULL, "%s", names[i]);
    orrery_forbid_fn *forbid =
        (orrery_forbid_fn *)clGetExtensionFunctionAddressForPlatform(platform, "orrery_forbid");
    ck_assert_int_eq(forbid("*"), ORRERY_OK);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        fulfilled_expectation_is_ok,
        unmet_expectations_are_reported,
        more_than_the_most_is_unmet,
        new_findings_counts_since_its_last_call,
        new_findings_counts_a_repeated_one,
        new_findings_cuts_its_text_at_the_size,
        new_findings_counts_those_of_the_exit_status,
        new_findings_does_not_count_cleared_ones,
        the_forbidden_is_reported_with_its_place,
        a_forbidden_kind_leaves_others_alone,
        invalid_expectation_is_refused,
        long_complaints_are_cut,
        a_reset_starts_afresh,
        a_reset_waits_for_the_launch_before_it,
        an_option_waits_for_the_callbacks_before_it,
        options_that_need_bookkeeping_are_refused_while_contexts_live,
        suppressed_findings_are_counted_apart,
        a_finding_has_both_accesses_fix_and_specification,
        accesses_that_race_have_their_values,
        follow_up_finding_names_its_cause,
        findings_quote_headers_and_linked_sources,
        each_function_has_a_name,
    };
    Suite *suite = suite_create("control");
    TCase *tcase = tcase_create("control");
    setenv("ORRERY_KEEP_EXIT_CODE", "1", 1);
    setenv("ORRERY_LOG", "/dev/null", 1);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        tcase_add_test(tcase, tests[i]);
    tcase_add_loop_test(tcase, checks_of_the_new_device_may_be_switched, 0, 3);
    suite_add_tcase(suite, tcase);
    return cl_run_suite(suite);
}
