/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a scenario: device, program, memory, arguments, launches, results. The buffers of all launches are
 * allocated first, so that `same` can name an earlier argument. Findings are not printed until further runs
 * have tried values and fixes; each of these is a struct run of its own. */
#include "orrery/scenario_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/debug.h"
#include "sim/base/clock.h"
#include "scenario_fixes.h"
#include "scenario_values.h"
#include "scenario_launch.h"

/* ---- set-up --------------------------------------------------------------------------- */

static enum status build_failed(struct run *run, enum status status, const char *log)
{
    struct diagnosis cause = *run->diagnosis;
    *run->diagnosis = (struct diagnosis){0};
    size_t length = strlen(log);
    while (length && log[length - 1] == '\n')
        length--;
    return diagnose(run->diagnosis, status, "%s%s%.*s", cause.text, length ? "\n" : "", (int)length, log);
}

static enum status load_built(struct run *run, const struct built *built)
{
    const struct scenario_source *source = &built->source;
    const struct program_request request = {
        .words = built->spirv.words,
        .word_count = built->spirv.word_count,
        .source_name = source->name,
        .source_text = source->text,
        .module_name = source->text ? NULL : run->scenario->program.spirv_file,
        .compiled = source->text ? &source->compiled : NULL,
        .detailed_errors = source->detailed_errors,
        .uniform_groups = source->uniform_groups,
        .unoptimised = source->unoptimised,
    };
    return program_load(run->device, &request, &run->program, run->diagnosis);
}

static enum status load_program(struct run *run)
{
    struct built built;
    char *log;
    if (run->built)
        return load_built(run, run->built);
    enum status status = scenario_build(run->scenario, &built.spirv, &built.source, &log, run->diagnosis);
    status = status == STATUS_OK ? load_built(run, &built) : build_failed(run, status, log ? log : "");
    spirv_fini(&built.spirv);
    scenario_source_fini(&built.source);
    free(log);
    return status;
}

static enum status new_queue(struct run *run, uint32_t *out_queue)
{
    const struct device_queue_request wanted = {.size_bytes = DEVICE_QUEUE_PREFERRED_BYTES};
    return device_queue_new(run->device, &wanted, out_queue);
}

/* Writes the initial contents, except for the bytes that stay uninitialised. */
static enum status write_contents(struct run *run, const struct scenario_arg *arg, uint64_t address,
                                  uint64_t size)
{
    enum status status = STATUS_OK;
    uint64_t at = 0;
    for (size_t i = 0; i <= arg->unwritten_count && status == STATUS_OK; i++) {
        const uint64_t past = i < arg->unwritten_count ? arg->unwritten[i].low : size;
        if (past > at)
            status = device_write(run->device, ++run->commands, address + at,
                                  (const char *)arg->values.data + at, past - at);
        at = i < arg->unwritten_count ? arg->unwritten[i].high : size;
    }
    return status;
}

static enum status refuse_size(struct run *run, size_t launch, size_t index, size_t size)
{
    struct diagnosis cause = {0};
    const enum status status = diagnose(
        &cause, STATUS_BAD_SCENARIO,
        "launch %zu, argument %zu: found %zu bytes, expected at most the %" PRIu64 " of max_allocation",
        launch, index, size, run->scenario->device.max_allocation);
    return scenario_launch_refuse(run, launch, status, &cause);
}

static enum status allocate(struct run *run, size_t launch, size_t index, uint64_t *out_address)
{
    const struct scenario_arg *arg = run_arg(run, launch, index);
    char name[64];
    const bool image = arg->kind == SCENARIO_ARG_IMAGE;
    size_t size = arg->values.count * value_type_size(arg->values.type);
    uint32_t flags =
        (arg->read_only ? ALLOC_KERNEL_READ_ONLY : 0) | (arg->write_only ? ALLOC_KERNEL_WRITE_ONLY : 0);
    if (!size)
        return STATUS_OK;
    if (size > run->scenario->device.max_allocation)
        return refuse_size(run, launch, index, size);
    snprintf(name, sizeof name, "%s %" PRIu32, image ? "image" : "buffer", ++run->buffers);
    enum status status = device_alloc(run->device, size, 0, flags, arg->name ? arg->name : name, out_address);
    if (status == STATUS_OK && !arg->uninitialised)
        status = write_contents(run, arg, *out_address, size);
    return status;
}

/* The parser has checked that an earlier argument has the name. */
static uint64_t named_address(const struct run *run, const char *name)
{
    for (size_t l = 0; l < run->scenario->launch_count; l++) {
        for (size_t a = 0; a < run->scenario->launches[l].arg_count; a++) {
            const struct scenario_arg *arg = run_arg(run, l, a);
            if (arg == scenario_named_arg(run->scenario, name))
                return run->addresses[l][a];
        }
    }
    return 0;
}

static enum status find_queue(struct run *run, const struct scenario_arg *arg, uint64_t *out_number)
{
    uint32_t queue = run->queue;
    enum status status = arg->own_queue ? new_queue(run, &queue) : STATUS_OK;
    *out_number = queue;
    return status;
}

static enum status allocate_args(struct run *run, size_t launch)
{
    size_t count = run->scenario->launches[launch].arg_count;
    run->addresses[launch] = calloc(count + 1, sizeof **run->addresses);
    if (!run->addresses[launch])
        return STATUS_OUT_OF_MEMORY;
    enum status status = STATUS_OK;
    for (size_t a = 0; a < count && status == STATUS_OK; a++) {
        const struct scenario_arg *arg = run_arg(run, launch, a);
        if (arg->same_as)
            run->addresses[launch][a] = named_address(run, arg->same_as);
        else if (arg->kind == SCENARIO_ARG_BUFFER || arg->kind == SCENARIO_ARG_IMAGE)
            status = allocate(run, launch, a, &run->addresses[launch][a]);
        else if (arg->kind == SCENARIO_ARG_SAMPLER)
            run->addresses[launch][a] = arg->sampler;
        else if (arg->kind == SCENARIO_ARG_QUEUE)
            status = find_queue(run, arg, &run->addresses[launch][a]);
    }
    return status;
}

static enum status allocate_all(struct run *run)
{
    enum status status = STATUS_OK;
    run->addresses = calloc(run->scenario->launch_count + 1, sizeof *run->addresses);
    run->launch_commands = calloc(run->scenario->launch_count + 1, sizeof *run->launch_commands);
    if (!run->addresses || !run->launch_commands)
        return STATUS_OUT_OF_MEMORY;
    for (size_t l = 0; l < run->scenario->launch_count && status == STATUS_OK; l++)
        status = allocate_args(run, l);
    return status;
}

/* ---- results ---------------------------------------------------------------------------------------- */

static enum status read_back(struct run *run, const struct expect_buffer *expected,
                             struct value_list *out_values)
{
    uint64_t address = run->addresses[expected->launch][expected->arg], start = 0, size = 0;
    size_t bytes = expected->values.count * value_type_size(expected->values.type);
    out_values->type = expected->values.type;
    out_values->count = expected->values.count;
    out_values->data = calloc(1, bytes + 1);
    if (!out_values->data)
        return STATUS_OUT_OF_MEMORY;
    if (!device_allocation(run->device, address, &start, &size) || bytes > size)
        return diagnose(run->diagnosis, STATUS_BAD_SCENARIO,
                        "expect: %zu bytes of launch %" PRIu32 ", argument %" PRIu32 ", which has %" PRIu64,
                        bytes, expected->launch, expected->arg, size);
    return device_read(run->device, ++run->commands, address, out_values->data, bytes);
}

static enum status read_results(struct run *run, struct scenario_result *result)
{
    const struct scenario_expect *expect = &run->scenario->expect;
    enum status status = STATUS_OK;
    result->buffers = calloc(expect->buffer_count + 1, sizeof *result->buffers);
    if (!result->buffers)
        return STATUS_OUT_OF_MEMORY;
    for (size_t i = 0; i < expect->buffer_count && status == STATUS_OK; i++)
        status = read_back(run, &expect->buffers[i], &result->buffers[result->buffer_count++]);
    return status;
}

static enum status take_contents(struct run *run, size_t launch, size_t index)
{
    const struct scenario_arg *arg = run_arg(run, launch, index);
    struct value_list *values = &run->contents->values[run->contents->count++];
    const size_t bytes = arg->values.count * value_type_size(arg->values.type);
    const bool memory = arg->kind == SCENARIO_ARG_BUFFER || arg->kind == SCENARIO_ARG_IMAGE;
    *values = (struct value_list){.type = arg->values.type};
    if (arg->same_as || !memory || !bytes)
        return STATUS_OK;
    values->data = calloc(1, bytes);
    values->count = values->data ? arg->values.count : 0;
    return values->data
               ? device_read(run->device, ++run->commands, run->addresses[launch][index], values->data, bytes)
               : STATUS_OUT_OF_MEMORY;
}

static enum status take_all_contents(struct run *run)
{
    const struct scenario *scenario = run->scenario;
    size_t count = 0;
    enum status status = STATUS_OK;
    for (size_t l = 0; l < scenario->launch_count; l++)
        count += scenario->launches[l].arg_count;
    run->contents->count = 0;
    run->contents->values = calloc(count + 1, sizeof *run->contents->values);
    if (!run->contents->values)
        return STATUS_OUT_OF_MEMORY;
    for (size_t l = 0; l < scenario->launch_count; l++)
        for (size_t a = 0; a < scenario->launches[l].arg_count && status == STATUS_OK; a++)
            status = take_contents(run, l, a);
    return status;
}

void contents_fini(struct contents *contents)
{
    for (size_t i = 0; i < contents->count; i++)
        free(contents->values[i].data);
    free(contents->values);
    *contents = (struct contents){0};
}

static enum status take_placements(struct run *run, struct scenario_result *result)
{
    const struct scenario_expect *expect = &run->scenario->expect;
    result->placements = calloc(expect->placement_count + 1, sizeof *result->placements);
    if (!result->placements || run->placed.lost)
        return STATUS_OUT_OF_MEMORY;
    for (; result->placement_count < expect->placement_count; result->placement_count++)
        result->placements[result->placement_count] = placed_take(
            &run->placed, run->launch_commands[expect->placements[result->placement_count].launch]);
    return STATUS_OK;
}

static void debug_print(const struct debug_hook *hook, const char *text, size_t size)
{
    char *copy = strndup(text, size);
    if (copy)
        hook->print(hook->debugger, copy);
    free(copy);
}

static void keep_output(void *self, const char *text, size_t size)
{
    struct run *run = self;
    fwrite(text, 1, size, run->output);
    if (run->scenario->debug)
        debug_print(run->scenario->debug, text, size);
}

static bool keep_counters(struct run *run, struct scenario_result *result)
{
    size_t size = 0;
    if (!scenario_counts(run->scenario))
        return true;
    FILE *json = open_memstream(&result->counters, &size);
    const bool counted = json && device_write_counters(run->device, json);
    if (json)
        fclose(json);
    return counted;
}

/* Puts counters and counts of instructions into the result, as text, and writes the files that the scenario
 * asks for. */
static enum status keep_results(struct run *run, struct scenario_result *result)
{
    size_t size = 0;
    const bool printed = scenario_counts(run->scenario) || scenario_counts_instructions(run->scenario);
    FILE *stream = printed ? open_memstream(&result->counters_text, &size) : NULL;
    const bool fine = (stream || !printed) && keep_counters(run, result) &&
                      (!run->scenario->count_idle_lines || device_idle_lines(run->device, &result->idle));
    if (fine)
        device_write_results(run->device, stream, &result->unwritten);
    if (stream)
        fclose(stream);
    return fine ? STATUS_OK : STATUS_OUT_OF_MEMORY;
}

/* Makes the default device queue, which a host program would make. */
static enum status make_queue(struct run *run)
{
    return run->scenario->device.device_enqueue ? new_queue(run, &run->queue) : STATUS_OK;
}

static enum status keep_extents(const struct run *run, struct scenario_result *result)
{
    if (!run->extents.of_argument)
        return STATUS_OK;
    result->extents = extents_take(&run->extents);
    return result->extents ? STATUS_OK : STATUS_OUT_OF_MEMORY;
}

static enum status observe_extents(struct run *run)
{
    if (!run->scenario->measure_extents || !run->scenario->launch_count)
        return STATUS_OK;
    if (!extents_init(&run->extents, run->device, run->addresses[0], run->scenario->launches[0].arg_count))
        return STATUS_OUT_OF_MEMORY;
    const struct observer observer = extents_observer(&run->extents);
    device_add_observer(run->device, &observer);
    return STATUS_OK;
}

enum status scenario_perform(struct run *run, struct scenario_result *result)
{
    enum status status = device_new(run->scenario, run->report, &run->device, run->diagnosis);
    if (status != STATUS_OK)
        return status;
    device_set_printf(run->device, keep_output, run);
    if (run->scenario->expect.placement_count) {
        struct observer observer = placed_observer(&run->placed);
        device_add_observer(run->device, &observer);
    }
    status = load_program(run);
    if (status == STATUS_OK)
        status = make_queue(run);
    if (status == STATUS_OK)
        status = allocate_all(run);
    if (status == STATUS_OK)
        status = observe_extents(run);
    if (status == STATUS_OK)
        status = scenario_launch_all(run);
    if (status == STATUS_OK)
        status =
            schedule_script_over(&run->scenario->schedule, device_last_launch(run->device), run->diagnosis);
    if (status == STATUS_OK)
        status =
            schedule_replay_over(&run->scenario->schedule, device_last_launch(run->device), run->diagnosis);
    if (status == STATUS_OK || status == STATUS_NO_PROGRESS || status == STATUS_STOPPED) {
        if (run->complete && status != STATUS_STOPPED)
            run->complete(run);
        /* Counters are read before the buffers that are expected, since those reads are no commands of the
         * scenario. */
        enum status read = keep_results(run, result);
        if (read == STATUS_OK)
            read = keep_extents(run, result);
        if (read == STATUS_OK && status != STATUS_STOPPED)
            read = read_results(run, result);
        if (read == STATUS_OK)
            read = take_placements(run, result);
        if (read == STATUS_OK && run->contents)
            read = take_all_contents(run);
        status = read != STATUS_OK ? read : status;
    }
    if (run->program)
        program_finish(run->program);
    result->kernels_run = device_kernels_run(run->device);
    result->record = device_take_record(run->device);
    return status;
}

void scenario_run_fini(struct run *run)
{
    for (size_t l = 0; run->addresses && l < run->scenario->launch_count; l++)
        free(run->addresses[l]);
    free(run->addresses);
    free(run->launch_commands);
    placed_fini(&run->placed);
    extents_fini(&run->extents);
    if (run->program)
        program_release(run->program);
    if (run->device)
        device_free(run->device);
}

static void complete_findings(struct run *run)
{
    if (scenario_shows_values(run->scenario))
        scenario_find_values(run->scenario, run->steps, run->report);
    if (scenario_tries_fixes(run->scenario))
        scenario_try_fixes(run->scenario, run->steps, run->report);
}

enum status scenario_run(const struct scenario *scenario, struct report *report,
                         struct scenario_result *out_result, struct diagnosis *diagnosis)
{
    struct diagnosis local = {0};
    struct run run = {.scenario = scenario,
                      .diagnosis = diagnosis ? diagnosis : &local,
                      .report = report,
                      .complete = complete_findings};
    *out_result = (struct scenario_result){.output = NULL};
    run.output = open_memstream(&out_result->output, &out_result->output_size);
    if (!run.output)
        return STATUS_OUT_OF_MEMORY;
    const bool tries = scenario_tries_fixes(scenario), shows = scenario_shows_values(scenario);
    if (tries || shows)
        report_hold(report, shows ? REPORT_HOLD_ALL : REPORT_HOLD_EDITS);
    enum status status = scenario_perform(&run, out_result);
    out_result->time_ns = run.device ? device_clock(run.device) - CLOCK_START_NS : 0;
    scenario_run_fini(&run);
    report_release(report);
    fclose(run.output);
    return status;
}

void scenario_result_fini(struct scenario_result *result)
{
    for (size_t i = 0; i < result->buffer_count; i++)
        free(result->buffers[i].data);
    schedule_record_free(result->record);
    for (size_t i = 0; i < result->placement_count; i++)
        free(result->placements[i].units);
    free(result->placements);
    free(result->counters);
    free(result->buffers);
    free(result->output);
    free(result->counters_text);
    free(result->idle.lines);
    free(result->extents);
    *result = (struct scenario_result){.output = NULL};
}
