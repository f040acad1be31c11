/* SPDX-License-Identifier: Apache-2.0 */
/* Reports: what is one finding, what follows from another, severities, threads. Its forms and parts have
 * tests of their own. */
#include <check.h>
#include <pthread.h>
#include <string.h>

#include "tests/support/report_fixture.h"

START_TEST(one_place_is_one_finding)
{
    add(overrun(3));
    size_t once = strlen(so_far());
    add(overrun(3));
    add(overrun(3));
    ck_assert_uint_eq(report_count(report), 1);
    ck_assert_uint_eq(report_get(report, 0)->count, 3);
    ck_assert_uint_eq(report_total(report, SEVERITY_ERROR), 3);
    ck_assert_uint_eq(strlen(so_far()), once);
    ck_assert_ptr_null(report_get(report, 1));
}
END_TEST

START_TEST(findings_that_differ_are_kept_apart)
{
    struct finding other = overrun(3);
    add(other);
    add(overrun(4));
    other.access[0].place.column = 6;
    add(other);
    other = overrun(3);
    other.access[0].place.file = "b.cl";
    add(other);
    other = overrun(3);
    other.kind = FINDING_NULL_WRITE;
    add(other);
    other = overrun(3);
    other.kernel = "j";
    add(other);
    ck_assert_uint_eq(report_count(report), 6);
    other = overrun(3); /* another work-item at the same place is not */
    other.access[0].item.global_id[0] = 9;
    add(other);
    ck_assert_uint_eq(report_count(report), 6);
}
END_TEST

START_TEST(a_pair_has_no_order)
{
    struct finding pair = race();
    add(pair);
    struct finding_access first = pair.access[0];
    pair.access[0] = pair.access[1];
    pair.access[1] = first;
    add(pair);
    ck_assert_uint_eq(report_count(report), 1);
    ck_assert_uint_eq(report_get(report, 0)->count, 2);
    ck_assert_uint_eq(report_get(report, 0)->access[0].place.line, 7);
    pair.access[0].kind = ACCESS_WRITE; /* other accesses at the same places are another pair */
    add(pair);
    ck_assert_uint_eq(report_count(report), 2);
}
END_TEST

START_TEST(many_may_arrive_at_once)
{
    struct finding finding = overrun(3);
    finding.count = 16;
    add(finding);
    ck_assert_ptr_nonnull(strstr(so_far(), "\n  also  15 more at this place\n"));
    finding.count = 4;
    add(finding);
    ck_assert_uint_eq(report_get(report, 0)->count, 20);
    ck_assert_str_eq(the_end(), "orrery: also 4 more out-of-bounds-write at a.cl:3:5\n");
}
END_TEST

/* ---- consequences -------------------------------------------------------------------------- */

START_TEST(follow_up_finding_names_its_cause)
{
    add(of_launch(FINDING_OUT_OF_BOUNDS_READ, 1, 3));
    add(of_launch(FINDING_BARRIER_DIVERGENCE, 1, 4));
    add(of_launch(FINDING_RACE_LOCAL, 1, 5));
    ck_assert_ptr_null(report_get(report, 0)->cause);
    ck_assert_ptr_eq(report_get(report, 1)->cause, report_get(report, 0));
    ck_assert_ptr_eq(report_get(report, 2)->cause, report_get(report, 1));
    ck_assert_ptr_nonnull(
        strstr(so_far(), "\n  note  may follow from out-of-bounds-read at a.cl:3:5, reported before\n"));
    ck_assert_uint_eq(report_distinct(report, SEVERITY_ERROR), 3);
}
END_TEST

START_TEST(races_follow_from_any_barrier_that_not_all_shared)
{
    add(of_launch(FINDING_BARRIER_MISMATCH, 1, 3));
    add(of_launch(FINDING_RACE_GLOBAL, 1, 4));
    add(of_launch(FINDING_COLLECTIVE_DIVERGENCE, 2, 5));
    add(of_launch(FINDING_RACE_GLOBAL, 2, 6));
    ck_assert_ptr_eq(report_get(report, 1)->cause, report_get(report, 0));
    ck_assert_ptr_eq(report_get(report, 3)->cause, report_get(report, 2));
}
END_TEST

static struct finding race_with_cause(uint32_t launch, uint32_t line, uint32_t blamed, uint32_t other)
{
    struct finding finding = of_launch(FINDING_RACE_GLOBAL, launch, line);
    finding.blamed[0] = (struct source_place){.file = "a.cl", .line = blamed, .column = 5, .text = NULL};
    finding.blamed[1] = (struct source_place){.file = "a.cl", .line = other, .column = 5, .text = NULL};
    finding.blamed_count = 2;
    return finding;
}

START_TEST(races_with_one_cause_follow_from_the_first)
{
    add(race_with_cause(1, 3, 20, 21));
    add(race_with_cause(1, 4, 21, 22));
    add(race_with_cause(1, 5, 22, 23)); /* by way of the second */
    add(race_with_cause(1, 6, 30, 31)); /* another mistake */
    add(race_with_cause(2, 7, 20, 21)); /* another launch */
    add(race_with_cause(1, 8, 0, 0));   /* place unknown */
    add(race_with_cause(1, 9, 0, 0));
    ck_assert_ptr_eq(report_get(report, 1)->cause, report_get(report, 0));
    ck_assert_ptr_eq(report_get(report, 2)->cause, report_get(report, 0));
    for (size_t i = 3; i < report_count(report); i++)
        ck_assert_ptr_null(report_get(report, i)->cause);
}
END_TEST

START_TEST(unrelated_finding_names_no_cause)
{
    add(of_launch(FINDING_OUT_OF_BOUNDS_READ, 1, 3));
    add(of_launch(FINDING_BARRIER_DIVERGENCE, 2, 4)); /* another launch */
    add(of_launch(FINDING_RACE_GLOBAL, 1, 5));        /* a work-item that stopped early orders no less */
    add(of_launch(FINDING_MAPPED_ACCESS, 3, 6));      /* stops no work-item */
    add(of_launch(FINDING_UNINITIALISED_STORE, 3, 7));
    add(of_launch(FINDING_OUT_OF_BOUNDS_WRITE, 0, 8)); /* launch unknown */
    add(of_launch(FINDING_UNINITIALISED_STORE, 0, 9));
    for (size_t i = 0; i < report_count(report); i++)
        ck_assert_ptr_null(report_get(report, i)->cause);
    ck_assert_ptr_null(strstr(so_far(), "note"));
}
END_TEST

/* ---- several places, none, and what is kept --------------------------------------------------- */

START_TEST(both_places_of_a_pair_count)
{
    struct finding pair = race();
    add(pair);
    pair.access[1].place.line = 13;
    add(pair);
    ck_assert_uint_eq(report_count(report), 2);
}
END_TEST

START_TEST(without_places_the_words_decide)
{
    struct finding finding = {.kind = FINDING_API_ERROR, .why = "clCreateBuffer: CL_INVALID_BUFFER_SIZE"};
    add(finding);
    add(finding);
    finding.why = "clSetKernelArg: CL_INVALID_ARG_INDEX";
    add(finding);
    ck_assert_uint_eq(report_count(report), 2);
    ck_assert_uint_eq(report_get(report, 0)->count, 2);
}
END_TEST

/* Two fills on two queues, of one buffer, again, and of another. */
START_TEST(commands_without_a_line_are_one_place_of_one_object)
{
    struct finding finding = {
        .kind = FINDING_RACE_COMMANDS, .object = "buffer 1 (256 bytes)", .access_count = 2};
    for (int i = 0; i < 2; i++)
        finding.access[i] =
            (struct finding_access){.kind = ACCESS_WRITE, .what = "write by clEnqueueFillBuffer"};
    finding.access[0].by = "clEnqueueFillBuffer (command 1, queue 1)";
    finding.access[1].by = "clEnqueueFillBuffer (command 2, queue 2)";
    add(finding);
    finding.access[0].by = "clEnqueueFillBuffer (command 3, queue 1)";
    finding.access[1].by = "clEnqueueFillBuffer (command 4, queue 2)";
    add(finding);
    ck_assert_uint_eq(report_count(report), 1);
    finding.object = "buffer 2 (512 bytes)";
    add(finding);
    ck_assert_uint_eq(report_count(report), 2);
    ck_assert_uint_eq(report_get(report, 0)->count, 2);
    for (int i = 0; i < 2; i++)
        finding.access[i].place = (struct source_place){
            .file = "main.c", .line = 9, .column = 5, .text = NULL}; /* one line is one mistake */
    add(finding);
    finding.object = "buffer 3 (512 bytes)";
    add(finding);
    ck_assert_uint_eq(report_count(report), 3);
    /* but where all calls of a program are made */
    finding.access[1].place.file = "/usr/include/CL/opencl.hpp";
    add(finding);
    ck_assert_uint_eq(report_count(report), 4);
    finding.object = "buffer 4 (512 bytes)";
    add(finding);
    ck_assert_uint_eq(report_count(report), 5);
    finding = (struct finding){.kind = FINDING_LEAKED_OBJECT,
                               .object = "event 1",
                               .access_count = 1,
                               .access = {{.what = "clEnqueueFillBuffer"}}};
    add(finding);
    finding.object = "event 2"; /* so is one call in a loop */
    add(finding);
    ck_assert_uint_eq(report_count(report), 6);
}
END_TEST

START_TEST(order_is_that_of_first_occurrence)
{
    for (uint32_t i = 50; i > 0; i--)
        add(overrun(i));
    for (uint32_t i = 0; i < 50; i++)
        ck_assert_uint_eq(report_get(report, i)->access[0].place.line, 50 - i);
}
END_TEST

START_TEST(everything_is_copied)
{
    char file[] = "a.cl", line[] = "x = 1;", kernel[] = "k", why[] = "why";
    struct finding finding = overrun(1);
    finding.kernel = kernel;
    finding.why = why;
    finding.access[0].place.file = file;
    finding.access[0].place.text = line;
    finding.access[0].caller = (struct source_place){.file = file, .line = 2, .column = 1, .text = line};
    add(finding);
    memset(file, '#', 4);
    memset(line, '#', 4);
    kernel[0] = why[0] = '#';
    const struct finding *kept = report_get(report, 0);
    ck_assert_str_eq(kept->access[0].place.file, "a.cl");
    ck_assert_str_eq(kept->access[0].place.text, "x = 1;");
    ck_assert_str_eq(kept->access[0].caller.file, "a.cl");
    ck_assert_str_eq(kept->access[0].caller.text, "x = 1;");
    ck_assert_str_eq(kept->kernel, "k");
    ck_assert_str_eq(kept->why, "why");
}
END_TEST

/* No other output has the reason why the launch ended. */
START_TEST(stopped_launch_prints_the_reason_when_its_finding_is_silent)
{
    struct finding finding = of_launch(FINDING_NO_PROGRESS, 1, 3);
    finding.why = "it took too long";
    report_stop(report, &finding);
    ck_assert_ptr_nonnull(strstr(so_far(), "orrery: error: no-progress: "));
    ck_assert_ptr_null(strstr(so_far(), "was stopped"));
    scenario.checks[CHECK_PROGRESS] = SEVERITY_OFF;
    const size_t reported = strlen(so_far());
    report_stop(report, &finding);
    ck_assert_str_eq(so_far() + reported, "orrery: kernel k was stopped: it took too long\n");
    ck_assert_uint_eq(report_count(report), 1);
}
END_TEST

START_TEST(severity_is_that_of_the_check)
{
    scenario.checks[CHECK_BOUNDS] = SEVERITY_WARNING;
    scenario.checks[CHECK_RACES] = SEVERITY_OFF;
    struct finding finding = overrun(1);
    finding.severity = SEVERITY_ERROR; /* the report corrects it */
    add(finding);
    add(race());
    ck_assert_uint_eq(report_count(report), 1);
    ck_assert_int_eq(report_get(report, 0)->severity, SEVERITY_WARNING);
    ck_assert_uint_eq(report_total(report, SEVERITY_ERROR), 0);
    ck_assert_uint_eq(report_total(report, SEVERITY_WARNING), 1);
    ck_assert_ptr_nonnull(strstr(so_far(), "orrery: warning: out-of-bounds-write: "));
}
END_TEST

static void *add_many(void *unused)
{
    (void)unused;
    for (uint32_t i = 0; i < 200; i++)
        add(overrun(1 + i % 20));
    return NULL;
}

START_TEST(threads_may_add_at_once)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, add_many, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    ck_assert_uint_eq(report_count(report), 20);
    ck_assert_uint_eq(report_total(report, SEVERITY_WARNING), 800);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        one_place_is_one_finding,
        findings_that_differ_are_kept_apart,
        a_pair_has_no_order,
        many_may_arrive_at_once,
        follow_up_finding_names_its_cause,
        races_follow_from_any_barrier_that_not_all_shared,
        races_with_one_cause_follow_from_the_first,
        unrelated_finding_names_no_cause,
        both_places_of_a_pair_count,
        without_places_the_words_decide,
        commands_without_a_line_are_one_place_of_one_object,
        order_is_that_of_first_occurrence,
        everything_is_copied,
        severity_is_that_of_the_check,
        stopped_launch_prints_the_reason_when_its_finding_is_silent,
        threads_may_add_at_once,
    };
    return report_tests("report", tests, sizeof tests / sizeof tests[0]);
}
