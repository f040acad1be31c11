/* SPDX-License-Identifier: Apache-2.0 */
/* Reports: the text people read, JSON for programs, de-duplication, limits, severities. */
#include <check.h>
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "orrery/report.h"

static struct scenario scenario;
static struct report *report;
static char *text;
static size_t text_size;
static FILE *stream;

static void setup(void)
{
    scenario_default(&scenario);
    for (int i = 0; i < CHECK_COUNT; i++)
        scenario.checks[i] = SEVERITY_ERROR;
    report = report_new(&scenario);
    stream = open_memstream(&text, &text_size);
    report_set_stream(report, stream, false);
}

static void teardown(void)
{
    report_free(report);
    fclose(stream);
    free(text);
    scenario_fini(&scenario);
}

/* The pair of DESIGN's example: message passing with too narrow a scope. */
static struct finding race(void)
{
    struct finding finding = {
        .kind = FINDING_RACE_GLOBAL,
        .kernel = "mp",
        .object = "argument 0 'data' (buffer, 8 bytes)",
        .has_offset = true,
        .access_count = 2,
        .access =
            {
                {.place = {"mp.cl", 7, 11, "    data[0] = 42;"}, .kind = ACCESS_WRITE, .has_item = true, .size_bytes = 4, .what = "plain store"},
                {.place = {"mp.cl", 12, 13, "\tout[0] = data[0];\r\n"},
                 .kind = ACCESS_READ,
                 .has_item = true,
                 .item = {.global_id = {64, 0, 0}, .group_id = {1, 0, 0}, .compute_unit = 1},
                 .size_bytes = 4,
                 .has_value = true,
                 .value = 42,
                 .what = "plain load"},
            },
        .why = "the release at mp.cl:8 has memory_scope_work_group: it reaches work-group (0,0,0) only, and the acquire at mp.cl:11 "
               "that read its value is in work-group (1,0,0)",
        .fix = "memory_scope_device at mp.cl:8 and mp.cl:11",
        .fix_verified = true,
        .spec = "OpenCL 2.2 API, 3.3.5 inclusive scope; 3.3.6 data race",
    };
    return finding;
}

static struct finding overrun(uint32_t line)
{
    struct finding finding = {
        .kind = FINDING_OUT_OF_BOUNDS_WRITE,
        .kernel = "k",
        .access_count = 1,
        .access = {{.place = {"a.cl", line, 5, "out[i] = 1;"}, .kind = ACCESS_WRITE, .has_item = true, .size_bytes = 1}},
        .why = "1 byte past the end of argument 0",
    };
    return finding;
}

static struct finding of_launch(enum finding_kind kind, uint32_t launch, uint32_t line)
{
    struct finding finding = overrun(line);
    finding.kind = kind;
    finding.launch = launch;
    return finding;
}

static const char *so_far(void)
{
    fflush(stream);
    return text;
}

static void add(const struct finding finding)
{
    report_add(report, &finding);
}

static const char *summary(uint64_t kernels)
{
    static char line[300];
    FILE *memory = fmemopen(line, sizeof line, "w");
    report_summary(memory, report, kernels);
    fclose(memory);
    return line;
}

/* What is said at the end, without the summary. */
static const char *the_end(void)
{
    static char lines[1000];
    memset(lines, 0, sizeof lines);
    FILE *memory = fmemopen(lines, sizeof lines, "w");
    scenario.quiet = true;
    report_finish(memory, report, 0);
    fclose(memory);
    return lines;
}

/* ---- text -------------------------------------------------------------------------- */

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
    "  fix   memory_scope_device at mp.cl:8 and mp.cl:11 (verified: these two accesses then race no more)\n"
    "  spec  OpenCL 2.2 API, 3.3.5 inclusive scope; 3.3.6 data race; `orrery explain race-global`\n";

START_TEST(a_finding_reads_as_designed)
{
    add(race());
    ck_assert_str_eq(so_far(), golden);
}
END_TEST

/* The later access: it found 7, and left more than 16 bits. */
static struct finding race_with_update(void)
{
    struct finding finding = race();
    struct finding_access *update = &finding.access[1];
    update->kind = ACCESS_ATOMIC_UPDATE;
    update->what = "atomic_fetch_add";
    update->value = 7;
    update->has_written = true;
    update->written = 70000;
    return finding;
}

START_TEST(an_update_reads_and_writes)
{
    add(race_with_update());
    ck_assert_ptr_nonnull(strstr(so_far(), "  atomic_fetch_add, 4 bytes, read 7, wrote 70000 (0x11170)\n"));
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
    finding.access[0].place = (struct source_place){NULL, 0, 0, NULL};
    finding.object = "argument 0";
    finding.has_offset = true;
    finding.offset_bytes = (uint64_t)-1;
    finding.why = NULL;
    out = shown(&finding, false);
    ck_assert_str_eq(out, "orrery: error: out-of-bounds-write: a store writes outside every allocation or image\n"
                          "  kernel k, argument 0, byte -1\n\n"
                          "  1  (no line)                                          store, 1 byte\n"
                          "     host command\n\n"
                          "  spec  OpenCL 2.2 API, 3.3.1 and 5.2.1; `orrery explain out-of-bounds-write`\n");
    free(out);
}
END_TEST

START_TEST(who_is_no_work_item_has_a_name)
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
        ck_assert(strncmp(line, "  why   word", 12) == 0 || strncmp(line, "        word", 12) == 0 || strcmp(line, "        second line") == 0 ||
                  strncmp(line, "  spec  ", 8) == 0);
    }
    ck_assert_uint_eq(words, 60);
    free(out);
}
END_TEST

/* ---- JSON ----------------------------------------------------------------------------- */

static json_t *as_json(const struct finding *finding)
{
    char *out = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&out, &size);
    report_write_json(memory, finding);
    fclose(memory);
    ck_assert_ptr_eq(strchr(out, '\n'), out + size - 1);
    json_t *object = json_loads(out, 0, NULL);
    ck_assert_ptr_nonnull(object);
    free(out);
    return object;
}

static const char *word(json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "(absent)";
}

static json_int_t number(json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

START_TEST(json_has_every_field)
{
    add(race());
    add(race());
    const struct finding *kept = report_get(report, 0);
    json_t *object = as_json(kept);
    ck_assert_str_eq(word(object, "id"), "race-global");
    ck_assert_str_eq(word(object, "severity"), "error");
    ck_assert_str_eq(word(object, "sentence"), finding_sentence(FINDING_RACE_GLOBAL));
    ck_assert_str_eq(word(object, "kernel"), "mp");
    ck_assert_str_eq(word(object, "object"), "argument 0 'data' (buffer, 8 bytes)");
    ck_assert_str_eq(word(object, "why"), kept->why);
    ck_assert_str_eq(word(object, "fix"), kept->fix);
    ck_assert_str_eq(word(object, "spec"), kept->spec);
    ck_assert_int_eq(number(object, "count"), 2);
    ck_assert_int_eq(number(object, "offset_bytes"), 0);
    ck_assert_int_eq(number(object, "length_bytes"), 4);
    ck_assert_ptr_null(json_object_get(object, "fix_partial"));
    json_t *accesses = json_object_get(object, "accesses"), *second = json_array_get(accesses, 1);
    ck_assert_uint_eq(json_array_size(accesses), 2);
    ck_assert_str_eq(word(second, "file"), "mp.cl");
    ck_assert_int_eq(number(second, "line"), 12);
    ck_assert_int_eq(number(second, "column"), 13);
    ck_assert_int_eq(number(second, "size_bytes"), 4);
    ck_assert_str_eq(word(second, "access"), "load");
    ck_assert_str_eq(word(second, "what"), "plain load");
    ck_assert_str_eq(word(second, "value"), "0x2a");
    ck_assert_ptr_null(json_object_get(second, "written"));
    json_t *item = json_object_get(second, "item");
    ck_assert_int_eq(json_integer_value(json_array_get(json_object_get(item, "global_id"), 0)), 64);
    ck_assert_int_eq(json_integer_value(json_array_get(json_object_get(item, "group_id"), 0)), 1);
    ck_assert_uint_eq(json_array_size(json_object_get(item, "local_id")), 3);
    ck_assert_int_eq(number(item, "compute_unit"), 1);
    json_decref(object);
}
END_TEST

START_TEST(json_has_what_an_update_wrote)
{
    const struct finding finding = race_with_update();
    json_t *object = as_json(&finding), *update = json_array_get(json_object_get(object, "accesses"), 1);
    ck_assert_str_eq(word(update, "value"), "0x7");
    ck_assert_str_eq(word(update, "written"), "0x11170");
    json_decref(object);
}
END_TEST

/* A release and an acquire that do not meet, and the finding that all may follow from. */
static struct finding race_with_steps(void)
{
    static const struct finding_step steps[] = {
        {.side = 0, .place = {"mp.cl", 8, 5, "atomic_store(...)"}, .text = "release, work_group"},
        {.side = 1, .before = true, .place = {"mp.cl", 11, 9, "atomic_load(...)"}, .text = "acquire, \"work_group\""},
    };
    static const struct finding_edge edges[] = {{0, 1, false}};
    struct finding finding = race();
    finding.launch = 2;
    finding.steps = steps;
    finding.step_count = 2;
    finding.edges = edges;
    finding.edge_count = 1;
    finding.access[1].by = "somebody";
    return finding;
}

START_TEST(json_has_steps_and_causes)
{
    add(of_launch(FINDING_COLLECTIVE_DIVERGENCE, 2, 4));
    add(race_with_steps());
    json_t *object = as_json(report_get(report, 1));
    json_t *steps = json_object_get(object, "steps"), *second = json_array_get(steps, 1);
    ck_assert_str_eq(word(object, "type"), "finding");
    ck_assert_int_eq(number(object, "launch"), 2);
    ck_assert(json_is_true(json_object_get(object, "fix_verified")));
    ck_assert_str_eq(word(json_object_get(object, "cause"), "id"), "collective-divergence");
    ck_assert_int_eq(number(json_object_get(object, "cause"), "line"), 4);
    ck_assert_str_eq(word(json_array_get(json_object_get(object, "accesses"), 1), "by"), "somebody");
    ck_assert_uint_eq(json_array_size(steps), 2);
    ck_assert_int_eq(number(second, "side"), 1);
    ck_assert(json_is_true(json_object_get(second, "before")));
    json_t *edge = json_array_get(json_object_get(object, "edges"), 0);
    ck_assert_int_eq(number(edge, "from"), 0);
    ck_assert_int_eq(number(edge, "to"), 1);
    ck_assert(json_is_false(json_object_get(edge, "synchronises")));
    ck_assert_str_eq(word(second, "step"), "acquire, \"work_group\"");
    ck_assert_int_eq(number(second, "line"), 11);
    json_decref(object);
}
END_TEST

static char *written(void (*write)(FILE *, const struct report *))
{
    static char *out;
    static size_t size;
    FILE *memory = open_memstream(&out, &size);
    write(memory, report);
    fclose(memory);
    return out;
}

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
            json_t *place = json_object_get(json_object_get(json_array_get(path, i), "location"), "physicalLocation");
            ck_assert_int_eq(number(json_object_get(place, "region"), "startLine"), lines[side][i]);
        }
    }
    ck_assert_ptr_nonnull(strstr(word(json_object_get(result, "message"), "text"), "Fix: memory_scope_device at mp.cl:8 and mp.cl:11 (verified)."));
    json_decref(result);
}
END_TEST

static char *fingerprint(const struct finding finding)
{
    report_clear(report);
    add(finding);
    json_t *result = first_result();
    char *print = strdup(word(json_object_get(result, "partialFingerprints"), "orrery/v1"));
    json_decref(result);
    return print;
}

START_TEST(fingerprints_outlive_edits_above)
{
    struct finding moved = overrun(30), other = overrun(3);
    moved.access[0].place.file = "elsewhere/a.cl";
    moved.access[0].place.text = "      out[i] = 1;";
    other.access[0].place.text = "out[i] = 2;";
    char *prints[3] = {fingerprint(overrun(3)), fingerprint(moved), fingerprint(other)};
    ck_assert_uint_eq(strlen(prints[0]), 16);
    ck_assert_str_eq(prints[0], prints[1]);
    ck_assert_str_ne(prints[0], prints[2]);
    for (int i = 0; i < 3; i++)
        free(prints[i]);
}
END_TEST

static const char golden_graph[] =
    "digraph orrery {\n"
    "  rankdir=TB\n"
    "  node [shape=box, fontname=\"monospace\"]\n"
    "  edge [fontname=\"sans-serif\"]\n"
    "  subgraph cluster_f1 {\n"
    "    label=\"1: race-global: two work-items access the same bytes and nothing orders them\"\n"
    "    subgraph cluster_f1_1 {\n"
    "      label=\"work-item (0,0,0), sub-group 0, work-group (0,0,0), compute unit 0\"\n"
    "      f1_access0 [penwidth=2, label=\"mp.cl:7:11\\ldata[0] = 42;\\lplain store, 4 bytes\\l\"]\n"
    "      f1_step0 [style=rounded, label=\"mp.cl:8:5\\latomic_store(...)\\lrelease, work_group\\l\"]\n"
    "    }\n"
    "    f1_access0 -> f1_step0\n"
    "    subgraph cluster_f1_2 {\n"
    "      label=\"somebody, work-item (64,0,0), sub-group 0, work-group (1,0,0), compute unit 1\"\n"
    "      f1_step1 [style=rounded, label=\"mp.cl:11:9\\latomic_load(...)\\lacquire, \\\"work_group\\\"\\l\"]\n"
    "      f1_access1 [penwidth=2, label=\"mp.cl:12:13\\lout[0] = data[0];\\lplain load, 4 bytes, read 42\\l\"]\n"
    "    }\n"
    "    f1_step1 -> f1_access1\n"
    "    f1_step0 -> f1_step1 [constraint=false, color=red, style=dashed, label=\"does not synchronise with\"]\n"
    "    f1_access0 -> f1_access1 [dir=none, constraint=false, color=red, style=dashed, label=\"not ordered\"]\n"
    "  }\n"
    "}\n";

START_TEST(the_graph_has_orders_and_the_missing_edge)
{
    add(race_with_steps());
    add((struct finding){.kind = FINDING_API_ERROR, .why = "no place, no box"});
    char *out = written(report_write_dot);
    ck_assert_str_eq(out, golden_graph);
    free(out);
}
END_TEST

START_TEST(json_survives_hostile_text)
{
    struct finding finding = overrun(1);
    finding.access[0].place.text = "a \"quoted\" \\ \xff\xfe \n tab\t";
    finding.kernel = "k\x80";
    json_t *object = as_json(&finding);
    ck_assert_str_eq(word(object, "kernel"), "k?");
    ck_assert_ptr_nonnull(strstr(word(json_array_get(json_object_get(object, "accesses"), 0), "text"), "a \"quoted\" \\ ?? \n tab\t"));
    ck_assert_ptr_null(json_object_get(object, "fix"));
    json_decref(object);
}
END_TEST

/* ---- de-duplication, limits, severities ---------------------------------------------------- */

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

START_TEST(what_differs_is_another_finding)
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

START_TEST(what_follows_names_its_cause)
{
    add(of_launch(FINDING_OUT_OF_BOUNDS_READ, 1, 3));
    add(of_launch(FINDING_BARRIER_DIVERGENCE, 1, 4));
    add(of_launch(FINDING_RACE_LOCAL, 1, 5));
    ck_assert_ptr_null(report_get(report, 0)->cause);
    ck_assert_ptr_eq(report_get(report, 1)->cause, report_get(report, 0));
    ck_assert_ptr_eq(report_get(report, 2)->cause, report_get(report, 1));
    ck_assert_ptr_nonnull(strstr(so_far(), "\n  note  may follow from out-of-bounds-read at a.cl:3:5, told before\n"));
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

static struct finding race_that_blames(uint32_t launch, uint32_t line, uint32_t blamed, uint32_t other)
{
    struct finding finding = of_launch(FINDING_RACE_GLOBAL, launch, line);
    finding.blamed[0] = (struct source_place){"a.cl", blamed, 5, NULL};
    finding.blamed[1] = (struct source_place){"a.cl", other, 5, NULL};
    finding.blamed_count = 2;
    return finding;
}

START_TEST(races_that_blame_one_operation_follow_from_the_first)
{
    add(race_that_blames(1, 3, 20, 21));
    add(race_that_blames(1, 4, 21, 22));
    add(race_that_blames(1, 5, 22, 23)); /* by way of the second */
    add(race_that_blames(1, 6, 30, 31)); /* another mistake */
    add(race_that_blames(2, 7, 20, 21)); /* another launch */
    add(race_that_blames(1, 8, 0, 0));   /* nobody knows where */
    add(race_that_blames(1, 9, 0, 0));
    ck_assert_ptr_eq(report_get(report, 1)->cause, report_get(report, 0));
    ck_assert_ptr_eq(report_get(report, 2)->cause, report_get(report, 0));
    for (size_t i = 3; i < report_count(report); i++)
        ck_assert_ptr_null(report_get(report, i)->cause);
}
END_TEST

START_TEST(what_does_not_follow_stands_alone)
{
    add(of_launch(FINDING_OUT_OF_BOUNDS_READ, 1, 3));
    add(of_launch(FINDING_BARRIER_DIVERGENCE, 2, 4));   /* another launch */
    add(of_launch(FINDING_RACE_GLOBAL, 1, 5));          /* who stopped early orders no less */
    add(of_launch(FINDING_MAPPED_ACCESS, 3, 6));        /* stops nobody */
    add(of_launch(FINDING_UNINITIALISED_STORE, 3, 7));
    add(of_launch(FINDING_OUT_OF_BOUNDS_WRITE, 0, 8));  /* launch unknown */
    add(of_launch(FINDING_UNINITIALISED_STORE, 0, 9));
    for (size_t i = 0; i < report_count(report); i++)
        ck_assert_ptr_null(report_get(report, i)->cause);
    ck_assert_ptr_null(strstr(so_far(), "note"));
}
END_TEST

/* ---- suppressions ---------------------------------------------------------------------------- */

static void suppress(const char *yaml)
{
    struct diagnosis diagnosis = {0};
    char whole[1000];
    struct scenario loaded;
    snprintf(whole, sizeof whole, "orrery: 1\nsuppressions:\n%s", yaml);
    ck_assert_msg(scenario_load_text(&loaded, whole, "s.yaml", &diagnosis) == STATUS_OK, "%s", diagnosis.text);
    free(scenario.suppressions);
    scenario.suppressions = loaded.suppressions;
    scenario.suppression_count = loaded.suppression_count;
    loaded.suppressions = NULL;
    loaded.suppression_count = 0;
    scenario_fini(&loaded);
}

START_TEST(the_suppressed_are_counted_and_silent)
{
    suppress("  - {id: out-of-bounds-write, line: 3}\n  - {id: race-global, kernel: other, reason: benign}\n");
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
    ck_assert_str_eq(summary(1), "orrery: SUMMARY errors=2 warnings=0 suppressed=1 kernels=1 seed=0 schedule=lockstep\n");
    ck_assert_str_eq(the_end(), "orrery: suppression not used: s.yaml:4\n");
}
END_TEST

static struct finding race_on(const char *object)
{
    struct finding finding = race();
    finding.object = object;
    return finding;
}

/* Of one pair of places, whichever object came first. */
START_TEST(the_suppressed_take_nobody_along)
{
    const struct finding known = race_on("argument 1 'q' (buffer, 4 bytes)"), other = race_on("argument 0 'p' (buffer, 4 bytes)");
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
        ck_assert(!report_suppressed_get(report, 0)->fix_partial && report_suppressed_get(report, 0)->count_at_least);
    }
    ck_assert(report_suppresses_objects(report) && report_suppresses(report, &known) && !report_suppresses(report, &other));
}
END_TEST

START_TEST(each_key_of_a_suppression_narrows)
{
    static const struct { const char *keys; bool fits; } cases[] = {
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
    ck_assert_ptr_nonnull(strstr(yaml, "- {id: race-global, kernel: \"mp\", file: \"mp.cl\", line: 7, "
                                       "object: \"argument 0 'data' (buffer, 8 bytes)\"}\n"));
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

/* An entry fits a finding with either of its places: what another one has said already stays out. */
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
    struct finding finding = {.kind = FINDING_RACE_COMMANDS, .object = "buffer 1 (256 bytes)", .access_count = 2};
    for (int i = 0; i < 2; i++)
        finding.access[i] = (struct finding_access){.kind = ACCESS_WRITE, .what = "write by clEnqueueFillBuffer"};
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
        finding.access[i].place = (struct source_place){"main.c", 9, 5, NULL}; /* one line is one mistake */
    add(finding);
    finding.object = "buffer 3 (512 bytes)";
    add(finding);
    ck_assert_uint_eq(report_count(report), 3);
    finding = (struct finding){.kind = FINDING_LEAKED_OBJECT, .object = "event 1", .access_count = 1, .access = {{.what = "clEnqueueFillBuffer"}}};
    add(finding);
    finding.object = "event 2"; /* so is one call in a loop */
    add(finding);
    ck_assert_uint_eq(report_count(report), 4);
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
    add(finding);
    memset(file, '#', 4);
    memset(line, '#', 4);
    kernel[0] = why[0] = '#';
    const struct finding *kept = report_get(report, 0);
    ck_assert_str_eq(kept->access[0].place.file, "a.cl");
    ck_assert_str_eq(kept->access[0].place.text, "x = 1;");
    ck_assert_str_eq(kept->kernel, "k");
    ck_assert_str_eq(kept->why, "why");
}
END_TEST

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

START_TEST(severity_comes_from_the_check)
{
    scenario.checks[CHECK_BOUNDS] = SEVERITY_WARNING;
    scenario.checks[CHECK_RACES] = SEVERITY_OFF;
    struct finding finding = overrun(1);
    finding.severity = SEVERITY_ERROR; /* the report knows better */
    add(finding);
    add(race());
    ck_assert_uint_eq(report_count(report), 1);
    ck_assert_int_eq(report_get(report, 0)->severity, SEVERITY_WARNING);
    ck_assert_uint_eq(report_total(report, SEVERITY_ERROR), 0);
    ck_assert_uint_eq(report_total(report, SEVERITY_WARNING), 1);
    ck_assert_ptr_nonnull(strstr(so_far(), "orrery: warning: out-of-bounds-write: "));
}
END_TEST

/* ---- summary ------------------------------------------------------------------------------ */

START_TEST(the_summary_is_one_fixed_line)
{
    ck_assert_str_eq(summary(0), "orrery: SUMMARY errors=0 warnings=0 suppressed=0 kernels=0 seed=0 schedule=lockstep\n");
    scenario.checks[CHECK_RACES] = SEVERITY_WARNING;
    scenario.schedule.seed = 7;
    scenario.schedule.policy = SCHEDULE_RANDOM;
    scenario.max_findings = 1;
    add(overrun(1));
    add(overrun(1));
    add(overrun(2));
    add(race());
    ck_assert_str_eq(summary(4), "orrery: SUMMARY errors=2 warnings=1 suppressed=0 kernels=4 seed=7 schedule=random\n");
}
END_TEST

/* What was verified is what was told; later pairs of the two places may want more. */
START_TEST(a_fix_may_not_be_enough_for_later_pairs)
{
    struct finding finding = race();
    finding.offset_bytes = 12;
    finding.common_bytes = 2; /* of accesses of 4 bytes */
    add(finding);
    ck_assert_ptr_nonnull(strstr(so_far(), ", bytes 12..13\n"));
    ck_assert_ptr_nonnull(strstr(so_far(), "(verified: these two accesses then race no more)"));
    report_again(report, &finding, 3);
    report_not_covered(report, &finding);
    ck_assert_str_eq(the_end(), "orrery: also 3 more race-global at mp.cl:7:11; the fix is not enough for all of them\n");
    json_t *object = as_json(report_get(report, 0));
    ck_assert_int_eq(number(object, "length_bytes"), 2);
    ck_assert(json_is_true(json_object_get(object, "fix_partial")));
    json_decref(object);
}
END_TEST

START_TEST(what_comes_too_often_is_counted_no_more)
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

START_TEST(what_is_incomplete_says_at_least)
{
    add(race());
    report_incomplete(report, FINDING_RACE_GLOBAL);
    ck_assert_str_eq(the_end(), "orrery: at least so many race-global: too many places raced in one word, or in too many words, to keep all\n");
    ck_assert_str_eq(summary(1), "orrery: SUMMARY errors=1 warnings=0 suppressed=0 kernels=1 seed=0 schedule=lockstep count=at-least\n");
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

START_TEST(the_limit_hides_nothing)
{
    scenario.max_findings = 2;
    for (uint32_t i = 1; i <= 5; i++) {
        add(overrun(i));
        add(overrun(i));
    }
    ck_assert_str_eq(the_end(), "orrery: also 1 more out-of-bounds-write at a.cl:1:5\n"
                                "orrery: also 1 more out-of-bounds-write at a.cl:2:5\n"
                                "orrery: 3 more out-of-bounds-write elsewhere, not printed: --max-errors=2\n");
    ck_assert_str_eq(summary(1), "orrery: SUMMARY errors=5 warnings=0 suppressed=0 kernels=1 seed=0 schedule=lockstep\n");
}
END_TEST

START_TEST(clear_forgets_all)
{
    scenario.max_findings = 1;
    add(overrun(1));
    add(overrun(2));
    report_clear(report);
    ck_assert_uint_eq(report_count(report), 0);
    ck_assert_str_eq(summary(1), "orrery: SUMMARY errors=0 warnings=0 suppressed=0 kernels=1 seed=0 schedule=lockstep\n");
    add(overrun(2));
    ck_assert_uint_eq(report_get(report, 0)->count, 1);
    ck_assert_uint_eq(blocks(), 2);
}
END_TEST

START_TEST(silence_collects)
{
    report_set_stream(report, NULL, false);
    add(overrun(1));
    ck_assert_uint_eq(report_count(report), 1);
    ck_assert_uint_eq(blocks(), 0);
}
END_TEST

START_TEST(ids_are_stable_and_distinct)
{
    enum finding_kind kind;
    for (int i = 0; i < FINDING_KIND_COUNT; i++) {
        ck_assert(finding_from_id(finding_id((enum finding_kind)i), &kind));
        ck_assert_int_eq(kind, i);
        ck_assert(*finding_sentence((enum finding_kind)i));
        ck_assert_msg(*finding_spec((enum finding_kind)i), "no specification for %s", finding_id((enum finding_kind)i));
        ck_assert_msg(strstr(finding_page((enum finding_kind)i), "Cure"), "no page for %s", finding_id((enum finding_kind)i));
    }
    ck_assert(!finding_from_id("no-such-finding", &kind));
    ck_assert_int_eq(finding_check(FINDING_RACE_LOCAL), CHECK_RACES);
    ck_assert_int_eq(finding_check(FINDING_UNINITIALISED_BRANCH), CHECK_UNINITIALISED);
    ck_assert_int_eq(finding_check(FINDING_NO_PROGRESS), CHECK_PROGRESS);
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

/* ---- devices ---------------------------------------------------------------------------------- */

START_TEST(one_device_is_not_named)
{
    report_name_device(report, 1, "device 0 'big'");
    report_launch_runs(report, 7, 1);
    struct finding finding = race();
    finding.launch = 7;
    report_add(report, &finding);
    ck_assert_ptr_null(report_get(report, 0)->access[0].device);
}
END_TEST

START_TEST(of_several_devices_each_access_names_its_own)
{
    report_name_device(report, 1, "device 0 'big'");
    report_name_device(report, 2, "sub-device 1 of device 0 'big'");
    report_launch_runs(report, 7, 2);
    struct finding finding = race();
    finding.launch = 7;
    finding.access[1].device_id = 1; /* said by who knows */
    report_add(report, &finding);
    fflush(stream);
    ck_assert_ptr_nonnull(strstr(text, "work-group (0,0,0), compute unit 0, sub-device 1 of device 0 'big'\n"));
    ck_assert_ptr_nonnull(strstr(text, "work-group (1,0,0), compute unit 1, device 0 'big'\n"));
    char *json = NULL;
    size_t size;
    FILE *lines = open_memstream(&json, &size);
    report_write_json(lines, report_get(report, 0));
    fclose(lines);
    ck_assert_ptr_nonnull(strstr(json, "\"device\":\"sub-device 1 of device 0 'big'\""));
    free(json);
    lines = open_memstream(&json, &size);
    report_write_sarif(lines, report, &(struct report_end){0, 0});
    fclose(lines);
    ck_assert_ptr_nonnull(strstr(json, "sub-device 1 of device 0 'big'"));
    free(json);
}
END_TEST

/* 512 launches later nobody knows any more who ran it. */
START_TEST(a_launch_that_is_forgotten_names_no_device)
{
    report_name_device(report, 1, "device 0");
    report_name_device(report, 2, "device 1");
    report_launch_runs(report, 7, 2);
    report_launch_runs(report, 7 + 512, 1);
    struct finding finding = race();
    finding.launch = 7;
    report_add(report, &finding);
    ck_assert_ptr_null(report_get(report, 0)->access[0].device);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_finding_reads_as_designed, an_update_reads_and_writes, repeats_are_counted_in_the_text, missing_parts_leave_no_holes, colour_is_only_in_the_first_line,
        source_cannot_command_a_terminal, long_lines_are_cut_around_the_column, paragraphs_wrap_at_words, json_has_every_field, json_has_what_an_update_wrote, json_has_steps_and_causes, sarif_has_both_paths,
        fingerprints_outlive_edits_above, the_graph_has_orders_and_the_missing_edge, json_survives_hostile_text,
        one_place_is_one_finding, who_is_no_work_item_has_a_name, a_pair_has_no_order, many_may_arrive_at_once, what_follows_names_its_cause, races_that_blame_one_operation_follow_from_the_first,
        races_follow_from_any_barrier_that_not_all_shared,
        what_does_not_follow_stands_alone, the_suppressed_are_counted_and_silent, the_suppressed_take_nobody_along, each_key_of_a_suppression_narrows,
        a_file_in_a_directory_fits_by_its_name, generated_suppressions_suppress, generated_suppressions_are_all_used, a_finding_is_one_write, the_limit_hides_nothing, what_differs_is_another_finding, both_places_of_a_pair_count, without_places_the_words_decide, commands_without_a_line_are_one_place_of_one_object,
        order_is_that_of_first_occurrence, everything_is_copied, the_limit_is_per_kind, limit_zero_is_no_limit,
        severity_comes_from_the_check, the_summary_is_one_fixed_line, repeats_get_a_line_each, what_comes_too_often_is_counted_no_more, what_is_incomplete_says_at_least, a_fix_may_not_be_enough_for_later_pairs, clear_forgets_all, silence_collects,
        ids_are_stable_and_distinct, threads_may_add_at_once,
        one_device_is_not_named, of_several_devices_each_access_names_its_own, a_launch_that_is_forgotten_names_no_device,
    };
    Suite *suite = suite_create("report");
    TCase *tcase = tcase_create("report");
    tcase_add_checked_fixture(tcase, setup, teardown);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
