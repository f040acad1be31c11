/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a scenario as YAML that parses back to the same scenario: rows of scenario.def by section, then
 * launches, expectations, script and faults. */
#include "orrery/scenario.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scenario_image.h"
#include "sim/base/scenario_rows.h"

/* "key: value", malloc'd; NULL: nothing to print, or out of memory. */
static char *row_text(const struct scenario *scenario, const struct scenario_row *row)
{
    char *text = NULL;
    size_t size = 0;
    FILE *line = open_memstream(&text, &size);
    if (!line)
        return NULL;
    const bool present = scenario_row_print(scenario, row, line);
    fclose(line);
    if (present)
        return text;
    free(text);
    return NULL;
}

enum sorts { ALL_ROWS, TEXTS, NO_TEXTS };

/* Returns how many were printed. */
static size_t print_sorts(const struct scenario *scenario, const char *section, enum sorts sorts, int indent,
                          FILE *stream)
{
    const struct scenario_row *row;
    size_t printed = 0;
    for (size_t i = 0; (row = scenario_row(i)) != NULL; i++) {
        const bool wanted = sorts == ALL_ROWS || (sorts == TEXTS) == scenario_row_is_text(row);
        char *text = wanted && strcmp(row->section, section) == 0 ? row_text(scenario, row) : NULL;
        if (text)
            fprintf(stream, "%*s%s\n", indent, "", text);
        printed += text != NULL;
        free(text);
    }
    return printed;
}

static void print_rows(const struct scenario *scenario, const char *section, int indent, FILE *stream)
{
    print_sorts(scenario, section, ALL_ROWS, indent, stream);
}

static const char *element(const struct value_list *values, size_t index)
{
    return (const char *)values->data + index * value_type_size(values->type);
}

static bool all_equal(const struct value_list *values)
{
    for (size_t i = 1; i < values->count; i++) {
        if (memcmp(element(values, 0), element(values, i), value_type_size(values->type)) != 0)
            return false;
    }
    return true;
}

static void print_list(const struct value_list *values, FILE *stream)
{
    fputc('[', stream);
    for (size_t i = 0; i < values->count; i++) {
        fputs(i ? ", " : "", stream);
        value_print(element(values, i), values->type, stream);
    }
    fputc(']', stream);
}

/* Equal values are printed as a fill: a buffer of a million zeros takes one line. */
static void print_contents(const struct value_list *values, FILE *stream)
{
    fprintf(stream, "type: %s, ", value_type_name(values->type));
    if (values->count > 1 && all_equal(values)) {
        fprintf(stream, "count: %zu, fill: ", values->count);
        value_print(values->data, values->type, stream);
        return;
    }
    fputs("values: ", stream);
    print_list(values, stream);
}

static void print_access(const struct scenario_arg *arg, FILE *stream)
{
    if (arg->read_only || arg->write_only)
        fprintf(stream, ", access: %s", arg->read_only ? "read" : "write");
    fputc('}', stream);
}

static void print_buffer(const struct scenario_arg *arg, FILE *stream)
{
    if (!arg->values.data) {
        fputs("buffer: null", stream);
        return;
    }
    fputs("buffer: {", stream);
    if (arg->uninitialised)
        fprintf(stream, "type: %s, count: %zu", value_type_name(arg->values.type), arg->values.count);
    else
        print_contents(&arg->values, stream);
    for (size_t i = 0; i < arg->unwritten_count; i++)
        fprintf(stream, "%s%" PRIu64 "..%" PRIu64 "%s", i ? ", " : ", unwritten: [", arg->unwritten[i].low,
                arg->unwritten[i].high - 1, i + 1 == arg->unwritten_count ? "]" : "");
    print_access(arg, stream);
}

static void print_image(const struct scenario_arg *arg, FILE *stream)
{
    fputs("image: {", stream);
    scenario_image_print(&arg->image, stream);
    if (!arg->uninitialised && all_equal(&arg->values)) {
        fputs(", fill: ", stream);
        value_print(arg->values.data, arg->values.type, stream);
    } else if (!arg->uninitialised) {
        fputs(", values: ", stream);
        print_list(&arg->values, stream);
    }
    print_access(arg, stream);
}

static void print_arg(const struct scenario_arg *arg, FILE *stream)
{
    fputs("      - {", stream);
    if (arg->same_as) {
        fputs("same: ", stream);
        scenario_print_quoted(arg->same_as, stream);
    } else if (arg->kind == SCENARIO_ARG_BUFFER) {
        print_buffer(arg, stream);
    } else if (arg->kind == SCENARIO_ARG_IMAGE) {
        print_image(arg, stream);
    } else if (arg->kind == SCENARIO_ARG_SAMPLER) {
        fputs("sampler: {", stream);
        scenario_sampler_print(arg->sampler, stream);
        fputs("}", stream);
    } else if (arg->kind == SCENARIO_ARG_QUEUE) {
        fprintf(stream, "queue: %s", arg->own_queue ? "own" : "default");
    } else if (arg->kind == SCENARIO_ARG_LOCAL) {
        fprintf(stream, "local: %zu", arg->local_bytes);
    } else {
        fprintf(stream, "scalar: {type: %s, value: ", value_type_name(arg->values.type));
        print_list(&arg->values, stream);
        fputc('}', stream);
    }
    if (arg->offset_bytes)
        fprintf(stream, ", offset: %" PRIu64, arg->offset_bytes);
    if (arg->part_bytes)
        fprintf(stream, ", bytes: %" PRIu64, arg->part_bytes);
    if (arg->name) {
        fputs(", name: ", stream);
        scenario_print_quoted(arg->name, stream);
    }
    fputs("}\n", stream);
}

static void print_range(const char *key, const uint64_t *range, uint32_t dimensions, FILE *stream)
{
    fprintf(stream, "    %s: [", key);
    for (uint32_t i = 0; i < dimensions; i++)
        fprintf(stream, "%s%" PRIu64, i ? ", " : "", range[i]);
    fputs("]\n", stream);
}

static void print_launch(const struct scenario_launch *launch, FILE *stream)
{
    fputs("  - kernel: ", stream);
    scenario_print_quoted(launch->kernel, stream);
    fputc('\n', stream);
    if (launch->device) {
        fputs("    device: ", stream);
        scenario_print_quoted(launch->device, stream);
        fputc('\n', stream);
    }
    if (launch->concurrent)
        fputs("    concurrent: true\n", stream);
    print_range("global", launch->global, launch->work_dim, stream);
    print_range("local", launch->local, launch->work_dim, stream);
    print_range("offset", launch->offset, launch->work_dim, stream);
    if (launch->arg_count)
        fputs("    args:\n", stream);
    for (size_t i = 0; i < launch->arg_count; i++)
        print_arg(&launch->args[i], stream);
}

static void print_text(const char *key, const char *text, FILE *stream)
{
    if (!text)
        return;
    fprintf(stream, ", %s: ", key);
    scenario_print_quoted(text, stream);
}

static void print_expected_finding(const struct expect_finding *finding, FILE *stream)
{
    fputs("    - {id: ", stream);
    scenario_print_quoted(finding->id, stream);
    if (finding->line)
        fprintf(stream, ", line: %" PRIu32, finding->line);
    print_text("kernel", finding->kernel, stream);
    print_text("why", finding->why, stream);
    print_text("fix", finding->fix, stream);
    if (finding->has_follows)
        fprintf(stream, ", follows: %" PRIu32, finding->follows);
    if (finding->has_enough)
        fprintf(stream, ", enough: %s", finding->enough ? "true" : "false");
    fputs("}\n", stream);
}

static void print_placement(const struct expect_placement *placement, FILE *stream)
{
    fprintf(stream, "    - {launch: %" PRIu32 ", units: [", placement->launch);
    for (uint32_t i = 0; i < placement->units.count; i++)
        fprintf(stream, "%s%" PRIu32, i ? ", " : "", placement->units.units[i]);
    fputs("]}\n", stream);
}

static void print_expected_counter(const struct expect_counter *counter, FILE *stream)
{
    fputs("    ", stream);
    expect_counter_print_name(counter, stream);
    fprintf(stream, ": \"%s%" PRIu64 "\"\n", comparison_sign(counter->comparison), counter->value);
}

static void print_expect(const struct scenario *scenario, FILE *stream)
{
    const struct scenario_expect *expect = &scenario->expect;
    if (!expect->present)
        return;
    fputs("expect:\n", stream);
    print_rows(scenario, "expect", 2, stream);
    fputs(expect->finding_count ? "  findings:\n" : "  findings: []\n", stream);
    for (size_t i = 0; i < expect->finding_count; i++)
        print_expected_finding(&expect->findings[i], stream);
    if (expect->buffer_count)
        fputs("  buffers:\n", stream);
    for (size_t i = 0; i < expect->buffer_count; i++) {
        const struct expect_buffer *buffer = &expect->buffers[i];
        fprintf(stream, "    - {launch: %" PRIu32 ", arg: %" PRIu32 ", ", buffer->launch, buffer->arg);
        print_contents(&buffer->values, stream);
        fputs("}\n", stream);
    }
    if (expect->placement_count)
        fputs("  placement:\n", stream);
    for (size_t i = 0; i < expect->placement_count; i++)
        print_placement(&expect->placements[i], stream);
    if (expect->counter_count)
        fputs("  counters:\n", stream);
    for (size_t i = 0; i < expect->counter_count; i++)
        print_expected_counter(&expect->counters[i], stream);
}

static void print_suppression(const struct suppression *suppression, FILE *stream)
{
    fputs("  - {id: ", stream);
    scenario_print_quoted(suppression->id, stream);
    print_text("kernel", suppression->kernel, stream);
    print_text("file", suppression->file, stream);
    if (suppression->line)
        fprintf(stream, ", line: %" PRIu32, suppression->line);
    print_text("object", suppression->object, stream);
    print_text("reason", suppression->reason, stream);
    fputs("}\n", stream);
}

static void print_loss(const struct scenario_fault *fault, FILE *stream)
{
    fprintf(stream, "  - {lose_device: %" PRIu32, fault->command);
    print_text("device", fault->device, stream);
    fputs("}\n", stream);
}

static void print_fault(const struct scenario_fault *fault, FILE *stream)
{
    if (fault->kind == SCENARIO_FAULT_LOSE_DEVICE)
        print_loss(fault, stream);
    else if (fault->kind == SCENARIO_FAULT_DELAY)
        fprintf(stream, "  - {delay: %" PRIu64 ", command: %" PRIu32 "}\n", fault->delay, fault->command);
    else
        fprintf(stream, "  - {fail: %s, nth: %" PRIu32 ", times: %" PRIu32 ", error: %s}\n", fault->call,
                fault->nth, fault->times, scenario_api_error_name(fault->error));
}

static void print_section(const struct scenario *scenario, const char *title, const char *section, int indent,
                          FILE *stream)
{
    fprintf(stream, "%*s%s:\n", indent - 2, "", title);
    print_rows(scenario, section, indent, stream);
}

static void print_device(const struct scenario *scenario, enum sorts sorts, int indent, FILE *stream)
{
    print_sorts(scenario, "device", sorts, indent, stream);
    print_section(scenario, "limits", "device.limits", indent + 2, stream);
    print_section(scenario, "features", "device.features", indent + 2, stream);
}

/* device: describes the first device, and what others have where they say nothing else. Of texts they may
 * have none, so that the first device's own stand in the first item of devices:. */
static void print_devices(const struct scenario *scenario, FILE *stream)
{
    fputs("device:\n", stream);
    print_device(scenario, scenario->other_device_count ? NO_TEXTS : ALL_ROWS, 2, stream);
    if (!scenario->other_device_count)
        return;
    fputs("devices:\n  -\n", stream);
    if (!print_sorts(scenario, "device", TEXTS, 4, stream))
        fputs("    {}\n", stream);
    for (uint32_t i = 0; i < scenario->other_device_count; i++) {
        struct scenario view = *scenario;
        scenario_swap_device(&view, i);
        fputs("  -\n", stream);
        print_device(&view, ALL_ROWS, 4, stream);
    }
}

static void print_line(const struct script_step *step, FILE *stream)
{
    char *place = NULL;
    fputs("until: {line: ", stream);
    if (!step->file)
        fprintf(stream, "%" PRIu32, step->line);
    else if (asprintf(&place, "%s:%" PRIu32, step->file, step->line) >= 0)
        scenario_print_quoted(place, stream);
    free(place);
    fprintf(stream, ", visit: %" PRIu64 "}", step->count);
}

static void print_until(const struct script_step *step, FILE *stream)
{
    static const char *const words[] = {
        [SCRIPT_BARRIER] = "barrier", [SCRIPT_ATOMIC] = "atomic", [SCRIPT_END] = "end"};
    if (step->until == SCRIPT_STEPS)
        fprintf(stream, "steps: %" PRIu64, step->count);
    else if (step->until == SCRIPT_LINE)
        print_line(step, stream);
    else
        fprintf(stream, "until: %s", words[step->until]);
}

static void print_script(const struct schedule_config *schedule, FILE *stream)
{
    if (schedule->script)
        fputs(schedule->script_count ? "  script:\n" : "  script: []\n", stream);
    for (size_t i = 0; i < schedule->script_count; i++) {
        const struct script_step *step = &schedule->script[i];
        fprintf(stream, "    - {%s: [%" PRIu64 ", %" PRIu64 ", %" PRIu64 "], ",
                step->unit == SCRIPT_ITEM ? "item" : "group", step->id[0], step->id[1], step->id[2]);
        if (step->unit == SCRIPT_SUB_GROUP)
            fprintf(stream, "sub_group: %" PRIu32 ", ", step->sub_group);
        if (step->launch != 1)
            fprintf(stream, "launch: %" PRIu32 ", ", step->launch);
        print_until(step, stream);
        fputs("}\n", stream);
    }
}

/* Settings of the report, which say nothing about the run. */
static bool of_report(const struct scenario_row *row)
{
    return row->type == ROW_FIXES || strcmp(row->key, "values") == 0;
}

/* Prints the rows whose text differs from the default's. title: printed before the first of them; NULL:
 * none. */
static void print_changed(const struct scenario *scenario, const char *title, const char *section, int indent,
                          FILE *stream)
{
    const struct scenario_row *row;
    struct scenario plain;
    bool titled = false;
    scenario_default(&plain);
    for (size_t i = 0; (row = scenario_row(i)) != NULL; i++) {
        const bool mine = strcmp(row->section, section) == 0 && !of_report(row);
        char *text = mine ? row_text(scenario, row) : NULL, *usual = mine ? row_text(&plain, row) : NULL;
        if (text && (!usual || strcmp(text, usual) != 0)) {
            if (title && !titled)
                fprintf(stream, "%*s%s:\n", indent - 2, "", title);
            fprintf(stream, "%*s%s\n", indent, "", text);
            titled = true;
        }
        free(text);
        free(usual);
    }
    scenario_fini(&plain);
}

static void print_changed_device(const struct scenario *scenario, FILE *stream)
{
    char *text = NULL;
    size_t size = 0;
    FILE *rows = open_memstream(&text, &size);
    if (!rows)
        return;
    print_changed(scenario, NULL, "device", 2, rows);
    print_changed(scenario, "limits", "device.limits", 4, rows);
    print_changed(scenario, "features", "device.features", 4, rows);
    fclose(rows);
    if (size)
        fprintf(stream, "device:\n%s", text);
    free(text);
}

void scenario_print_settings(const struct scenario *scenario, uint32_t first_launch, FILE *stream)
{
    struct plain_locale locale = value_locale_begin();
    struct scenario numbered = *scenario; /* borrows from the scenario */
    numbered.schedule.first_launch = first_launch;
    if (scenario->other_device_count)
        print_devices(scenario, stream);
    else
        print_changed_device(scenario, stream);
    print_changed(&numbered, "schedule", "schedule", 2, stream);
    print_script(&scenario->schedule, stream);
    print_changed(scenario, "checks", "checks", 2, stream);
    value_locale_end(locale);
}

void scenario_print(const struct scenario *scenario, FILE *stream)
{
    struct plain_locale locale = value_locale_begin();
    const struct scenario_program *program = &scenario->program;
    fputs("orrery: 1\n", stream);
    print_rows(scenario, "", 0, stream);
    print_devices(scenario, stream);
    print_section(scenario, "schedule", "schedule", 2, stream);
    print_script(&scenario->schedule, stream);
    print_section(scenario, "checks", "checks", 2, stream);
    print_section(scenario, "report", "report", 2, stream);
    if (scenario->suppression_count)
        fputs("suppressions:\n", stream);
    for (size_t i = 0; i < scenario->suppression_count; i++)
        print_suppression(&scenario->suppressions[i], stream);
    if (scenario->fault_count)
        fputs("faults:\n", stream);
    for (size_t i = 0; i < scenario->fault_count; i++)
        print_fault(&scenario->faults[i], stream);
    if (program->source_file || program->source_text || program->spirv_file)
        print_section(scenario, "program", "program", 2, stream);
    if (scenario->launch_count)
        fputs("launch:\n", stream);
    for (size_t i = 0; i < scenario->launch_count; i++)
        print_launch(&scenario->launches[i], stream);
    print_expect(scenario, stream);
    value_locale_end(locale);
}
