/* SPDX-License-Identifier: Apache-2.0 */
/* Suppressed findings, and the suppressions that the report writes itself. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/report_fixture.h"

static void suppress(const char *yaml)
{
    struct diagnosis diagnosis = {0};
    char whole[1000];
    struct scenario loaded;
    snprintf(whole, sizeof whole, "orrery: 1\nsuppressions:\n%s", yaml);
    ck_assert_msg(scenario_load_text(&loaded, whole, "s.yaml", &diagnosis) == STATUS_OK, "%s",
                  diagnosis.text);
    free(scenario.suppressions);
    scenario.suppressions = loaded.suppressions;
    scenario.suppression_count = loaded.suppression_count;
    loaded.suppressions = NULL;
    loaded.suppression_count = 0;
    scenario_fini(&loaded);
}

START_TEST(the_suppressed_are_counted_and_silent)
{
    suppress(
        "  - {id: out-of-bounds-write, line: 3}\n  - {id: race-global, kernel: other, reason: benign}\n");
    add(overrun(3));
    add(overrun(3));
    add(overrun(4));
    add(race());
    ck_assert_uint_eq(report_count(report), 2);
    ck_assert_uint_eq(report_suppressed_count(report), 1);
    ck_assert_uint_eq(report_suppressed_get(report, 0)->count, 2);
    ck_assert_ptr_null(report_suppressed_get(report, 1));
    ck_assert_uint_eq(report_total(report, SEVERITY_WARNING), 2);
    ck_assert_ptr_null(strstr(so_far(), "a.cl:3"));
    ck_assert_str_eq(summary(1), "orrery: SUMMARY errors=2 warnings=0 suppressed=1 kernels=1 seed=0 "
                                 "schedule=lockstep checks=all,api\n");
    ck_assert_str_eq(the_end(), "orrery: suppression not used: s.yaml:4\n");
}
END_TEST

static struct finding race_on(const char *object)
{
    struct finding finding = race();
    finding.object = object;
    return finding;
}

/* Of one pair of places, whichever object was first. */
START_TEST(suppressed_findings_suppress_no_others)
{
    const struct finding known = race_on("argument 1 'q' (buffer, 4 bytes)"),
                         other = race_on("argument 0 'p' (buffer, 4 bytes)");
    suppress("  - {id: race-global, object: \"*'q'*\"}\n");
    for (int known_first = 0; known_first < 2; known_first++) {
        report_clear(report);
        add(known_first ? known : other);
        add(known_first ? other : known);
        report_again(report, &other, 3);
        report_again(report, &known, 5);
        report_not_covered(report, &other);
        report_uncounted(report, &known);
        ck_assert_uint_eq(report_count(report), 1);
        ck_assert_str_eq(report_get(report, 0)->object, other.object);
        ck_assert_uint_eq(report_get(report, 0)->count, 4);
        ck_assert(report_get(report, 0)->fix_partial && !report_get(report, 0)->count_at_least);
        ck_assert_uint_eq(report_suppressed_count(report), 1);
        ck_assert_uint_eq(report_suppressed_get(report, 0)->count, 6);
        ck_assert(!report_suppressed_get(report, 0)->fix_partial &&
                  report_suppressed_get(report, 0)->count_at_least);
    }
    ck_assert(report_suppresses_objects(report) && report_suppresses(report, &known) &&
              !report_suppresses(report, &other));
}
END_TEST

START_TEST(each_key_of_a_suppression_narrows)
{
    static const struct {
        const char *keys;
        bool fits;
    } cases[] = {
        {"id: race-global", true},
        {"id: \"race-*\"", true},
        {"id: \"*\"", true},
        {"id: race-local", false},
        {"id: race-global, kernel: mp", true},
        {"id: race-global, kernel: \"m*p\"", true},
        {"id: race-global, kernel: m", false},
        {"id: race-global, file: mp.cl", true},
        {"id: race-global, file: \"*.cl\"", true},
        {"id: race-global, file: \"*.c\"", false},
        {"id: race-global, line: 7", true},
        {"id: race-global, line: 12", true},
        {"id: race-global, line: 8", false},
        {"id: race-global, file: other.cl, line: 7", false},
        {"id: race-global, object: \"argument 0 'data' (buffer, 8 bytes)\"", true},
        {"id: race-global, object: \"*'data'*\"", true},
        {"id: race-global, object: \"*'out'*\"", false},
        {"id: race-global, kernel: mp, file: mp.cl, line: 7, object: \"*data*\"", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char yaml[200];
        snprintf(yaml, sizeof yaml, "  - {%s}\n", cases[i].keys);
        suppress(yaml);
        add(race());
        ck_assert_msg(report_suppressed_count(report) == cases[i].fits, "%s", cases[i].keys);
        report_clear(report);
    }
}
END_TEST

START_TEST(a_file_in_a_directory_fits_by_its_name)
{
    struct finding finding = overrun(3);
    finding.access[0].place.file = "/home/me/kernels/a.cl";
    suppress("  - {id: \"*\", file: a.cl, line: 3}\n");
    add(finding);
    ck_assert_uint_eq(report_suppressed_count(report), 1);
}
END_TEST

START_TEST(generated_suppressions_suppress)
{
    char *yaml = NULL;
    size_t size = 0;
    struct finding finding = overrun(3);
    finding.kernel = "odd \"name\"";
    add(finding);
    add(race());
    FILE *memory = open_memstream(&yaml, &size);
    report_write_suppressions(memory, report);
    fclose(memory);
    ck_assert_ptr_nonnull(strstr(yaml, "- {id: race-global, kernel: \"mp\", file: \"mp.cl\", line: 7}\n"));
    suppress(yaml);
    free(yaml);
    report_clear(report);
    add(finding);
    add(race());
    add(overrun(3));
    ck_assert_uint_eq(report_suppressed_count(report), 2);
    ck_assert_uint_eq(report_count(report), 1);
}
END_TEST

/* An entry fits a finding with either of its places: a place that another one covers already stays out. */
START_TEST(generated_suppressions_are_all_used)
{
    char *yaml = NULL;
    size_t size = 0;
    struct finding pairs[3] = {race(), race(), race()};
    pairs[1].access[1].place.line = 20; /* the first place is the same */
    pairs[2].access[0].place.line = 5;
    pairs[2].access[1].place.line = 7;
    for (int i = 0; i < 3; i++)
        add(pairs[i]);
    add(overrun(3));
    FILE *memory = open_memstream(&yaml, &size);
    report_write_suppressions(memory, report);
    fclose(memory);
    ck_assert_ptr_nonnull(strstr(yaml, "line: 7"));
    ck_assert_ptr_null(strstr(strstr(yaml, "line: 7") + 1, "line: 7"));
    ck_assert_ptr_null(strstr(yaml, "line: 5"));
    suppress(yaml);
    free(yaml);
    report_clear(report);
    for (int i = 0; i < 3; i++)
        add(pairs[i]);
    add(overrun(3));
    ck_assert_uint_eq(report_suppressed_count(report), 4);
    ck_assert_str_eq(the_end(), "");
}
END_TEST

static char *generated(void)
{
    char *yaml = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&yaml, &size);
    report_write_suppressions(memory, report);
    fclose(memory);
    return yaml;
}

/* One finding stands for what a place did to several objects; where there is no line, for each size of the
 * object. */
START_TEST(generated_suppressions_fit_other_objects)
{
    static const struct {
        const char *before, *after, *pattern;
        enum finding_kind kind;
        bool placed;
    } cases[] = {
        {"argument 0 'a' (buffer, 64 bytes)", "argument 0 'b' (buffer, 8 bytes)", NULL, FINDING_RACE_GLOBAL,
         true},
        {"argument 0 'a64' (buffer, 64 bytes)", "argument 0 'a64' (buffer, 8 bytes)",
         "argument 0 'a64' (buffer, * bytes)", FINDING_RACE_GLOBAL, false},
        {"argument 1 'i' (image2d_t, 2 x 16)", "argument 1 'i' (image2d_t, 4 x 32)",
         "argument 1 'i' (image2d_t, * x *)", FINDING_RACE_GLOBAL, false},
        {"memory object 1", "memory object 12", "memory object *", FINDING_LEAKED_OBJECT, false},
        {"memory object 1", "kernel 12", NULL, FINDING_LEAKED_OBJECT, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[80];
        struct finding finding = overrun(3);
        finding.kind = cases[i].kind;
        finding.object = cases[i].before;
        finding.access[0].place.line = cases[i].placed ? 3 : 0;
        add(finding);
        char *yaml = generated();
        snprintf(expected, sizeof expected, "object: \"%s\"}", cases[i].pattern ? cases[i].pattern : "");
        ck_assert_msg((strstr(yaml, cases[i].pattern ? expected : "object: ") != NULL) ==
                          (cases[i].pattern != NULL),
                      "%s", yaml);
        suppress(yaml);
        report_clear(report);
        finding.object = cases[i].after;
        add(finding);
        ck_assert_msg(report_suppressed_count(report) == 1, "%s", cases[i].after);
        report_clear(report);
        free(yaml);
        suppress("  - {id: livelock}\n"); /* the first case's entry would fit the next */
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        the_suppressed_are_counted_and_silent,    suppressed_findings_suppress_no_others,
        each_key_of_a_suppression_narrows,        a_file_in_a_directory_fits_by_its_name,
        generated_suppressions_suppress,          generated_suppressions_are_all_used,
        generated_suppressions_fit_other_objects,
    };
    return report_tests("report, suppressions", tests, sizeof tests / sizeof tests[0]);
}
