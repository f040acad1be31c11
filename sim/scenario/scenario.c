/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One scenario in memory: its defaults, the settings that follow from others (scenario_settle), its root
 * devices, queries, and its end.
 */
#include "orrery/scenario.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "orrery/schedule.h"
#include "sim/base/scenario_rows.h"

/* ---- defaults ------------------------------------------------------------------- */

#define MEMORY_DEFAULT (UINT64_C(4) << 30)
#define ALLOCATION_LEAST (UINT64_C(1) << 30)
#define MEMORY_LEAST (UINT64_C(1) << 20)

static void device_default(struct device_config *device)
{
    *device = (struct device_config){
        .type = DEVICE_GPU,
        .version_major = 3,
        .progress = PROGRESS_SUB_GROUP,
        .copy_capabilities = QUEUE_CAN_SINGLE_EVENTS | QUEUE_CAN_CROSS_EVENTS | QUEUE_CAN_SINGLE_WAITS |
                             QUEUE_CAN_CROSS_WAITS | QUEUE_CAN_TRANSFER_BUFFER | QUEUE_CAN_TRANSFER_RECT |
                             QUEUE_CAN_MAP_BUFFER | QUEUE_CAN_MAP_IMAGE | QUEUE_CAN_MARKER |
                             QUEUE_CAN_BARRIER,
        .global_memory = MEMORY_DEFAULT,
        .max_allocation = ALLOCATION_LEAST,
        .local_memory = 64 << 10,
        .constant_memory = 64 << 10,
        .private_memory = 64 << 20,
        .printf_buffer = 1 << 20,
        .local_banks = 32,
        .bank_bytes = 4,
        .sector_bytes = 32,
        .max_work_group_size = 1024,
        .max_work_item_sizes = {1024, 1024, 1024},
        .max_read_images = 128,
        .max_write_images = 64,
        .max_samplers = 16,
        .sub_group_sizes = {32},
        .fp16 = true,
        .fp64 = true,
        .int64_atomics = true,
        .sub_groups = true,
        .svm_coarse = true,
        .svm_fine = true,
        .svm_atomics = true,
        .il = true,
        .generic_address_space = true,
        .program_scope_variables = true,
        .work_group_collectives = true,
        .non_uniform_groups = true,
        .images = true,
        .pipes = true,
        .device_enqueue = true,
        .initialize_memory = true,
        .kernel_clock = true,
        .named_barriers = true,
        .srgb_writes = true,
        .terminate_context = true,
        .compiler = true,
    };
    topology_default(&device->topology);
}

void scenario_default(struct scenario *scenario)
{
    *scenario = (struct scenario){
        .schedule = {.policy = SCHEDULE_LOCKSTEP, .quantum = 1, .depth = 3, .first_launch = 1},
        .fail_on = SEVERITY_ERROR,
        .values = true,
        .error_exitcode = 66,
        .max_findings = 10,
        .compile_seconds = 60,
        .compile_bytes = UINT64_C(4) << 30,
        .expect = {.exit_status = -1},
    };
    checks_default(scenario->checks);
    device_default(&scenario->device);
}

void scenario_limit(struct scenario *scenario)
{
    enum { LIMIT_SECONDS = 10, LIMIT_STEPS = 20000000 };
    struct schedule_config *schedule = &scenario->schedule;
    if (!schedule->timeout_stated)
        schedule->timeout_seconds = LIMIT_SECONDS;
    if (!schedule->steps_stated)
        schedule->max_steps = LIMIT_STEPS;
    schedule->timeout_stated = schedule->steps_stated = true;
}

const struct scenario_arg *scenario_named_arg(const struct scenario *scenario, const char *name)
{
    for (size_t l = 0; l < scenario->launch_count; l++) {
        for (size_t a = 0; a < scenario->launches[l].arg_count; a++) {
            const struct scenario_arg *arg = &scenario->launches[l].args[a];
            const bool memory = arg->kind == SCENARIO_ARG_BUFFER || arg->kind == SCENARIO_ARG_IMAGE;
            if (arg->name && !arg->same_as && memory && strcmp(arg->name, name) == 0)
                return arg;
        }
    }
    return NULL;
}

bool scenario_opencl_c_20(const struct device_config *device)
{
    if (device->version_major <= 2)
        return device->version_major == 2;
    /* optional since 3.0 */
    const bool has_language = device->generic_address_space && device->program_scope_variables;
    return has_language && device->work_group_collectives && device->pipes && device->device_enqueue;
}

/* ---- counters and instructions: "on", "off" or a file ------------------------------------- */

static const char *file_in(const char *text)
{
    bool on;
    return text && *text && !scenario_row_truth(text, &on) ? text : NULL;
}

static bool is_on(const char *text)
{
    bool on = false;
    return file_in(text) || (text && scenario_row_truth(text, &on) && on);
}

bool scenario_counts(const struct scenario *scenario)
{
    return scenario->expect.counter_count || is_on(scenario->counters);
}

const char *scenario_counters_file(const struct scenario *scenario)
{
    return file_in(scenario->counters);
}

bool scenario_counts_instructions(const struct scenario *scenario)
{
    return is_on(scenario->instructions);
}

const char *scenario_instructions_file(const struct scenario *scenario)
{
    return file_in(scenario->instructions);
}

bool scenario_profiles(const struct scenario *scenario)
{
    return is_on(scenario->instructions) || scenario->coverage_file || scenario->count_idle_lines;
}

/* ---- root devices ----------------------------------------------------------------------- */

uint32_t scenario_root_count(const struct scenario *scenario)
{
    return 1 + scenario->other_device_count;
}

const struct device_config *scenario_root(const struct scenario *scenario, uint32_t index)
{
    CHECKED(index < scenario_root_count(scenario));
    return index ? &scenario->other_devices[index - 1] : &scenario->device;
}

void scenario_swap_device(struct scenario *scenario, uint32_t other)
{
    struct device_config first = scenario->device;
    scenario->device = scenario->other_devices[other];
    scenario->other_devices[other] = first;
}

static bool copy_text(const char *text, char **out_copy)
{
    *out_copy = text ? strdup(text) : NULL;
    return !text || *out_copy;
}

bool scenario_add_device(struct scenario *scenario)
{
    struct device_config *added = &scenario->other_devices[scenario->other_device_count];
    *added = scenario->device;
    bool copied = copy_text(scenario->device.name, &added->name);
    copied &= copy_text(scenario->device.built_in_kernels, &added->built_in_kernels);
    if (!copied || topology_copy(&scenario->device.topology, &added->topology) != STATUS_OK) {
        free(added->name);
        free(added->built_in_kernels);
        *added = (struct device_config){0};
        return false;
    }
    scenario->other_device_count++;
    return true;
}

/* ---- settings that follow from others ----------------------------------------------------- */

static void settle_replay(struct schedule_config *schedule)
{
    if (!schedule->replay)
        return;
    schedule->policy = schedule->replayed.policy;
    schedule->seed = schedule->replayed.seed;
    schedule->quantum = schedule->replayed.quantum;
    schedule->resident_groups = schedule->replayed.resident_groups;
    schedule->depth = schedule->replayed.depth;
    schedule->spurious = schedule->replayed.spurious;
}

uint64_t scenario_default_allocation(uint64_t memory)
{
    uint64_t quarter = memory / 4 > ALLOCATION_LEAST ? memory / 4 : ALLOCATION_LEAST;
    return quarter < memory ? quarter : memory;
}

static void settle_memory(struct device_config *device)
{
    const struct topology *topology = &device->topology;
    uint64_t nodes = 0, bytes = device->stated_memory;
    for (uint32_t i = 0; i < topology->node_count; i++)
        nodes += topology->nodes[i].level == TOPOLOGY_NUMA ? topology->nodes[i].bytes : 0;
    if (!bytes)
        bytes = !nodes ? MEMORY_DEFAULT : nodes < MEMORY_LEAST ? MEMORY_LEAST : nodes;
    device->global_memory = bytes;
    device->max_allocation =
        device->stated_allocation ? device->stated_allocation : scenario_default_allocation(bytes);
    if (device->max_allocation > bytes)
        device->max_allocation = bytes;
}

void scenario_settle(struct scenario *scenario)
{
    settle_replay(&scenario->schedule);
    uint32_t units = 0;
    for (uint32_t i = 0; i < scenario_root_count(scenario); i++) {
        struct device_config *device = i ? &scenario->other_devices[i - 1] : &scenario->device;
        settle_memory(device);
        device->first_unit = units;
        units += device->topology.compute_units;
    }
}

enum status scenario_check_policy(const struct scenario *scenario, struct diagnosis *diagnosis)
{
    const struct schedule_config *schedule = &scenario->schedule;
    if (schedule->policy == SCHEDULE_SCRIPT && !schedule->script)
        return diagnose(diagnosis, STATUS_BAD_SCENARIO,
                        "policy script: found no script, expected steps in schedule: script: of a scenario");
    if (schedule->policy == SCHEDULE_REPLAY && !schedule->replay)
        return diagnose(
            diagnosis, STATUS_BAD_SCENARIO,
            "policy replay: found nothing to replay, expected --replay=TOKEN, or a file with a record");
    if (schedule->placement == PLACEMENT_SCRIPT && !schedule->placement_script.count)
        return diagnose(
            diagnosis, STATUS_BAD_SCENARIO,
            "placement script: found no compute units, expected placement_script: a list of them");
    return STATUS_OK;
}

/* ---- end ----------------------------------------------------------------------------------- */

static void launch_fini(struct scenario_launch *launch)
{
    for (size_t i = 0; i < launch->arg_count; i++) {
        free(launch->args[i].values.data);
        free(launch->args[i].unwritten);
        free(launch->args[i].name);
        free(launch->args[i].same_as);
    }
    free(launch->args);
    free(launch->kernel);
    free(launch->device);
}

static void expect_fini(struct scenario_expect *expect)
{
    for (size_t i = 0; i < expect->finding_count; i++) {
        free(expect->findings[i].id);
        free(expect->findings[i].kernel);
        free(expect->findings[i].why);
        free(expect->findings[i].fix);
    }
    for (size_t i = 0; i < expect->buffer_count; i++)
        free(expect->buffers[i].values.data);
    for (size_t i = 0; i < expect->placement_count; i++)
        free(expect->placements[i].units.units);
    for (size_t i = 0; i < expect->counter_count; i++)
        free(expect->counters[i].place);
    free(expect->placements);
    free(expect->counters);
    free(expect->findings);
    free(expect->buffers);
}

const char *scenario_api_error_name(int error)
{
    switch (error) {
#define API_ERROR(name, number) \
    case number:                \
        return #name;
#include "orrery/api_error.def"
#undef API_ERROR
    default: return NULL;
    }
}

bool scenario_api_error_from_name(const char *name, int *out_error)
{
#define API_ERROR(error, number)     \
    if (strcmp(name, #error) == 0) { \
        *out_error = (number);       \
        return true;                 \
    }
#include "orrery/api_error.def"
#undef API_ERROR
    return false;
}

static void suppression_fini(struct suppression *suppression)
{
    free(suppression->id);
    free(suppression->kernel);
    free(suppression->file);
    free(suppression->object);
    free(suppression->reason);
    free(suppression->origin);
}

void scenario_fini(struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->suppression_count; i++)
        suppression_fini(&scenario->suppressions[i]);
    free(scenario->suppressions);
    for (size_t i = 0; i < scenario->fault_count; i++)
        free(scenario->faults[i].call), free(scenario->faults[i].device);
    free(scenario->faults);
    for (size_t i = 0; i < scenario->launch_count; i++)
        launch_fini(&scenario->launches[i]);
    free(scenario->launches);
    expect_fini(&scenario->expect);
    scenario_rows_free_texts(scenario);
    for (size_t i = 0; i < scenario->schedule.script_count; i++)
        free(scenario->schedule.script[i].file);
    free(scenario->schedule.script);
    free(scenario->schedule.script_file);
    free(scenario->file);
    topology_fini(&scenario->device.topology);
    free(scenario->schedule.placement_script.units);
    for (uint32_t i = 0; i < scenario->other_device_count; i++) {
        topology_fini(&scenario->other_devices[i].topology);
        free(scenario->other_devices[i].name);
        free(scenario->other_devices[i].built_in_kernels);
    }
    *scenario = (struct scenario){0};
}
