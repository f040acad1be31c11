/* SPDX-License-Identifier: Apache-2.0 */
/* SARIF, for tools that show findings beside the source. */
#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/report_fixture.h"

static void write_sarif(FILE *out, const struct report *of)
{
    report_write_sarif(out, of, &(struct report_end){.kernels_run = 1, .exit_status = 66});
}

static json_t *first_result(void)
{
    char *out = written(write_sarif);
    json_t *log = json_loads(out, 0, NULL), *runs = json_object_get(log, "runs");
    json_t *result = json_array_get(json_object_get(json_array_get(runs, 0), "results"), 0);
    json_incref(result);
    json_decref(log);
    free(out);
    return result;
}

START_TEST(sarif_has_both_paths)
{
    add(race_with_steps());
    json_t *result = first_result();
    json_t *flows = json_object_get(json_array_get(json_object_get(result, "codeFlows"), 0), "threadFlows");
    static const int lines[2][2] = {{7, 8}, {11, 12}};
    ck_assert_str_eq(word(result, "ruleId"), "race-global");
    for (size_t side = 0; side < 2; side++) {
        json_t *path = json_object_get(json_array_get(flows, side), "locations");
        ck_assert_uint_eq(json_array_size(path), 2);
        for (size_t i = 0; i < 2; i++) {
            json_t *place =
                json_object_get(json_object_get(json_array_get(path, i), "location"), "physicalLocation");
            ck_assert_int_eq(number(json_object_get(place, "region"), "startLine"), lines[side][i]);
        }
    }
    ck_assert_ptr_nonnull(
        strstr(word(json_object_get(result, "message"), "text"),
               "Fix: memory_scope_device at mp.cl:8 and mp.cl:11 (tried: removes this race)."));
    json_decref(result);
}
END_TEST

static json_int_t start_column(const char *text, uint32_t column)
{
    struct finding finding = overrun(3);
    finding.access[0].place.text = text;
    finding.access[0].place.column = column;
    report_clear(report);
    add(finding);
    json_t *result = first_result();
    json_t *place =
        json_object_get(json_array_get(json_object_get(result, "locations"), 0), "physicalLocation");
    const json_int_t found = number(json_object_get(place, "region"), "startColumn");
    json_decref(result);
    return found;
}

/* SARIF 2.1.0, 3.14.17: unicodeCodePoints, and a tab is one. */
START_TEST(columns_are_code_points)
{
    ck_assert_int_eq(start_column("\t/* eee */ o[0] = 1;", 12), 12);
    ck_assert_int_eq(start_column("\t/* \u00e9\u00e9\u00e9 */ o[0] = 1;", 15), 12);
    ck_assert_int_eq(start_column("/* \u20ac \U0001f600 */ o[0] = 1;", 15), 10);
    ck_assert_int_eq(start_column("\u00e9", 9), 8); /* beyond what is known of the line */
    ck_assert_int_eq(start_column(NULL, 9), 9);
}
END_TEST

static char *fingerprint(const struct finding finding)
{
    report_clear(report);
    add(finding);
    json_t *result = first_result();
    char *print = strdup(word(json_object_get(result, "partialFingerprints"), "orrery/v2"));
    json_decref(result);
    return print;
}

START_TEST(fingerprints_outlive_edits_above)
{
    struct finding moved = overrun(30), other = overrun(3);
    moved.access[0].place.file = "elsewhere/a.cl";
    moved.access[0].place.text = "      out[i] = 1;";
    moved.access[0].place.column += 6;
    other.access[0].place.text = "out[i] = 2;";
    char *prints[3] = {fingerprint(overrun(3)), fingerprint(moved), fingerprint(other)};
    ck_assert_uint_eq(strlen(prints[0]), 16);
    ck_assert_str_eq(prints[0], prints[1]);
    ck_assert_str_ne(prints[0], prints[2]);
    for (int i = 0; i < 3; i++)
        free(prints[i]);
}
END_TEST

/* A manager of results keeps one of those that have the same. */
START_TEST(fingerprints_tell_results_apart)
{
    struct finding findings[5] = {race(), race(), race(), race(), race()};
    const char *prints[5];
    findings[1].access[0].place.column = 15; /* another member of the same line */
    findings[2].access[1].kind = ACCESS_WRITE;
    findings[3].access[0].place.line = 70; /* a line that is written alike */
    findings[4].access[0].place.line = 71;
    for (int i = 0; i < 5; i++)
        add(findings[i]);
    char *out = written(write_sarif);
    json_t *log = json_loads(out, 0, NULL), *run = json_array_get(json_object_get(log, "runs"), 0),
           *results = json_object_get(run, "results");
    ck_assert_uint_eq(json_array_size(results), 5);
    for (size_t i = 0; i < 5; i++) {
        prints[i] = word(json_object_get(json_array_get(results, i), "partialFingerprints"), "orrery/v2");
        for (size_t k = 0; k < i; k++)
            ck_assert_msg(strcmp(prints[k], prints[i]) != 0, "%zu and %zu", k, i);
    }
    json_decref(log);
    free(out);
}
END_TEST

START_TEST(fingerprints_know_no_first_access)
{
    struct finding swapped = race();
    swapped.access[0] = race().access[1];
    swapped.access[1] = race().access[0];
    char *prints[2] = {fingerprint(race()), fingerprint(swapped)};
    ck_assert_str_eq(prints[0], prints[1]);
    free(prints[0]);
    free(prints[1]);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        sarif_has_both_paths,
        columns_are_code_points,
        fingerprints_outlive_edits_above,
        fingerprints_tell_results_apart,
        fingerprints_know_no_first_access,
    };
    return report_tests("report, sarif", tests, sizeof tests / sizeof tests[0]);
}
