/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the launches of a scenario. Each is checked against its kernel: number, kinds and sizes of
 * arguments, work-group sizes, units. A launch and the concurrent launches after it form a batch. A
 * launch of a batch begins as soon as its compute units are free; the batch ends when all its launches
 * have ended. */
#include "scenario_launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/sentence.h"
#include "sim/device/device_path.h"
#include "scenario_image.h"

/* ---- does the launch fit the kernel? ------------------------------------------------------ */

static const char *const arg_words[] = {"a buffer", "a scalar",  "local memory",
                                        "an image", "a sampler", "a queue"};

static bool kind_fits(enum arg_kind wanted, enum scenario_arg_kind given)
{
    static const enum arg_kind kinds[] = {ARG_GLOBAL, ARG_VALUE,   ARG_LOCAL,
                                          ARG_IMAGE,  ARG_SAMPLER, ARG_QUEUE};
    return wanted == kinds[given] || (given == SCENARIO_ARG_BUFFER && wanted == ARG_CONSTANT);
}

/* The argument itself, or the earlier argument that `same` names. */
static const struct scenario_arg *resolved_arg(const struct run *run, size_t launch, size_t index)
{
    const struct scenario_arg *arg = run_arg(run, launch, index);
    return arg->same_as ? scenario_named_arg(run->scenario, arg->same_as) : arg;
}

static enum status check_image(struct run *run, size_t launch, size_t index, const struct kernel_arg *wanted)
{
    const struct scenario_arg *given = resolved_arg(run, launch, index);
    if (given->image.type != wanted->image_type || given->image.format->depth != wanted->image_depth)
        return diagnose(run->diagnosis, STATUS_BAD_SCENARIO,
                        "launch %zu, argument %zu '%s': found an %s%s, but its type is %s", launch, index,
                        wanted->name, image_type_name(given->image.type),
                        given->image.format->depth ? " of depths" : "", wanted->type_name);
    if ((given->read_only && !wanted->read_only) || (given->write_only && !wanted->write_only))
        return diagnose(
            run->diagnosis, STATUS_BAD_SCENARIO,
            "launch %zu, argument %zu '%s': found an image that kernels only %s, but this one %s it", launch,
            index, wanted->name, given->read_only ? "read" : "write", given->read_only ? "writes" : "reads");
    return STATUS_OK;
}

/* An integer for a float parameter, or the reverse: the bits would be misread. Parameters of unnamed types
 * are not judged. */
static bool mixes_float_and_integer(const struct kernel_arg *wanted, enum value_type given)
{
    char name[16];
    enum value_type type;
    const size_t letters = strspn(wanted->type_name, "abcdefghijklmnopqrstuvwxyz");
    snprintf(name, sizeof name, "%.*s", (int)letters, wanted->type_name);
    return letters < sizeof name && value_type_from_name(name, &type) &&
           (type < VALUE_F16) != (given < VALUE_F16);
}

static enum status check_part(struct run *run, size_t launch, size_t index)
{
    const struct scenario_arg *given = run_arg(run, launch, index), *of = resolved_arg(run, launch, index);
    const uint64_t has = of->values.count * value_type_size(of->values.type);
    if (given->offset_bytes <= has && given->part_bytes <= has - given->offset_bytes)
        return STATUS_OK;
    return diagnose(run->diagnosis, STATUS_BAD_SCENARIO,
                    "launch %zu, argument %zu: found a sub-buffer of %" PRIu64 " bytes from byte %" PRIu64
                    ", but the buffer has %" PRIu64 " bytes",
                    launch, index, given->part_bytes, given->offset_bytes, has);
}

static enum status check_arg(struct run *run, size_t launch, size_t index, const struct kernel_arg *wanted)
{
    const struct scenario_arg *given = run_arg(run, launch, index);
    size_t size = given->values.count * value_type_size(given->values.type);
    if (!kind_fits(wanted->kind, given->kind))
        return diagnose(run->diagnosis, STATUS_BAD_SCENARIO,
                        "launch %zu, argument %zu '%s': found %s, but its type is %s", launch, index,
                        wanted->name, arg_words[given->kind], wanted->type_name);
    if (given->kind == SCENARIO_ARG_IMAGE)
        return check_image(run, launch, index, wanted);
    if (given->part_bytes)
        return check_part(run, launch, index);
    if (given->kind == SCENARIO_ARG_SCALAR && size != wanted->size)
        return diagnose(run->diagnosis, STATUS_BAD_SCENARIO,
                        "launch %zu, argument %zu '%s': found a value of %zu bytes, but its type %s has %zu",
                        launch, index, wanted->name, size, wanted->type_name, wanted->size);
    const bool as_bytes =
        given->values.type == VALUE_U8 && given->values.count > 1; /* a NaN's, for example */
    if (given->kind == SCENARIO_ARG_SCALAR && !as_bytes &&
        mixes_float_and_integer(wanted, given->values.type))
        return diagnose(run->diagnosis, STATUS_BAD_SCENARIO,
                        "launch %zu, argument %zu '%s': found a value of type %s, but its type is %s", launch,
                        index, wanted->name, value_type_name(given->values.type), wanted->type_name);
    return STATUS_OK;
}

/* Reports the wrong number of arguments, with the kernel's signature: "(float* a, int n)". */
static enum status wrong_count(struct run *run, size_t launch, const struct kernel_info *info)
{
    const size_t given = run->scenario->launches[launch].arg_count;
    struct sentence wanted;
    sentence_init(&wanted);
    for (size_t a = 0; a < info->arg_count; a++)
        sentence_add(&wanted, "%s%s %s", a ? ", " : "", info->args[a].type_name, info->args[a].name);
    return diagnose(run->diagnosis, STATUS_BAD_SCENARIO,
                    "launch %zu: found %zu argument%s, but kernel %s has %zu: (%s)", launch, given,
                    given == 1 ? "" : "s", info->name, info->arg_count, wanted.bytes);
}

static enum status check_args(struct run *run, size_t launch, const struct kernel_info *info)
{
    size_t given = run->scenario->launches[launch].arg_count;
    if (given != info->arg_count)
        return wrong_count(run, launch, info);
    enum status status = STATUS_OK;
    for (size_t a = 0; a < given && status == STATUS_OK; a++)
        status = check_arg(run, launch, a, &info->args[a]);
    return status;
}

static enum status check_images(struct run *run, size_t launch, const struct kernel_info *info, uint32_t root)
{
    struct diagnosis cause = {0};
    if (device_check_images(scenario_root(run->scenario, root), info, &cause) == STATUS_OK)
        return STATUS_OK;
    return diagnose(run->diagnosis, STATUS_BAD_SCENARIO, "launch %zu: %s", launch, cause.text);
}

static enum status check_sizes(struct run *run, size_t launch, const struct kernel_info *info,
                               const struct launch_request *request)
{
    const struct device_config *device = scenario_root(run->scenario, request->root);
    uint64_t total = 1;
    for (int i = 0; i < 3; i++) {
        uint64_t local = request->local_size[i], most = device->max_work_item_sizes[i];
        if (!local || local > most)
            return diagnose(run->diagnosis, STATUS_BAD_SCENARIO,
                            "launch %zu: local size %" PRIu64 ", expected 1 to %" PRIu64, launch, local,
                            most);
        if (info->required_size[0] && local != info->required_size[i])
            return diagnose(run->diagnosis, STATUS_BAD_SCENARIO,
                            "launch %zu: local size %" PRIu64 ", but kernel %s requires %" PRIu32, launch,
                            local, info->name, info->required_size[i]);
        if (!device->non_uniform_groups && request->global_size[i] % local)
            return diagnose(run->diagnosis, STATUS_BAD_SCENARIO,
                            "launch %zu: global size %" PRIu64 " is no multiple of local size %" PRIu64,
                            launch, request->global_size[i], local);
        total *= local;
    }
    if (total > device->max_work_group_size)
        return diagnose(run->diagnosis, STATUS_BAD_SCENARIO,
                        "launch %zu: %" PRIu64 " work-items in a work-group, expected 1 to %" PRIu32, launch,
                        total, device->max_work_group_size);
    return STATUS_OK;
}

/* ---- launching --------------------------------------------------------------------------------- */

static struct launch_arg *launch_args(const struct run *run, size_t launch, uint64_t *words,
                                      struct image_desc *images)
{
    size_t count = run->scenario->launches[launch].arg_count;
    struct launch_arg *args = calloc(count + 1, sizeof *args);
    for (size_t a = 0; args && a < count; a++) {
        const struct scenario_arg *arg = run_arg(run, launch, a);
        words[a] = arg->kind == SCENARIO_ARG_LOCAL ? arg->local_bytes
                                                   : run->addresses[launch][a] + arg->offset_bytes;
        args[a] = (struct launch_arg){&words[a], sizeof words[a], arg->part_bytes, 0};
        if (arg->kind == SCENARIO_ARG_IMAGE) {
            scenario_image_describe(&resolved_arg(run, launch, a)->image, words[a], (uint32_t)a + 1,
                                    &images[a]);
            args[a] = (struct launch_arg){&images[a], sizeof images[a], 0, 0};
        }
        if (arg->kind == SCENARIO_ARG_SCALAR)
            args[a] = (struct launch_arg){arg->values.data,
                                          arg->values.count * value_type_size(arg->values.type), 0, 0};
    }
    return args;
}

static void set_sizes(struct run *run, const struct scenario_launch *launch, struct launch_request *request)
{
    request->work_dim = launch->work_dim;
    for (uint32_t i = 0; i < 3; i++) {
        bool used = i < launch->work_dim;
        request->global_size[i] = used ? launch->global[i] : 1;
        request->global_offset[i] = used ? launch->offset[i] : 0;
        request->local_size[i] = used ? launch->local[i] : 1;
    }
    if (!launch->local[0])
        device_suggest_local_size(scenario_root(run->scenario, request->root), request->kernel,
                                  request->work_dim, request->global_size, request->local_size);
}

/* Sets the root device and the compute units that the launch's `device` names. */
static enum status set_device(struct run *run, size_t index, struct launch_request *request,
                              struct unit_set *out_units)
{
    struct diagnosis cause = {0};
    const char *path = run->scenario->launches[index].device;
    if (!path)
        return STATUS_OK;
    enum status status = device_path_units(run->scenario, path, &request->root, out_units, &cause);
    request->compute_units = out_units->units;
    request->compute_unit_count = out_units->count;
    return status == STATUS_OK ? status
                               : diagnose(run->diagnosis, status, "launch %zu: %s", index, cause.text);
}

/* A launch from its check to its end. */
struct batch_launch {
    size_t index;
    struct launch_request request;
    struct unit_set units;
    uint64_t *words;
    struct image_desc *images;
    struct launch_arg *args;
    struct live_launch *live; /* NULL: not begun, or over */
    struct launch_result result;
    bool over;
};

static enum status no_such_kernel(struct run *run, size_t launch)
{
    struct sentence names;
    sentence_init(&names);
    for (size_t i = 0; i < program_kernel_count(run->program); i++) {
        const struct kernel_info *info = kernel_info(program_kernel(run->program, i));
        if (!info->block && !info->initializer && !info->finalizer)
            sentence_add(&names, "%s%s", *names.bytes ? ", " : "", info->name);
    }
    return diagnose(run->diagnosis, STATUS_BAD_SCENARIO,
                    "launch %zu: the program has no kernel named %s; its kernels: %s", launch,
                    run->scenario->launches[launch].kernel, *names.bytes ? names.bytes : "none");
}

static enum status prepare_at(struct run *run, struct batch_launch *entry)
{
    const struct scenario_launch *launch = &run->scenario->launches[entry->index];
    struct launch_request *request = &entry->request;
    request->kernel = program_find_kernel(run->program, launch->kernel);
    if (!request->kernel)
        return no_such_kernel(run, entry->index);
    request->command = run->launch_commands[entry->index] = ++run->commands;
    request->arg_count = launch->arg_count;
    request->default_queue = run->queue;
    request->result = &entry->result;
    enum status status = set_device(run, entry->index, request, &entry->units);
    if (status != STATUS_OK)
        return status;
    set_sizes(run, launch, request);
    status = check_args(run, entry->index, kernel_info(request->kernel));
    if (status == STATUS_OK)
        status = check_sizes(run, entry->index, kernel_info(request->kernel), request);
    if (status == STATUS_OK)
        status = check_images(run, entry->index, kernel_info(request->kernel), request->root);
    if (status != STATUS_OK)
        return status;
    entry->words = calloc(launch->arg_count + 1, sizeof *entry->words);
    entry->images = calloc(launch->arg_count + 1, sizeof *entry->images);
    request->args = entry->args =
        entry->words && entry->images ? launch_args(run, entry->index, entry->words, entry->images) : NULL;
    return entry->args ? STATUS_OK : STATUS_OUT_OF_MEMORY;
}

enum status scenario_launch_refuse(struct run *run, size_t launch, enum status status,
                                   const struct diagnosis *cause)
{
    const struct scenario *scenario = run->scenario;
    const char *file = scenario->file ? scenario->file : "", *text = cause->text;
    const size_t length = strlen(file);
    const bool has_place = strncmp(text, file, length) == 0 && text[length] == ':';
    if (!*text)
        return status;
    if (!scenario->has_lines || has_place)
        return diagnose(run->diagnosis, status, "%s", text);
    return diagnose(run->diagnosis, status, "%s:%" PRIu32 ": %s", file, scenario->launches[launch].line,
                    text);
}

static enum status prepare(struct run *run, struct batch_launch *entry)
{
    struct diagnosis cause = {0}, *whole = run->diagnosis;
    run->diagnosis = &cause;
    const enum status status = prepare_at(run, entry);
    run->diagnosis = whole;
    return status == STATUS_OK ? status : scenario_launch_refuse(run, entry->index, status, &cause);
}

static void batch_launch_fini(struct batch_launch *entry)
{
    free(entry->args);
    free(entry->images);
    free(entry->words);
    unit_set_fini(&entry->units);
}

/* ---- those that run at the same time --------------------------------------------------------------- */

struct batch {
    struct run *run;
    struct batch_launch *launches;
    size_t count, to_begin, running;
    enum status status;
};

/* Announces an event of a launch to the checker. Launches of a batch have queues and devices of their own,
 * so the checker does not order them among each other. */
static void announce(const struct batch *batch, const struct batch_launch *entry, enum order_kind kind)
{
    struct run *run = batch->run;
    struct order_event event = {.kind = kind,
                                .command = entry->request.command,
                                .queue = (uint32_t)entry->index + 1,
                                .device = (uint32_t)entry->index + 1,
                                .call = "launch",
                                .time = kind == ORDER_ENQUEUED ? 0 : device_clock(run->device)};
    device_order(run->device, &event);
}

/* A launch that ends with a finding, or does not start because of one, is no error of the run: the others
 * of the batch run as they would on a device. */
static void count_status(struct batch *batch, enum status status, uint64_t reports_before)
{
    struct run *run = batch->run;
    bool reported = report_add_count(run->report) > reports_before;
    bool fine =
        status == STATUS_OK || status == STATUS_ABORTED || (status == STATUS_OUT_OF_RESOURCES && reported);
    if (!fine && (batch->status == STATUS_OK || batch->status == STATUS_NO_PROGRESS))
        batch->status = status;
    if (status != STATUS_OK && (fine || status == STATUS_NO_PROGRESS))
        *run->diagnosis = (struct diagnosis){0};
}

static void begin(struct batch *batch, struct batch_launch *entry)
{
    struct run *run = batch->run;
    const uint64_t reports = report_add_count(run->report);
    struct diagnosis cause = {0};
    enum status status = device_launch_begin(run->device, &entry->request, &entry->live, &cause);
    if (status != STATUS_OK)
        scenario_launch_refuse(run, entry->index, status, &cause);
    else
        report_launch_runs(run->report, device_last_launch(run->device), (uint32_t)entry->index + 1);
    if (batch->count > 1)
        announce(batch, entry, ORDER_BEGIN);
    batch->to_begin--;
    batch->running += status == STATUS_OK;
    entry->over = status != STATUS_OK;
    count_status(batch, status, reports);
}

static void end(struct batch *batch, struct batch_launch *entry)
{
    uint64_t time;
    const uint64_t reports = report_add_count(batch->run->report);
    struct diagnosis *diagnosis = batch->run->diagnosis;
    enum status status = device_launch_end(entry->live, &time, diagnosis);
    if (status == STATUS_OK && entry->result.child_error && diagnosis->text[0])
        status = diagnosis->status;
    entry->live = NULL;
    entry->over = true;
    batch->run->steps += entry->result.steps;
    batch->running--;
    if (batch->count > 1)
        announce(batch, entry, ORDER_END);
    count_status(batch, status, reports);
}

static bool units_overlap(const struct batch_launch *a, const struct batch_launch *b)
{
    bool whole = !a->units.count || !b->units.count;
    if (a->request.root != b->request.root || whole)
        return a->request.root == b->request.root;
    return unit_set_intersects(&a->units, &b->units);
}

static bool units_free(const struct batch *batch, const struct batch_launch *entry)
{
    for (size_t i = 0; i < batch->count; i++)
        if (batch->launches[i].live && units_overlap(&batch->launches[i], entry))
            return false;
    return true;
}

/* The first launch that has not begun and whose units are free; with shares_units, whether they are free or
 * not. */
static struct batch_launch *next_to_begin(const struct batch *batch, bool shares_units)
{
    for (size_t i = 0; i < batch->count; i++) {
        struct batch_launch *entry = &batch->launches[i];
        if (!entry->live && !entry->over && (shares_units || units_free(batch, entry)))
            return entry;
    }
    return NULL;
}

static void run_batch(struct batch *batch)
{
    while (batch->running || batch->to_begin) {
        struct batch_launch *next;
        while (batch->to_begin && (next = next_to_begin(batch, false)))
            begin(batch, next);
        struct live_launch *over =
            batch->running ? device_run(batch->run->device, batch->to_begin > 0 ? HELP_COMMANDS : HELP_NONE)
                           : NULL;
        if (!over && batch->to_begin) {
            /* Each running launch waits for another: let the next launch share their units. */
            begin(batch, next_to_begin(batch, true));
            continue;
        }
        for (size_t i = 0; over && i < batch->count; i++)
            if (batch->launches[i].live == over)
                end(batch, &batch->launches[i]);
    }
}

/* Announces a wait of the host: the checker orders the next launch after all of this batch. */
static enum status announce_wait(const struct batch *batch)
{
    uint32_t *commands = malloc(batch->count * sizeof *commands);
    const struct order_event event = {
        .kind = ORDER_HOST_WAITED, .after = commands, .after_count = batch->count};
    if (!commands)
        return STATUS_OUT_OF_MEMORY;
    for (size_t i = 0; i < batch->count; i++)
        commands[i] = batch->launches[i].request.command;
    device_order(batch->run->device, &event);
    free(commands);
    return batch->status;
}

static enum status launch_batch(struct run *run, size_t first, size_t count)
{
    struct batch batch = {.run = run, .count = count, .to_begin = count};
    batch.launches = calloc(count, sizeof *batch.launches);
    if (!batch.launches)
        return STATUS_OUT_OF_MEMORY;
    for (size_t i = 0; i < count && batch.status == STATUS_OK; i++) {
        batch.launches[i].index = first + i;
        batch.status = prepare(run, &batch.launches[i]);
        if (batch.status == STATUS_OK && count > 1)
            announce(&batch, &batch.launches[i], ORDER_ENQUEUED);
    }
    if (batch.status == STATUS_OK)
        run_batch(&batch);
    if ((batch.status == STATUS_OK || batch.status == STATUS_NO_PROGRESS) && count > 1)
        batch.status = announce_wait(&batch);
    for (size_t i = 0; i < count; i++)
        batch_launch_fini(&batch.launches[i]);
    free(batch.launches);
    return batch.status;
}

/* Findings name the device of a launch by the launch's path. */
static void name_devices(const struct run *run)
{
    const struct scenario *scenario = run->scenario;
    char name[120];
    bool several = scenario_root_count(scenario) > 1;
    for (size_t i = 0; i < scenario->launch_count; i++)
        several |= scenario->launches[i].device != NULL;
    if (!several)
        return;
    /* The name for accesses of a device that no launch names. */
    report_name_device(run->report, UINT32_MAX, "device 0");
    for (size_t i = 0; i < scenario->launch_count; i++) {
        snprintf(name, sizeof name, "device %s",
                 scenario->launches[i].device ? scenario->launches[i].device : "0");
        report_name_device(run->report, (uint32_t)i + 1, name);
    }
}

enum status scenario_launch_all(struct run *run)
{
    const struct scenario *scenario = run->scenario;
    name_devices(run);
    enum status all = STATUS_OK;
    for (size_t first = 0, count; first < scenario->launch_count; first += count) {
        for (count = 1;
             first + count < scenario->launch_count && scenario->launches[first + count].concurrent;)
            count++;
        enum status status = launch_batch(run, first, count);
        if (status == STATUS_NO_PROGRESS)
            all = status;
        else if (status != STATUS_OK)
            return status;
    }
    return all;
}
