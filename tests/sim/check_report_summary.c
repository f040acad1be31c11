/* SPDX-License-Identifier: Apache-2.0 */
/* Limits, counts, and the lines at the end. */
#include <check.h>
#include <jansson.h>
#include <string.h>

#include "tests/support/report_fixture.h"

static size_t blocks(void)
{
    size_t count = 0;
    for (const char *c = so_far(); c && (c = strstr(c, "orrery: error: ")) != NULL; c++)
        count++;
    return count;
}

START_TEST(the_limit_is_per_kind)
{
    scenario.max_findings = 2;
    for (uint32_t i = 1; i <= 5; i++)
        add(overrun(i));
    ck_assert_uint_eq(blocks(), 2);
    add(race());
    ck_assert_uint_eq(blocks(), 3);
    ck_assert_uint_eq(report_count(report), 6);
}
END_TEST

START_TEST(limit_zero_is_no_limit)
{
    scenario.max_findings = 0;
    for (uint32_t i = 1; i <= 30; i++)
        add(overrun(i));
    ck_assert_uint_eq(blocks(), 30);
}
END_TEST

START_TEST(the_summary_is_one_fixed_line)
{
    ck_assert_str_eq(summary(0), "orrery: SUMMARY errors=0 warnings=0 suppressed=0 kernels=0 seed=0 "
                                 "schedule=lockstep checks=all,api\n");
    scenario.checks[CHECK_RACES] = SEVERITY_WARNING;
    scenario.schedule.seed = 7;
    scenario.schedule.policy = SCHEDULE_RANDOM;
    scenario.max_findings = 1;
    add(overrun(1));
    add(overrun(1));
    add(overrun(2));
    add(race());
    ck_assert_str_eq(
        summary(4),
        "orrery: SUMMARY errors=2 warnings=1 suppressed=0 kernels=4 seed=7 schedule=random checks=all,api\n");
}
END_TEST

/* The tried pair is the reported one; later pairs of the two places may need more. */
START_TEST(a_fix_may_not_be_enough_for_later_pairs)
{
    struct finding finding = race();
    finding.offset_bytes = 12;
    finding.common_bytes = 2; /* of accesses of 4 bytes */
    add(finding);
    ck_assert_ptr_nonnull(strstr(so_far(), ", bytes 12..13\n"));
    ck_assert_ptr_nonnull(strstr(so_far(), "(tried: removes this race)"));
    report_again(report, &finding, 3);
    report_not_covered(report, &finding);
    ck_assert_str_eq(
        the_end(), "orrery: also 3 more race-global at mp.cl:7:11; the fix is not enough for all of them\n");
    json_t *object = as_json(report_get(report, 0));
    ck_assert_int_eq(number(object, "length_bytes"), 2);
    ck_assert(json_is_true(json_object_get(object, "fix_partial")));
    json_decref(object);
}
END_TEST

START_TEST(finding_past_the_limit_is_not_counted)
{
    struct finding finding = race();
    add(finding);
    report_again(report, &finding, 10000);
    report_uncounted(report, &finding);
    ck_assert_str_eq(the_end(), "orrery: also at least 10000 more race-global at mp.cl:7:11\n");
    json_t *object = as_json(report_get(report, 0));
    ck_assert_int_eq(number(object, "count"), 10001);
    ck_assert(json_is_true(json_object_get(object, "count_at_least")));
    json_decref(object);
}
END_TEST

START_TEST(incomplete_count_prints_at_least)
{
    add(race());
    report_incomplete(report, FINDING_RACE_GLOBAL);
    ck_assert_str_eq(the_end(), "orrery: at least so many race-global: too many places raced in one word, or "
                                "in too many words, to keep all\n");
    ck_assert_str_eq(summary(1), "orrery: SUMMARY errors=1 warnings=0 suppressed=0 kernels=1 seed=0 "
                                 "schedule=lockstep count=at-least checks=all,api\n");
    report_clear(report);
    ck_assert(!report_at_least(report));
}
END_TEST

START_TEST(repeats_get_a_line_each)
{
    add(overrun(1));
    add(overrun(2));
    add(overrun(2));
    ck_assert_str_eq(the_end(), "orrery: also 1 more out-of-bounds-write at a.cl:2:5\n");
}
END_TEST

START_TEST(repeats_name_the_kernel_if_there_are_several)
{
    struct finding finding = race();
    add(finding);
    report_again(report, &finding, 3);
    finding.kernel = "other";
    add(finding);
    report_again(report, &finding, 4);
    report_not_covered(report, &finding);
    finding.kernel = NULL;
    add(finding);
    report_again(report, &finding, 5);
    ck_assert_str_eq(the_end(), "orrery: also 3 more race-global at mp.cl:7:11 in kernel mp\n"
                                "orrery: also 4 more race-global at mp.cl:7:11 in kernel other; the fix is "
                                "not enough for all of them\n"
                                "orrery: also 5 more race-global at mp.cl:7:11\n");
}
END_TEST

START_TEST(the_limit_hides_nothing)
{
    scenario.max_findings = 2;
    for (uint32_t i = 1; i <= 5; i++) {
        add(overrun(i));
        add(overrun(i));
    }
    ck_assert_str_eq(the_end(),
                     "orrery: also 1 more out-of-bounds-write at a.cl:1:5\n"
                     "orrery: also 1 more out-of-bounds-write at a.cl:2:5\n"
                     "orrery: 3 more out-of-bounds-write elsewhere, not printed: --max-errors=2\n");
    ck_assert_str_eq(summary(1), "orrery: SUMMARY errors=5 warnings=0 suppressed=0 kernels=1 seed=0 "
                                 "schedule=lockstep checks=all,api\n");
}
END_TEST

START_TEST(clear_forgets_all)
{
    scenario.max_findings = 1;
    add(overrun(1));
    add(overrun(2));
    report_clear(report);
    ck_assert_uint_eq(report_count(report), 0);
    ck_assert_str_eq(summary(1), "orrery: SUMMARY errors=0 warnings=0 suppressed=0 kernels=1 seed=0 "
                                 "schedule=lockstep checks=all,api\n");
    add(overrun(2));
    ck_assert_uint_eq(report_get(report, 0)->count, 1);
    ck_assert_uint_eq(blocks(), 2);
}
END_TEST

START_TEST(report_without_stream_keeps_findings)
{
    report_set_stream(report, NULL, false);
    add(overrun(1));
    ck_assert_uint_eq(report_count(report), 1);
    ck_assert_uint_eq(blocks(), 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        the_limit_is_per_kind,
        limit_zero_is_no_limit,
        the_summary_is_one_fixed_line,
        a_fix_may_not_be_enough_for_later_pairs,
        finding_past_the_limit_is_not_counted,
        incomplete_count_prints_at_least,
        repeats_get_a_line_each,
        repeats_name_the_kernel_if_there_are_several,
        the_limit_hides_nothing,
        clear_forgets_all,
        report_without_stream_keeps_findings,
    };
    return report_tests("report, summary", tests, sizeof tests / sizeof tests[0]);
}
