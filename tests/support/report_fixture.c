/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A report of its own for each test, with every check an error, which prints into memory; findings of each
 * kind to be put in, and what was printed as text.
 */
#include "report_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "fail_at.h"
#include "tests/support/run_tests.h"

struct scenario scenario;
struct report *report;

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

struct finding race(void)
{
    struct finding finding = {
        .kind = FINDING_RACE_GLOBAL,
        .kernel = "mp",
        .object = "argument 0 'data' (buffer, 8 bytes)",
        .has_offset = true,
        .access_count = 2,
        .access =
            {
                {.place = {.file = "mp.cl", .line = 7, .column = 11, .text = "    data[0] = 42;"},
                 .kind = ACCESS_WRITE,
                 .has_item = true,
                 .size_bytes = 4,
                 .what = "plain store"},
                {.place = {.file = "mp.cl", .line = 12, .column = 13, .text = "\tout[0] = data[0];\r\n"},
                 .kind = ACCESS_READ,
                 .has_item = true,
                 .item = {.global_id = {64, 0, 0}, .group_id = {1, 0, 0}, .compute_unit = 1},
                 .size_bytes = 4,
                 .has_value = true,
                 .value = 42,
                 .what = "plain load"},
            },
        .why = "the release at mp.cl:8 has memory_scope_work_group: it reaches work-group (0,0,0) only, and "
               "the acquire at mp.cl:11 "
               "that read its value is in work-group (1,0,0)",
        .fix = "memory_scope_device at mp.cl:8 and mp.cl:11",
        .fix_orders = true,
        .fix_trial = TRIAL_HOLDS,
        .spec = "OpenCL 2.2 API, 3.3.5 inclusive scope; 3.3.6 data race",
    };
    return finding;
}

struct finding overrun(uint32_t line)
{
    struct finding finding = {
        .kind = FINDING_OUT_OF_BOUNDS_WRITE,
        .kernel = "k",
        .access_count = 1,
        .access = {{.place = {.file = "a.cl", .line = line, .column = 5, .text = "out[i] = 1;"},
                    .kind = ACCESS_WRITE,
                    .has_item = true,
                    .size_bytes = 1}},
        .why = "1 byte past the end of argument 0",
    };
    return finding;
}

struct finding of_launch(enum finding_kind kind, uint32_t launch, uint32_t line)
{
    struct finding finding = overrun(line);
    finding.kind = kind;
    finding.launch = launch;
    return finding;
}

struct finding race_with_update(void)
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

struct finding race_with_steps(void)
{
    static const struct finding_step steps[] = {
        {.side = 0,
         .place = {.file = "mp.cl", .line = 8, .column = 5, .text = "atomic_store(...)"},
         .text = "release, work_group"},
        {.side = 1,
         .before = true,
         .place = {.file = "mp.cl", .line = 11, .column = 9, .text = "atomic_load(...)"},
         .text = "acquire, \"work_group\""},
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

const char *so_far(void)
{
    fflush(stream);
    return text;
}

void add(const struct finding finding)
{
    report_add(report, &finding);
}

const char *summary(uint64_t kernels)
{
    static char line[300];
    FILE *memory = fmemopen(line, sizeof line, "w");
    report_summary(memory, report, kernels);
    fclose(memory);
    return line;
}

const char *the_end(void)
{
    static char lines[1000];
    memset(lines, 0, sizeof lines);
    FILE *memory = fmemopen(lines, sizeof lines, "w");
    scenario.quiet = true;
    report_finish(memory, report, 0);
    fclose(memory);
    return lines;
}

json_t *as_json_at(const char *file, int line, const struct finding *finding)
{
    char *out = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&out, &size);
    report_write_json(memory, finding);
    fclose(memory);
    json_t *object = json_loads(out, 0, NULL);
    if (strchr(out, '\n') != out + size - 1 || !object)
        fail_at(file, line, "found '%s', expected one line of JSON", out);
    free(out);
    return object;
}

const char *word(json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "(absent)";
}

json_int_t number(json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

char *written(void (*write)(FILE *, const struct report *))
{
    static char *out;
    static size_t size;
    FILE *memory = open_memstream(&out, &size);
    write(memory, report);
    fclose(memory);
    return out;
}

int report_tests(const char *name, const TTest *const *tests, size_t count)
{
    const double timeout_s = 60; /* reports of many megabytes, on a busy machine */
    return run_tests(name, tests, count, setup, teardown, timeout_s) ? EXIT_FAILURE : EXIT_SUCCESS;
}
