/* SPDX-License-Identifier: Apache-2.0 */
/* A launch from begin to end: checks sizes and arguments, allocates memory, finds the code, creates the
 * schedule, records or replays its steps, and announces begin and end to observers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "argument_part.h"
#include "device_enqueue.h"
#include "device_state.h"
#include "profiled.h"
#include "object_name.h"
#include "host_memory.h"
#include "orrery/debug.h"
#include "orrery/image.h"
#include "pipe_end.h"
#include "device_program.h"
#include "launch_schedule.h"
#include "schedule_record.h"
#include "sim/base/sentence.h"

/* ---- sizes ---------------------------------------------------------------------- */

uint32_t device_sub_group_size(const struct device_config *config, const struct kernel *kernel,
                               uint64_t local_linear_size)
{
    (void)local_linear_size; /* a smaller work-group has one sub-group that is not full */
    uint32_t required = kernel->info->required_sub_group_size;
    uint32_t usual = config->sub_group_sizes[0];
    return required ? required : usual ? usual : 1;
}

bool device_fits_sub_groups(const struct device_config *config, const struct kernel *kernel)
{
    const uint32_t required = kernel->info->required_sub_group_size;
    bool fits = !required;
    for (uint32_t i = 0; i < SCENARIO_SUB_GROUP_SIZES && config->sub_group_sizes[i]; i++)
        fits |= config->sub_group_sizes[i] == required;
    return fits;
}

static uint64_t largest_divisor(uint64_t value, uint64_t at_most)
{
    if (value <= at_most)
        return value ? value : 1;
    for (uint64_t divisor = at_most; divisor > 1; divisor--)
        if (value % divisor == 0)
            return divisor;
    return 1;
}

void device_suggest_local_size(const struct device_config *config, const struct kernel *kernel,
                               uint32_t work_dim, const uint64_t global_size[3], uint64_t out_local_size[3])
{
    const struct kernel_info *info = kernel->info;
    uint64_t room =
        config->max_work_group_size < WAVE_LANES_MAX ? config->max_work_group_size : WAVE_LANES_MAX;
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t most = config->max_work_item_sizes[i] < room ? config->max_work_item_sizes[i] : room;
        out_local_size[i] = i < work_dim ? largest_divisor(global_size[i], most ? most : 1) : 1;
        room /= out_local_size[i];
    }
    if (info->required_size[0])
        for (int i = 0; i < 3; i++)
            out_local_size[i] = info->required_size[i] ? info->required_size[i] : 1;
}

enum status device_check_images(const struct device_config *config, const struct kernel_info *info,
                                struct diagnosis *diagnosis)
{
    uint32_t read = 0, written = 0, samplers = info->constant_samplers;
    for (size_t i = 0; i < info->arg_count; i++) {
        const struct kernel_arg *arg = &info->args[i];
        read += arg->kind == ARG_IMAGE && arg->read_only;
        written += arg->kind == ARG_IMAGE && !arg->read_only;
        samplers += arg->kind == ARG_SAMPLER;
    }
    const struct {
        uint32_t count, limit;
        const char *what;
    } used[] = {
        {read, config->max_read_images, "images that it only reads"},
        {written, config->max_write_images, "images that it writes"},
        {samplers, config->max_samplers, "samplers"},
    };
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        if (used[i].count > used[i].limit)
            return diagnose(diagnosis, STATUS_OUT_OF_RESOURCES,
                            "kernel %s has %" PRIu32 " %s, but the device's limit is %" PRIu32, info->name,
                            used[i].count, used[i].what, used[i].limit);
    return STATUS_OK;
}

static enum status check_sizes(const struct device_config *config, const struct launch_request *request,
                               struct diagnosis *diagnosis)
{
    uint64_t lanes = 1, most = config->max_work_group_size;
    if (request->work_dim < 1 || request->work_dim > 3)
        return diagnose(diagnosis, STATUS_BAD_ARGUMENT, "%" PRIu32 " dimensions; 1, 2 or 3 are possible",
                        request->work_dim);
    for (int i = 0; i < 3; i++) {
        if (request->local_size[i] == 0 || request->local_size[i] > most)
            return diagnose(diagnosis, STATUS_BAD_ARGUMENT,
                            "work-group size %" PRIu64 " in dimension %d; 1 to %" PRIu64 " are possible",
                            request->local_size[i], i, most);
        lanes *= request->local_size[i];
        if (lanes > most)
            return diagnose(diagnosis, STATUS_BAD_ARGUMENT, "work-groups of more than %" PRIu64 " work-items",
                            most);
        if (request->global_size[i] && request->global_offset[i] > UINT64_MAX - (request->global_size[i] - 1))
            return diagnose(diagnosis, STATUS_BAD_ARGUMENT,
                            "the global size and offset of dimension %d pass the largest id", i);
    }
    if (!device_fits_sub_groups(config, request->kernel))
        return diagnose(diagnosis, STATUS_BAD_ARGUMENT,
                        "kernel %s requires sub-groups of %" PRIu32 ", which the device does not have",
                        request->kernel->info->name, request->kernel->info->required_sub_group_size);
    return STATUS_OK;
}

static enum status check_args(const struct launch_request *request, struct diagnosis *diagnosis)
{
    const struct kernel_info *info = request->kernel->info;
    if (request->arg_count != info->arg_count)
        return diagnose(diagnosis, STATUS_BAD_ARGUMENT, "%zu arguments for kernel %s, which has %zu",
                        request->arg_count, info->name, info->arg_count);
    for (size_t i = 0; i < info->arg_count; i++) {
        size_t size = info->args[i].kind == ARG_VALUE   ? info->args[i].size
                      : info->args[i].kind == ARG_IMAGE ? sizeof(struct image_desc)
                                                        : sizeof(uint64_t);
        if (!request->args[i].value || request->args[i].size < size)
            return diagnose(diagnosis, STATUS_BAD_ARGUMENT,
                            "argument %zu of kernel %s is missing or too small", i, info->name);
    }
    return STATUS_OK;
}

/* ---- memory of a launch -------------------------------------------------------------- */

static enum status size_locals(struct live_launch *live, const struct launch_request *request)
{
    const struct code *code = live->launch.code;
    const uint64_t limit = live->launch.config->local_memory;
    uint64_t used = 0;
    bool wrapped = false;
    for (uint32_t i = 0; i < code->local_object_count; i++) {
        const struct local_object *object = &code->local_objects[i];
        uint64_t size = object->size, align = object->align ? object->align : 1;
        if (object->arg >= 0)
            memcpy(&size, request->args[object->arg].value, sizeof size);
        live->local_bytes[i] = size;
        wrapped |= __builtin_add_overflow(used, align - 1, &used);
        used &= ~(align - 1);
        wrapped |= __builtin_add_overflow(used, size, &used);
    }
    if (wrapped || used > limit)
        return diagnose(&live->diagnosis, STATUS_OUT_OF_RESOURCES,
                        "kernel %s needs %" PRIu64 " bytes of local memory, but the device has %" PRIu64,
                        request->kernel->info->name, wrapped ? UINT64_MAX : used, limit);
    return STATUS_OK;
}

static enum status check_private(const struct device *device, const struct launch *launch,
                                 struct diagnosis *diagnosis)
{
    const struct code_debug *debug = launch->code->debug;
    uint64_t needed = debug ? debug->plain_private_size : launch->code->private_size,
             limit = launch->config->private_memory;
    if (needed <= limit)
        return STATUS_OK;
    struct finding finding = {
        .kind = FINDING_PRIVATE_OVERFLOW, .launch = launch->info.launch, .kernel = launch->info.kernel};
    struct sentence why;
    sentence_init(&why);
    sentence_add(&why, "each work-item needs %" PRIu64 " bytes of private memory, the device has %" PRIu64,
                 needed, limit);
    finding.why = why.bytes;
    report_stop(device->report, &finding);
    return diagnose(diagnosis, STATUS_OUT_OF_RESOURCES, "kernel %s: %s", launch->info.kernel, why.bytes);
}

/* ---- launch ------------------------------------------------------------------------------ */

static uint32_t lanes_of_first_wave(const struct tiling *tiling)
{
    struct tile tile;
    tiling_tile(tiling, 0, &tile);
    return tile.lane_count < tiling->wave_lanes ? tile.lane_count : tiling->wave_lanes;
}

/* Is anything wanted that depends on the compute units that the work-groups run on? */
static bool observes_places(const struct device *device)
{
    return device->caches || device->timeline || device->profile || device->scenario->expect.placement_count;
}

static void launch_init(struct launch *launch, struct device *device, const struct launch_request *request)
{
    const struct kernel *kernel = request->kernel;
    memset(launch, 0, sizeof *launch);
    launch->info.command = request->command;
    launch->info.alone = request->alone;
    launch->info.among_devices = request->among_devices;
    launch->info.device = request->device;
    launch->info.kernel = kernel->info->name;
    launch->info.program = kernel->program;
    launch->info.releases = kernel->info->releases;
    launch->info.acquires = kernel->info->acquires;
    launch->info.atomics = kernel->info->atomics;
    launch->info.in_launch_tree = kernel->info->in_launch_tree;
    launch->info.enqueues = kernel->info->enqueues;
    launch->info.left_out = scenario_leaves_out(device->scenario, kernel->info->name,
                                                device_last_launch(device) + 1) != LEFT_OUT_NOT;
    launch->info.argument = object_argument;
    /* parents report the values that their children read, and the times */
    launch->info.may_write = kernel->info->enqueues ? NULL : object_may_be_written;
    launch->info.work_dim = request->work_dim;
    launch->kernel = kernel->info;
    launch->arg_values = request->args;
    launch->schedule = &device->scenario->schedule;
    launch->config = scenario_root(device->scenario, request->root);
    launch->compute_units = request->compute_unit_count ? request->compute_units : NULL;
    launch->compute_unit_count =
        request->compute_unit_count ? request->compute_unit_count : launch->config->topology.compute_units;
    launch->pages = device->pages;
    launch->began = clock_now(&device->clock);
    launch->apart = observes_places(device) || launch->schedule->placement != PLACEMENT_ROUND_ROBIN;
    launch->arena = &device->arena;
    launch->observer = kernel->info->initializer || kernel->info->finalizer ? NULL : device_observer(device);
    launch->report = device->report;
    launch->node = request->node;
    launch->stop = request->stop;
    launch->reported = request->reported;
    launch->reported_count = request->reported_count;
    launch->zero_local = request->kernel->program->zero_local;
    launch->same_local = launch->zero_local || device->scenario->checks[CHECK_RACES] != SEVERITY_OFF ||
                         device->scenario->checks[CHECK_UNINITIALISED] != SEVERITY_OFF;
    device_tree_describe(launch->node, &launch->info);
}

static void find_largest(struct launch *launch, const struct launch_request *request)
{
    for (size_t i = 0; i < request->arg_count; i++) {
        enum arg_kind kind = launch->kernel->args[i].kind;
        uint64_t address = 0;
        if (kind != ARG_GLOBAL && kind != ARG_CONSTANT)
            continue;
        memcpy(&address, request->args[i].value, sizeof address);
        const struct region *region = memory_region(&launch->arena->memory, address);
        uint64_t bytes = address >= region->low && address < region->high ? region->high - address : 0;
        if (bytes > launch->largest.bytes) {
            launch->largest.address = address;
            launch->largest.bytes = bytes;
        }
    }
}

/* Groups that share a wave run on one compute unit; an observer of compute units needs a wave for each
 * group. */
static bool may_merge(const struct launch *launch, const struct kernel_traits *traits)
{
    return schedule_may_merge(launch->schedule) && !traits->sees_groups && !traits->irreducible &&
           !launch->apart;
}

static void cut(struct launch *launch, const struct launch_request *request,
                const struct kernel_traits *traits)
{
    struct launch_info *info = &launch->info;
    struct tiling_request wanted = {.wave_lanes_max =
                                        traits->irreducible ? 1 : schedule_wave_lanes(launch->schedule),
                                    .may_merge = may_merge(launch, traits)};
    uint64_t local_linear = request->local_size[0] * request->local_size[1] * request->local_size[2];
    info->sub_group_size = wanted.sub_group_size =
        device_sub_group_size(launch->config, request->kernel, local_linear);
    if (launch->config->progress == PROGRESS_NONE && wanted.wave_lanes_max > info->sub_group_size)
        wanted.wave_lanes_max = info->sub_group_size; /* sub-groups run one by one */
    for (int i = 0; i < 3; i++) {
        info->global_size[i] = wanted.global_size[i] = request->global_size[i];
        info->local_size[i] = wanted.local_size[i] = request->local_size[i];
        info->global_offset[i] = request->global_offset[i];
    }
    tiling_init(&launch->tiling, &wanted);
    memcpy(info->group_count, launch->tiling.group_count, sizeof info->group_count);
}

static void announce(const struct launch *launch, enum launch_phase phase)
{
    struct launch_event event = {.launch = &launch->info,
                                 .phase = phase,
                                 .time = phase == LAUNCH_BEGIN ? launch->began : launch_time(launch)};
    if (launch->observer && launch->observer->launch)
        launch->observer->launch(launch->observer->self, &event);
}

/* Code without stops for a debugger runs if the debugger has nothing to stop at. */
static bool is_debugged(const struct device *device)
{
    const struct debug_hook *hook = device->scenario->debug;
    return hook && !hook->is_plain(hook->debugger);
}

/* The code that the launch needs, but for its width. */
static struct code_request wanted_code(const struct live_launch *live, const struct kernel *kernel)
{
    const struct launch *launch = &live->launch;
    return (struct code_request){.kernel = kernel->index,
                                 .preempt = schedule_is_preemptive(launch->schedule),
                                 .poison = live->device->arena.memory.track_validity,
                                 .marks_stores = launch->info.left_out,
                                 .zero_private = kernel->program->zero_private,
                                 .unoptimised = kernel->program->unoptimised,
                                 .debug = is_debugged(live->device),
                                 .profile = live->device->profile != NULL,
                                 .spurious = launch->schedule->spurious > 0};
}

static enum status take_code(struct live_launch *live, struct kernel *kernel,
                             const struct launch_request *request)
{
    struct launch *launch = &live->launch;
    struct code_request wanted = wanted_code(live, kernel);
    wanted.width = lanes_of_first_wave(&launch->tiling);
    struct variant *variant;
    enum status status = kernel_variant(kernel, &wanted, &variant, &live->diagnosis);
    if (status != STATUS_OK)
        return status;
    launch->code = variant->code;
    CHECKED(!launch->code->irreducible || wanted.width == 1); /* kernel_traits.irreducible */
    launch->observer = variant->pool.observer;
    launch->pool = &variant->pool;
    if (!live_launch_room(live, variant->code->args_size, variant->code->local_object_count))
        return STATUS_OUT_OF_MEMORY;
    launch->args = live->args;
    launch->local_bytes = live->local_bytes;
    status = check_private(live->device, launch, &live->diagnosis);
    if (status == STATUS_OK)
        status = size_locals(live, request);
    if (status == STATUS_OK)
        interp_args(variant->code, kernel->info, request->args, live->args);
    return status;
}

static enum status prepare(struct live_launch *live, const struct launch_request *request)
{
    struct kernel *kernel = (struct kernel *)request->kernel; /* only its caches change */
    const struct code_request wanted = wanted_code(live, kernel);
    struct kernel_traits traits;
    enum status status = kernel_traits_get(kernel, &wanted, &traits, &live->diagnosis);
    if (status != STATUS_OK)
        return status;
    live->launch.has_atomics = traits.has_atomics;
    find_largest(&live->launch, request);
    cut(&live->launch, request, &traits);
    return live->launch.tiling.tile_total ? take_code(live, kernel, request) : STATUS_OK;
}

/* ---- record and replay --------------------------------------------------------------------- */

static struct schedule_settings settings_of(const struct schedule_config *config)
{
    return (struct schedule_settings){.policy = config->policy,
                                      .seed = config->seed,
                                      .quantum = config->quantum,
                                      .resident_groups = config->resident_groups,
                                      .depth = config->depth,
                                      .spurious = config->spurious};
}

/* Settings are recorded even if no kernel runs. */
const struct schedule_record *device_record(struct device *device)
{
    if (!device->record.shape)
        device->record.settings = settings_of(&device->scenario->schedule);
    return &device->record;
}

struct schedule_record *device_take_record(struct device *device)
{
    struct schedule_record *record = malloc(sizeof *record);
    if (record) {
        *record = *device_record(device);
        device->record = (struct schedule_record){0};
    }
    return record;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* The scenario's token may have changed since the last launch. */
static enum status follow_replay(struct device *device, struct diagnosis *diagnosis)
{
    const char *text = device->scenario->schedule.replay;
    if (same_text(text, device->replay_text))
        return STATUS_OK;
    schedule_record_free(device->replay);
    free(device->replay_text);
    device->replay = NULL;
    device->replay_text = text ? strdup(text) : NULL;
    if (text && !device->replay_text)
        return STATUS_OUT_OF_MEMORY;
    return text ? schedule_record_parse(text, &device->replay, diagnosis) : STATUS_OK;
}

static enum status check_shape(const struct launch *launch, uint32_t shape, uint32_t recorded,
                               struct diagnosis *diagnosis)
{
    if (!recorded || shape == recorded)
        return STATUS_OK;
    return diagnose(diagnosis, STATUS_BAD_SCENARIO,
                    "the replay is not of this run: launch %" PRIu32 ", kernel %s, has shape %08" PRIx32
                    " (of its source and sizes), what was recorded has %08" PRIx32,
                    launch->info.launch, launch->info.kernel, shape, recorded);
}

static enum status take_replay(struct launch *launch, struct device *device, uint32_t shape,
                               struct diagnosis *diagnosis)
{
    static const struct schedule_launch nothing;
    enum status status = follow_replay(device, diagnosis);
    const struct schedule_record *replay = device->replay;
    if (status != STATUS_OK || !replay)
        return status;
    const struct schedule_launch *switches = record_find(replay, launch->info.launch);
    if (replay->has_switches) {
        launch->replay = switches ? switches : &nothing;
        launch->lenient = replay->lenient;
        device->record.shrunk |= replay->shrunk || replay->lenient;
    }
    if (launch->info.launch == 1)
        status = check_shape(launch, shape, replay->shape, diagnosis);
    return status == STATUS_OK && switches ? check_shape(launch, shape, switches->shape, diagnosis) : status;
}

static bool same_settings(const struct schedule_settings *settings, const struct schedule_config *config)
{
    return settings->policy == config->policy && settings->seed == config->seed &&
           settings->quantum == config->quantum && settings->resident_groups == config->resident_groups &&
           settings->depth == config->depth && settings->spurious == config->spurious;
}

static bool keeps_switches(const struct launch *launch)
{
    const struct schedule_config *config = launch->schedule;
    return (config->keep_switches || config->record_file || launch->replay) && schedule_chooses(config);
}

static enum status begin_record(struct launch *launch, struct schedule_record *record, uint32_t shape)
{
    const struct schedule_config *config = launch->schedule;
    if (!record->shape) {
        record->shape = shape;
        record->settings = settings_of(config);
    }
    record->mixed |= !same_settings(&record->settings, config);
    if (!keeps_switches(launch))
        return STATUS_OK;
    record->has_switches = true;
    if (!record_launch(record, launch))
        return STATUS_OUT_OF_MEMORY;
    launch->record = record;
    launch->record_at = record->count - 1;
    CHECKED(record->launches[launch->record_at].launch == launch->info.launch);
    return STATUS_OK;
}

static enum status tie_record(struct launch *launch, struct device *device, struct diagnosis *diagnosis)
{
    bool wanted = !device->record.shape || device->scenario->schedule.replay || keeps_switches(launch);
    uint32_t shape = wanted ? schedule_record_shape(launch) : 0;
    enum status status = take_replay(launch, device, shape, diagnosis);
    return status == STATUS_OK ? begin_record(launch, &device->record, shape) : status;
}

/* ---- one image by two arguments -------------------------------------------------------------------- */

static void report_same_image(const struct launch *launch, const struct image_desc *image, size_t first,
                              size_t second)
{
    const struct kernel_arg *args = launch->kernel->args;
    struct finding finding = {.kind = FINDING_IMAGE_MISUSE,
                              .launch = launch->info.launch,
                              .kernel = launch->info.kernel,
                              .spec = "OpenCL 3.0 API, 5.9.2, clSetKernelArg",
                              .fix = "another image, or one read_write argument"};
    struct sentence object, why;
    sentence_init(&object);
    sentence_init(&why);
    object_name_image(launch, image, &object);
    sentence_add(&why, "argument %zu '%s' is the same image as argument %zu '%s', and one of the two is %s",
                 second, args[second].name, first, args[first].name,
                 args[first].write_only || args[second].write_only ? "write_only" : "read_write");
    finding.object = object.bytes;
    finding.why = why.bytes;
    report_add(launch->report, &finding);
}

/* The behaviour is undefined if an image is passed with two access qualifiers, whatever the kernel does. */
static void check_same_images(const struct launch *launch, const struct launch_request *request)
{
    const struct kernel_arg *args = launch->kernel->args;
    for (size_t i = 0; i < request->arg_count; i++)
        for (size_t k = i + 1; args[i].kind == ARG_IMAGE && k < request->arg_count; k++) {
            const struct image_desc *one = request->args[i].value, *other = request->args[k].value;
            if (args[k].kind == ARG_IMAGE && one->address == other->address &&
                (args[i].read_only != args[k].read_only || args[i].write_only != args[k].write_only))
                report_same_image(launch, one, i, k);
        }
}

/* ---- begin and end ------------------------------------------------------------------------------ */

static enum status begin(struct live_launch *live, const struct launch_request *request)
{
    struct device *device = live->device;
    struct launch *launch = &live->launch;
    launch_init(launch, device, request);
    enum status status = prepare(live, request);
    if (status != STATUS_OK)
        return status;
    __atomic_add_fetch(&device->kernels_run, 1, __ATOMIC_RELAXED);
    CHECKED(!live->schedule && !launch->running);
    launch->info.launch = device_last_launch(device);
    report_launch_runs(device->report, launch->info.launch, launch->info.device);
    report_launch_begins(device->report, launch->info.kernel, launch->info.launch);
    report_launch_enqueued(device->report, launch->info.launch, request->enqueuer);
    status = tie_record(launch, device, &live->diagnosis);
    if (status == STATUS_OK && !concurrent_add(&device->concurrent, live))
        status = STATUS_OUT_OF_MEMORY;
    if (status != STATUS_OK)
        return status;
    if (device->host_memory)
        host_memory_forget(device->host_memory);
    concurrent_focus(live);
    if (device->profile && launch->code && launch->observer)
        launch->profiled = profiled_begin(device, launch);
    announce(launch, LAUNCH_BEGIN);
    /* the observer may have attached or detached a debugger, which needs other code */
    if (launch->code && (launch->code->debug != NULL) != is_debugged(device))
        status = take_code(live, (struct kernel *)request->kernel, request);
    if (status != STATUS_OK)
        return status;
    launch->wave_observer = launch->observer ? device_wave_observer(device, &launch->info) : NULL;
    if (!argument_parts_begin(launch, device))
        return STATUS_OUT_OF_MEMORY;
    check_same_images(launch, request);
    live->schedule = schedule_new(launch, &device->concurrent, &live->diagnosis);
    return STATUS_OK;
}

/* With the checker each work-item has a number. A launch that has none left for some would run for hours. */
enum status device_check_numbers(const struct device *device, const struct launch_request *request,
                                 struct diagnosis *diagnosis)
{
    if (!device->checker_listens || checkers_can_number(request->global_size, request->local_size))
        return STATUS_OK;
    return diagnose(
        diagnosis, STATUS_OUT_OF_RESOURCES,
        "kernel %s: found a launch of more than 2^33 work-items, which cannot be checked for races; "
        "--check-races=off leaves this check out",
        request->kernel->info->name);
}

enum status launch_begin(struct device *device, const struct launch_request *request,
                         struct live_launch **out_launch, struct diagnosis *diagnosis)
{
    enum status status = check_sizes(scenario_root(device->scenario, request->root), request, diagnosis);
    if (status == STATUS_OK)
        status = check_args(request, diagnosis);
    if (status == STATUS_OK)
        status = device_check_numbers(device, request, diagnosis);
    if (status != STATUS_OK)
        return status;
    const char *kernel = request->kernel->info->name;
    struct live_launch *live = live_launch_take(device);
    if (!live)
        return diagnose(diagnosis, STATUS_OUT_OF_MEMORY, "kernel %s: %s", kernel,
                        status_name(STATUS_OUT_OF_MEMORY));
    status = begin(live, request);
    if (status == STATUS_OK) {
        *out_launch = live;
        return status;
    }
    if (live->diagnosis.status != STATUS_OK)
        diagnose(diagnosis, status, "%s", live->diagnosis.text);
    live_launch_give(live);
    return diagnose(diagnosis, status, "kernel %s: %s", kernel, status_name(status));
}

static void say_not_printed(const struct launch *launch)
{
    char text[256];
    if (!launch->not_printed)
        return;
    snprintf(text, sizeof text,
             "kernel %s: printf_buffer of %" PRIu64 " bytes was full: %" PRIu64
             " call%s of printf returned -1",
             launch->info.kernel, launch->config->printf_buffer, launch->not_printed,
             launch->not_printed == 1 ? "" : "s");
    report_note_output(launch->report, text);
}

/* Of the first launch that has such calls: a kernel that tries again may have many. */
static void say_refused(struct device *device, const struct launch *launch)
{
    char text[400], at[160] = "";
    struct source_place place;
    if (!launch->refused.count || device->refusal_noted)
        return;
    device->refusal_noted = true;
    launch_place(launch, launch->refused.site, &place);
    if (place.line)
        snprintf(at, sizeof at, " at %.100s:%" PRIu32 ":%" PRIu32, place.file ? place.file : "", place.line,
                 place.column);
    snprintf(text, sizeof text,
             "kernel %.80s: %" PRIu64
             " call%s of enqueue_kernel returned an error, and nothing was enqueued; the "
             "first%s: %s",
             launch->info.kernel, launch->refused.count, launch->refused.count == 1 ? "" : "s", at,
             launch->refused.why);
    report_note_output(launch->report, text);
}

enum status launch_end(struct live_launch *live, uint64_t *out_time, struct diagnosis *diagnosis)
{
    struct device *device = live->device;
    struct launch *launch = &live->launch;
    concurrent_focus(live);
    enum status status = live->schedule ? schedule_free(live->schedule) : STATUS_OUT_OF_MEMORY;
    CHECKED(!launch->running); /* no group is in a time slice */
    if (status == STATUS_OK && launch->exhausted)
        status = STATUS_OUT_OF_RESOURCES;
    if (status == STATUS_OK)
        pipe_end(launch);
    device->record.forked |= launch->forked;
    free(launch->repeats);
    launch->repeats = NULL;
    argument_parts_end(launch);
    announce(launch, LAUNCH_END);
    *out_time = launch_time(launch);
    clock_reach(&device->clock, *out_time);
    concurrent_remove(&device->concurrent, live);
    say_not_printed(launch);
    say_refused(device, launch);
    if (device->printed)
        fflush(stdout); /* OpenCL C 2.0, 6.13.13.1: with the kernel's event */
    device->printed = false;
    if (live->diagnosis.status != STATUS_OK)
        diagnose(diagnosis, status, "%s", live->diagnosis.text);
    if (status != STATUS_OK)
        diagnose(diagnosis, status, "kernel %s: %s", launch->info.kernel, status_name(status));
    return status;
}
