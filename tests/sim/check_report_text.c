/* SPDX-License-Identifier: Apache-2.0 */
/* The text that people read. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/report_fixture.h"

static const char golden[] =
    "orrery: error: race-global: two work-items access the same bytes and nothing orders them\n"
    "  kernel mp, argument 0 'data' (buffer, 8 bytes), bytes 0..3\n"
    "\n"
    "  1  mp.cl:7:11   data[0] = 42;                           plain store, 4 bytes\n"
    "     work-item (0,0,0), sub-group 0, work-group (0,0,0), compute unit 0\n"
    "  2  mp.cl:12:13  out[0] = data[0];                       plain load, 4 bytes, read 42\n"
    "     work-item (64,0,0), sub-group 0, work-group (1,0,0), compute unit 1\n"
    "\n"
    "  why   the release at mp.cl:8 has memory_scope_work_group: it reaches work-group (0,0,0) only, and\n"
    "        the acquire at mp.cl:11 that read its value is in work-group (1,0,0)\n"
    "  fix   memory_scope_device at mp.cl:8 and mp.cl:11 (tried: removes this race)\n"
    "  spec  OpenCL 2.2 API, 3.3.5 inclusive scope; 3.3.6 data race; `orrery explain race-global`\n";

START_TEST(a_finding_reads_as_designed)
{
    add(race());
    ck_assert_str_eq(so_far(), golden);
}
END_TEST

START_TEST(fix_that_was_not_tried_is_advice)
{
    struct finding finding = race();
    finding.fix_orders = false;
    finding.fix_trial = TRIAL_NONE;
    add(finding);
    ck_assert_ptr_nonnull(strstr(so_far(), "\n  advice memory_scope_device at mp.cl:8 and mp.cl:11\n"));
    ck_assert_ptr_null(strstr(so_far(), "\n  fix "));
    ck_assert_ptr_null(strstr(so_far(), "tried"));
}
END_TEST

START_TEST(place_in_a_function_names_its_caller)
{
    struct finding finding = race();
    finding.access[1].caller =
        (struct source_place){.file = "mp.cl", .line = 30, .column = 5, .text = "    take(data, out);"};
    add(finding);
    ck_assert_ptr_nonnull(
        strstr(so_far(), "compute unit 1\n     called from mp.cl:30:5  take(data, out);\n\n"));
    ck_assert_ptr_null(strstr(so_far(), "compute unit 0\n     called"));
    finding.access[1].place.line++;
    finding.access[1].call_count = 1;
    finding.access[1].calls[0] =
        (struct source_place){.file = "mp.cl", .line = 20, .column = 3, .text = "  look(data);"};
    add(finding);
    ck_assert_ptr_nonnull(strstr(so_far(), "compute unit 1\n     called from mp.cl:20:3  look(data);\n"
                                           "     called from mp.cl:30:5  take(data, out);\n\n"));
}
END_TEST

START_TEST(an_update_reads_and_writes)
{
    add(race_with_update());
    ck_assert_ptr_nonnull(strstr(so_far(), "  atomic_fetch_add, 4 bytes, read 7, wrote 70000 (0x11170)\n"));
}
END_TEST

START_TEST(numbers_are_reported_as_numbers)
{
    static const struct {
        enum number_type type;
        uint32_t size;
        uint64_t bits;
        const char *text;
    } numbers[] = {
        {NUMBER_INTEGER, 4, 0x3f800000, "read 1065353216 (0x3f800000)\n"},
        {NUMBER_VECTOR, 8, 0x400000003f800000, "read 0x400000003f800000\n"},
        {NUMBER_FLOAT, 4, 0x3f800000, "read 1 (0x3f800000)\n"},
        {NUMBER_FLOAT, 4, 0x3dcccccd, "read 0.1 (0x3dcccccd)\n"},
        {NUMBER_FLOAT, 4, 0x7f7fffff, "read 3.4028235e+38 (0x7f7fffff)\n"},
        {NUMBER_FLOAT, 4, 0xff800000, "read -inf (0xff800000)\n"},
        {NUMBER_FLOAT, 4, 0xffc00000, "read nan (0xffc00000)\n"},
        {NUMBER_FLOAT, 4, 0x80000000, "read -0 (0x80000000)\n"},
        {NUMBER_DOUBLE, 8, 0x3fb999999999999a, "read 0.1 (0x3fb999999999999a)\n"},
        {NUMBER_DOUBLE, 8, 0x3fd5555555555555, "read 0.3333333333333333 (0x3fd5555555555555)\n"},
        {NUMBER_HALF, 2, 0x3800, "read 0.5 (0x3800)\n"},
        {NUMBER_HALF, 2, 0x0001, "read 5.9605e-08 (0x1)\n"},
        {NUMBER_HALF, 2, 0xfc00, "read -inf (0xfc00)\n"},
        {NUMBER_HALF, 2, 0x7e00, "read nan (0x7e00)\n"},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct finding finding = race();
        finding.access[1].type = numbers[i].type;
        finding.access[1].size_bytes = numbers[i].size;
        finding.access[1].value = numbers[i].bits;
        report_clear(report);
        const size_t before = strlen(so_far());
        add(finding);
        ck_assert_msg(strstr(so_far() + before, numbers[i].text) != NULL, "not %s", numbers[i].text);
    }
}
END_TEST

static char *shown(const struct finding *finding, bool colour)
{
    static char *out; /* the stream keeps their addresses */
    static size_t size;
    FILE *memory = open_memstream(&out, &size);
    report_print_finding(memory, finding, colour);
    fclose(memory);
    return out;
}

START_TEST(repeats_are_counted_in_the_text)
{
    struct finding finding = race();
    finding.severity = SEVERITY_WARNING;
    finding.count = 64;
    char *out = shown(&finding, false);
    ck_assert_ptr_nonnull(strstr(out, "orrery: warning: race-global: "));
    ck_assert_ptr_nonnull(strstr(out, "\n  also  63 more times at these two places\n"));
    free(out);
    finding.count = 2;
    out = shown(&finding, false);
    ck_assert_ptr_nonnull(strstr(out, "\n  also  1 more time at these two places\n"));
    free(out);
    finding = overrun(3);
    finding.severity = SEVERITY_ERROR;
    finding.count = 2;
    out = shown(&finding, false);
    ck_assert_ptr_nonnull(strstr(out, "\n  also  1 more at this place\n"));
    free(out);
}
END_TEST

START_TEST(covered_finding_is_a_line_of_the_finding_with_the_fix)
{
    struct finding covered = of_launch(FINDING_RACE_GLOBAL, 1, 9);
    covered.object = "argument 1 'out'";
    report_hold(report, REPORT_HOLD_ALL);
    add(race());
    add(covered);
    report_covered(report, 1, 0);
    report_release(report);
    ck_assert_ptr_eq(report_get(report, 1)->covered_by, report_get(report, 0));
    ck_assert_ptr_nonnull(
        strstr(so_far(), "\n  note  the fix also removes race-global at a.cl:9:5, argument 1 'out'\n"));
    ck_assert_ptr_null(strstr(strstr(so_far(), "orrery: error: ") + 1, "orrery: error: "));
    ck_assert_uint_eq(report_distinct(report, SEVERITY_ERROR), 2);
}
END_TEST

START_TEST(finding_that_is_covered_after_it_was_printed_stays_in_the_text)
{
    add(of_launch(FINDING_RACE_GLOBAL, 1, 9));
    report_hold(report, REPORT_HOLD_ALL);
    add(race());
    report_covered(report, 0, 1);
    report_release(report);
    ck_assert_ptr_nonnull(strstr(so_far(), "a.cl:9:5"));
    ck_assert_ptr_nonnull(strstr(strstr(so_far(), "orrery: error: ") + 1, "orrery: error: "));
}
END_TEST

START_TEST(missing_parts_leave_no_holes)
{
    struct finding finding = {.kind = FINDING_API_ERROR, .severity = SEVERITY_ERROR, .count = 1};
    char *out = shown(&finding, false);
    ck_assert_str_eq(out, "orrery: error: api-error: an OpenCL call was refused\n\n"
                          "  spec  OpenCL 2.2 API; `orrery explain api-error`\n");
    free(out);
    finding = overrun(0);
    finding.severity = SEVERITY_ERROR;
    finding.access[0].has_item = false;
    finding.access[0].place = (struct source_place){.file = NULL, .line = 0, .column = 0, .text = NULL};
    finding.object = "argument 0";
    finding.has_offset = true;
    finding.offset_bytes = (uint64_t)-1;
    finding.why = NULL;
    out = shown(&finding, false);
    ck_assert_str_eq(out,
                     "orrery: error: out-of-bounds-write: a store writes outside every allocation or image\n"
                     "  kernel k, argument 0, byte -1\n\n"
                     "  1  (no line)                                          store, 1 byte\n"
                     "     host command\n\n"
                     "  spec  OpenCL 2.2 API, 3.3.1 and 5.2.1; `orrery explain out-of-bounds-write`\n");
    free(out);
}
END_TEST

START_TEST(unit_that_is_no_work_item_has_a_name)
{
    struct finding finding = race();
    finding.severity = SEVERITY_ERROR;
    finding.access[0].by = "an asynchronous copy";
    finding.access[1].by = "clEnqueueReadBuffer (command 4)";
    finding.access[1].has_item = false;
    char *out = shown(&finding, false);
    ck_assert_ptr_nonnull(strstr(out, "\n     an asynchronous copy, work-item (0,0,0), sub-group 0"));
    ck_assert_ptr_nonnull(strstr(out, "\n     clEnqueueReadBuffer (command 4)\n"));
    ck_assert_ptr_null(strstr(out, "host command"));
    free(out);
}
END_TEST

START_TEST(colour_is_only_in_the_first_line)
{
    struct finding finding = race();
    finding.severity = SEVERITY_ERROR;
    char *out = shown(&finding, true);
    ck_assert_ptr_eq(strstr(out, "orrery: \033[1;31merror: race-global\033[0m: two work-items"), out);
    ck_assert_ptr_null(strchr(strchr(out, '\n'), '\033'));
    free(out);
}
END_TEST

START_TEST(source_cannot_command_a_terminal)
{
    struct finding finding = overrun(4);
    finding.access[0].place.text = "a\033[2Jb\x7f";
    char *out = shown(&finding, false);
    ck_assert_ptr_null(strchr(out, '\033'));
    ck_assert_ptr_nonnull(strstr(out, "a [2Jb"));
    free(out);
}
END_TEST

START_TEST(long_lines_are_cut_around_the_column)
{
    char line[1001];
    struct finding finding = overrun(4);
    memset(line, 'x', 1000);
    line[1000] = '\0';
    memcpy(line + 600, "HERE", 4);
    finding.access[0].place.text = line;
    finding.access[0].place.column = 601;
    char *out = shown(&finding, false);
    ck_assert_ptr_nonnull(strstr(out, "...xxx"));
    ck_assert_ptr_nonnull(strstr(out, "xHEREx"));
    ck_assert_ptr_nonnull(strstr(out, "xxx..."));
    ck_assert_uint_lt(strlen(out), 600);
    free(out);
}
END_TEST

START_TEST(paragraphs_wrap_at_words)
{
    struct finding finding = {.kind = FINDING_NULL_READ, .severity = SEVERITY_ERROR};
    char why[1000] = "";
    for (int i = 0; i < 60; i++)
        strcat(why, i ? " word" : "word");
    strcat(why, "\nsecond line");
    finding.why = why;
    char *out = shown(&finding, false);
    size_t words = 0;
    for (char *line = strtok(strchr(out, '\n') + 1, "\n"); line; line = strtok(NULL, "\n")) {
        ck_assert_uint_le(strlen(line), 100);
        ck_assert_int_ne(line[strlen(line) - 1], ' ');
        for (char *c = line; (c = strstr(c, "word")) != NULL; c++)
            words++;
        ck_assert(strncmp(line, "  why   word", 12) == 0 || strncmp(line, "        word", 12) == 0 ||
                  strcmp(line, "        second line") == 0 || strncmp(line, "  spec  ", 8) == 0);
    }
    ck_assert_uint_eq(words, 60);
    free(out);
}
END_TEST

/* Another thread may be writing to the same descriptor. */
START_TEST(a_finding_is_one_write)
{
    int ends[2];
    char got[4096];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0); /* one read gets what one write put */
    FILE *unbuffered = fdopen(ends[1], "w");
    setvbuf(unbuffered, NULL, _IONBF, 0); /* as stderr is */
    report_set_stream(report, unbuffered, true);
    add(race());
    ssize_t size = recv(ends[0], got, sizeof got - 1, MSG_DONTWAIT);
    ck_assert_int_gt(size, 0);
    got[size] = '\0';
    ck_assert_ptr_nonnull(strstr(got, "race-global") ? strstr(got, "orrery explain race-global") : NULL);
    add(race());
    report_finish(unbuffered, report, 1);
    size = recv(ends[0], got, sizeof got - 1, MSG_DONTWAIT);
    ck_assert_int_gt(size, 0);
    got[size] = '\0';
    ck_assert_ptr_nonnull(strstr(got, "orrery: also 1 more") ? strstr(got, "SUMMARY") : NULL);
    ck_assert_int_eq(recv(ends[0], got, sizeof got, MSG_DONTWAIT), -1);
    report_set_stream(report, NULL, false);
    fclose(unbuffered);
    close(ends[0]);
}
END_TEST

START_TEST(ids_are_stable_and_distinct)
{
    enum finding_kind kind;
    for (int i = 0; i < FINDING_KIND_COUNT; i++) {
        ck_assert(finding_from_id(finding_id((enum finding_kind)i), &kind));
        ck_assert_int_eq(kind, i);
        ck_assert(*finding_sentence((enum finding_kind)i));
        ck_assert_msg(*finding_spec((enum finding_kind)i), "no specification for %s",
                      finding_id((enum finding_kind)i));
        ck_assert_msg(strstr(finding_page((enum finding_kind)i), "Fix"), "no page for %s",
                      finding_id((enum finding_kind)i));
    }
    ck_assert(!finding_from_id("no-such-finding", &kind));
    ck_assert(finding_from_id("uninitialized-branch", &kind));
    ck_assert_int_eq(kind, FINDING_UNINITIALISED_BRANCH);
    ck_assert(!finding_from_id("uninitializ", &kind));
    ck_assert_int_eq(finding_check(FINDING_RACE_LOCAL), CHECK_RACES);
    ck_assert_int_eq(finding_check(FINDING_UNINITIALISED_BRANCH), CHECK_UNINITIALISED);
    ck_assert_int_eq(finding_check(FINDING_NO_PROGRESS), CHECK_PROGRESS);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_finding_reads_as_designed,
        fix_that_was_not_tried_is_advice,
        place_in_a_function_names_its_caller,
        an_update_reads_and_writes,
        numbers_are_reported_as_numbers,
        repeats_are_counted_in_the_text,
        covered_finding_is_a_line_of_the_finding_with_the_fix,
        finding_that_is_covered_after_it_was_printed_stays_in_the_text,
        missing_parts_leave_no_holes,
        unit_that_is_no_work_item_has_a_name,
        colour_is_only_in_the_first_line,
        source_cannot_command_a_terminal,
        long_lines_are_cut_around_the_column,
        paragraphs_wrap_at_words,
        a_finding_is_one_write,
        ids_are_stable_and_distinct,
    };
    return report_tests("report, text", tests, sizeof tests / sizeof tests[0]);
}
