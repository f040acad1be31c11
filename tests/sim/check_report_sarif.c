/* SPDX-License-Identifier: Apache-2.0 */
/* SARIF, for tools that show findings beside the source. */
#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/report/sarif.h"
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
    ck_assert_int_eq(start_column("\u00e9", 9), 8); /* past the known part of the line */
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
START_TEST(fingerprints_of_different_results_differ)
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

START_TEST(fingerprints_ignore_the_order_of_accesses)
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

START_TEST(equal_lines_are_numbered_in_order)
{
    char *prints[2];
    add(overrun(3));
    add(overrun(30));
    ck_assert_uint_ne(report_get(report, 0)->fingerprint, report_get(report, 1)->fingerprint);
    for (int i = 0; i < 2; i++)
        prints[i] = fingerprint(overrun(i ? 30 : 3)); /* of a run each */
    ck_assert_str_eq(prints[0], prints[1]);
    free(prints[0]);
    free(prints[1]);
}
END_TEST

/* The numbers are those that GitHub's action for uploads computes of the same text. */
START_TEST(line_hash_is_that_of_github)
{
    static const char text[] =
        "kernel void k(global int *a)\r\n{\r\n\ta[0] = 1; /* \u00e9 \U0001f600 */\r\n}\n\n\n"
        "kernel void l(global int *a) { a[0] = 1; }\nkernel void l(global int *a) { a[0] = 1; }\n"
        "a[0] += b[0];  // again\na[0] += b[0];  // again\na[0] += b[0];  // again\n"
        "a[0] += b[0];  // again\na[0] += b[0];  // again\na[0] += b[0];  // again\n"
        "a[0] += b[0];  // again\nthe end";
    static const char *const expected[] = {
        "f8bb1bb2b73f3886:1", "77e24a92b0f40318:1", "3a403f2ba3c2ea11:1", "f342821890d41509:1",
        "a074dd8312ab73e2:1", "38c3ddebb3a72d6f:1", "3c2eed0af808fed0:1", "839d702d378d3e07:1",
        "b57d361c3bb13c8a:1", "b57d361c3bb13c8a:2", "b57d361c3ddbbf7e:1", "b5b0e54ae0ad24a7:1",
        "d0a083d52f1239ed:1", "371e16860ffd25db:1", "9de5071635536d1:1",  "fb7e5b55ffe37daf:1",
    };
    char path[] = "/tmp/orrery-lines-XXXXXX";
    struct line_hashes hashes = {NULL};
    const int file = mkstemp(path);
    ck_assert_int_eq(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    for (uint32_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char *hash = line_hashes_of(&hashes, path, i + 1);
        ck_assert_str_eq(hash, expected[i]);
        free(hash);
    }
    ck_assert_ptr_null(line_hashes_of(&hashes, path, 0));
    ck_assert_ptr_null(line_hashes_of(&hashes, path, sizeof expected / sizeof *expected + 1));
    ck_assert_ptr_null(line_hashes_of(&hashes, "/nonexistent/a.cl", 1));
    unlink(path);
    line_hashes_fini(&hashes);
    char *alone = line_hashes_of_text("the end\r\n");
    ck_assert_str_eq(alone, "fb7e5b55ffe37daf:1");
    free(alone);
}
END_TEST

/* ---- several processes -------------------------------------------------------------------- */

/* The log of a process that found these overruns, each so often. */
static char *log_of(const uint32_t lines[2], uint64_t times)
{
    report_clear(report);
    for (int i = 0; i < 2 && lines[i]; i++) {
        struct finding finding = overrun(lines[i]);
        finding.access[0].place.text = lines[i] == 3 ? "three" : lines[i] == 4 ? "four" : "five";
        finding.count = times;
        add(finding);
    }
    return written(write_sarif);
}

static json_t *joined(const char *others, const char *before, const char *own)
{
    char *text = sarif_join(others, before, own);
    ck_assert_ptr_nonnull(text);
    json_t *log = json_loads(text, 0, NULL), *runs = json_object_get(log, "runs");
    ck_assert_uint_eq(json_array_size(runs), 1);
    free(text);
    return log;
}

static json_t *of_run(json_t *log, const char *key)
{
    return json_object_get(json_array_get(json_object_get(log, "runs"), 0), key);
}

static void expect_counts(json_t *log, const int expected[3])
{
    json_t *results = of_run(log, "results");
    for (size_t i = 0; i < 3; i++)
        ck_assert_int_eq(number(json_array_get(results, i), "occurrenceCount"), expected[i]);
    ck_assert_ptr_null(json_array_get(results, 3));
}

START_TEST(processes_have_one_run_and_their_occurrences_add_up)
{
    char *first = strdup(log_of((uint32_t[]){3, 4}, 2)), *second = strdup(log_of((uint32_t[]){4, 5}, 3)),
         *more = strdup(log_of((uint32_t[]){4, 5}, 7)), *less = strdup(log_of((uint32_t[]){5, 0}, 1));
    json_t *log = joined(first, NULL, second);
    expect_counts(log, (int[]){2, 5, 3});
    ck_assert_uint_eq(json_array_size(of_run(log, "invocations")), 2);
    char *text = json_dumps(log, 0);
    json_decref(log);
    log = joined(text, second, more); /* the second writes again */
    expect_counts(log, (int[]){2, 9, 7});
    ck_assert_uint_eq(json_array_size(of_run(log, "invocations")), 2);
    free(text);
    text = json_dumps(log, 0);
    json_decref(log);
    log = joined(text, more, less); /* and has found less after all */
    expect_counts(log, (int[]){2, 2, 1});
    json_decref(log);
    ck_assert_ptr_null(sarif_join("{\"runs\": [{}]}", NULL, first));
    ck_assert_ptr_null(sarif_join("no log", NULL, first));
    char *const all[] = {first, second, more, less, text};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}
END_TEST

START_TEST(many_logs_make_the_one_that_joining_each_makes)
{
    static const uint32_t lines[][2] = {{3, 4}, {4, 5}, {5, 0}, {3, 5}};
    struct sarif_sum sum = {NULL, NULL};
    char *one_by_one = NULL;
    ck_assert_ptr_null(sarif_sum_text(&sum));
    for (uint32_t i = 0; i < 4; i++) {
        char *log = strdup(log_of(lines[i], i + 1)),
             *more = i ? sarif_join(one_by_one, NULL, log) : strdup(log);
        ck_assert_ptr_nonnull(more);
        ck_assert(sarif_sum_add(&sum, log));
        free(one_by_one);
        free(log);
        one_by_one = more;
    }
    ck_assert(!sarif_sum_add(&sum, "{}"));
    char *text = sarif_sum_text(&sum);
    ck_assert_str_eq(text, one_by_one);
    free(text);
    free(one_by_one);
    sarif_sum_fini(&sum);
}
END_TEST

/* ---- limits --------------------------------------------------------------------------------- */

static bool has_note(json_t *log, const char *id)
{
    json_t *invocation = json_array_get(of_run(log, "invocations"), 0),
           *notes = json_object_get(invocation, "toolExecutionNotifications");
    bool has = false;
    for (size_t i = 0; i < json_array_size(notes); i++)
        has |= strcmp(word(json_object_get(json_array_get(notes, i), "descriptor"), "id"), id) == 0;
    return has;
}

static json_t *log_with(size_t warnings, size_t errors, size_t bytes)
{
    char *padding = calloc(bytes + 1, 1);
    memset(padding, 'x', bytes);
    json_t *log =
        json_pack("{s:[{s:[{s:b}],s:[]}]}", "runs", "invocations", "executionSuccessful", 1, "results");
    for (size_t i = 0; i < warnings + errors; i++)
        json_array_append_new(of_run(log, "results"),
                              json_pack("{s:s,s:s,s:s}", "level", i < warnings ? "warning" : "error",
                                        "codeFlows", padding, "padding", i % 2 ? padding : ""));
    free(padding);
    return log;
}

static size_t count_level(json_t *log, const char *level)
{
    size_t count = 0;
    json_t *results = of_run(log, "results");
    for (size_t i = 0; i < json_array_size(results); i++)
        count += strcmp(word(json_array_get(results, i), "level"), level) == 0;
    return count;
}

START_TEST(results_over_the_limit_leave_the_severest)
{
    json_t *log = log_with(SARIF_RESULTS_MOST, 10, 0);
    free(sarif_text(log));
    ck_assert_uint_eq(json_array_size(of_run(log, "results")), SARIF_RESULTS_MOST);
    ck_assert_uint_eq(count_level(log, "error"), 10);
    ck_assert(has_note(log, "results-over-limit") && !has_note(log, "results-left-out"));
    json_decref(log);
    log = log_with(SARIF_RESULTS_MOST, 0, 0);
    free(sarif_text(log));
    ck_assert(!has_note(log, "results-over-limit"));
    json_decref(log);
}
END_TEST

START_TEST(file_over_the_limit_loses_paths)
{
    json_t *log = log_with(5, 5, 1000 * 1000); /* 15 MB, and 5 without paths */
    char *text = sarif_text(log);
    ck_assert_uint_le(strlen(text), SARIF_BYTES_MOST);
    ck_assert_uint_eq(json_array_size(of_run(log, "results")), 10);
    ck_assert(has_note(log, "paths-left-out") && !has_note(log, "results-left-out"));
    free(text);
    json_decref(log);
}
END_TEST

START_TEST(file_over_the_limit_loses_the_least_severe_results)
{
    json_t *log = log_with(20, 20, 600 * 1000); /* 12 MB without paths */
    for (size_t i = 0; i < 40; i++)
        json_object_del(json_array_get(of_run(log, "results"), i), "codeFlows");
    char *text = sarif_text(log);
    ck_assert_uint_le(strlen(text), SARIF_BYTES_MOST);
    ck_assert_uint_ge(strlen(text), SARIF_BYTES_MOST / 2);
    ck_assert_uint_eq(count_level(log, "error"), 20);
    ck_assert_uint_lt(count_level(log, "warning"), 20);
    ck_assert(has_note(log, "paths-left-out") && has_note(log, "results-left-out"));
    free(text);
    json_decref(log);
}
END_TEST

START_TEST(steps_over_the_limit_are_left_out)
{
    static struct finding_step steps[1500];
    struct finding finding = race_with_steps();
    for (size_t i = 0; i < 1500; i++)
        steps[i] = (struct finding_step){
            .side = i % 3, .place = {.file = "mp.cl", .line = 8, .column = 5, .text = "x"}, .text = "step"};
    finding.steps = steps;
    finding.step_count = 1500;
    finding.edge_count = 0;
    add(finding);
    char *out = written(write_sarif);
    json_t *log = json_loads(out, 0, NULL), *result = json_array_get(of_run(log, "results"), 0);
    json_t *flows = json_object_get(json_array_get(json_object_get(result, "codeFlows"), 0), "threadFlows");
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(flows); i++)
        count += json_array_size(json_object_get(json_array_get(flows, i), "locations"));
    ck_assert_uint_eq(count, SARIF_STEPS_MOST);
    ck_assert(has_note(log, "steps-left-out"));
    json_decref(log);
    free(out);
}
END_TEST

START_TEST(result_without_line_has_a_file_and_a_fingerprint)
{
    struct finding calls[2] = {overrun(0), overrun(0)};
    char *hashes[2];
    for (int i = 0; i < 2; i++) {
        calls[i].kind = FINDING_API_ERROR;
        calls[i].access[0] = (struct finding_access){.what = i ? "clFinish" : "clFlush", .act = ACT_CALL};
        report_clear(report);
        add(calls[i]);
        json_t *result = first_result(), *prints = json_object_get(result, "partialFingerprints"),
               *place = json_object_get(json_array_get(json_object_get(result, "locations"), 0),
                                        "physicalLocation");
        ck_assert_int_eq(number(json_object_get(place, "region"), "startLine"), 1);
        ck_assert_ptr_nonnull(
            strstr(word(json_object_get(place, "artifactLocation"), "uri"), "check_report_sarif"));
        hashes[i] = strdup(word(prints, "primaryLocationLineHash"));
        json_decref(result);
    }
    ck_assert_str_ne(hashes[0], hashes[1]);
    free(hashes[0]);
    free(hashes[1]);
}
END_TEST

static char *category(const char *file)
{
    char *name = strdup(file);
    scenario.sarif_file = name;
    char *out = written(write_sarif);
    scenario.sarif_file = NULL;
    json_t *log = json_loads(out, 0, NULL);
    char *id = strdup(word(of_run(log, "automationDetails"), "id"));
    json_decref(log);
    free(name);
    free(out);
    return id;
}

START_TEST(category_is_the_name_of_the_file)
{
    static const char *const cases[][2] = {
        {"a/b.d/findings.sarif", "orrery/findings/"},
        {"gpu", "orrery/gpu/"},
        {"x-%p.sarif", "orrery/x-/"},
        {"%p", "orrery//"},
        {"x%p-y.z.json", "orrery/x-y.z/"},
        {".hidden", "orrery/.hidden/"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *id = category(cases[i][0]);
        ck_assert_str_eq(id, cases[i][1]);
        free(id);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        sarif_has_both_paths,
        many_logs_make_the_one_that_joining_each_makes,
        columns_are_code_points,
        fingerprints_outlive_edits_above,
        fingerprints_of_different_results_differ,
        fingerprints_ignore_the_order_of_accesses,
        equal_lines_are_numbered_in_order,
        line_hash_is_that_of_github,
        processes_have_one_run_and_their_occurrences_add_up,
        results_over_the_limit_leave_the_severest,
        file_over_the_limit_loses_paths,
        file_over_the_limit_loses_the_least_severe_results,
        steps_over_the_limit_are_left_out,
        result_without_line_has_a_file_and_a_fingerprint,
        category_is_the_name_of_the_file,
    };
    return report_tests("report, sarif", tests, sizeof tests / sizeof tests[0]);
}
