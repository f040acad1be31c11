/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clEnqueueNDRangeKernel and clEnqueueTask (OpenCL 3.0 API, 5.10). Checks sizes, limits and arguments, and
 * copies the arguments, which the program may change after the call. run_kernel begins the launch on the
 * device; command_end ends it. An error names the value and its bound (call_detail).
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "lib/diagnose/call.h"
#include "lib/diagnose/usage.h"
#include "lib/record/launch_saver.h"
#include "lib/record/saved_report.h"
#include "command.h"
#include "device_info.h"
#include "api_device_queue.h"
#include "enqueue_command.h"
#include "error.h"
#include "event.h"
#include "command_order.h"
#include "api_program.h"
#include "api_runtime.h"
#include "svm.h"
#include "orrery/memory.h"
#include "transfer.h"

enum { DETAIL_CHARS = 300 };

/* ---- execution --------------------------------------------------------------------- */

static bool range_empty(const struct launch_request *request)
{
    return request->global_size[0] == 0 || request->global_size[1] == 0 || request->global_size[2] == 0;
}

/* A launch that a finding ended counts as complete: on a real device the program would continue, too. */
static cl_int conclude(const struct command *command, enum status status, const struct diagnosis *diagnosis)
{
    if (status == STATUS_NO_PROGRESS)
        runtime_no_progress();
    if (status == STATUS_BAD_SCENARIO)
        runtime_bad_scenario(diagnosis);
    if (status == STATUS_ABORTED || status == STATUS_OK)
        return CL_SUCCESS;
    if (status == STATUS_STOPPED)
        return CL_CONTEXT_TERMINATED_KHR;
    context_error(command->queue->context, diagnosis->text);
    return error_from_status(status);
}

cl_int run_kernel(struct command *command)
{
    struct diagnosis diagnosis = {0};
    struct launch_request *request = &command->u.launch.request;
    if (range_empty(request))
        return CL_SUCCESS;
    request->command = command->serial;
    /* without observers a debugger may have recorded the call, but findings must not depend on a debugger */
    request->enqueuer = order_observed() ? command->enqueuer : NULL;
    request->alone = order_alone_still(command);
    request->among_devices = command->queue->context->device_count > 1;
    request->result = &command->u.launch.result;
    request->stop = &command->queue->context->stop;
    enum status status = device_launch_begin(command_device(command), request, &command->live, &diagnosis);
    if (status == STATUS_OK)
        launch_saver_begun(command_device(command), request);
    return conclude(command, status, &diagnosis);
}

cl_int command_end(struct command *command, uint64_t *out_time)
{
    struct diagnosis diagnosis = {0};
    enum status status = device_launch_end(command->live, out_time, &diagnosis);
    command->live = NULL;
    command->event->time[EVENT_END] = command->u.launch.result.end_time;
    cl_int err = conclude(command, status, &diagnosis);
    if (!err && command->u.launch.result.child_error && diagnosis.text[0])
        context_error(command->queue->context, diagnosis.text);
    return err ? err : command->u.launch.result.child_error;
}

void drop_kernel(struct command *command)
{
    for (size_t i = 0; i < command->u.launch.memobj_count; i++)
        object_unref(command->u.launch.memobjs[i]);
    for (size_t i = 0; i < command->u.launch.queue_count; i++)
        object_unref(command->u.launch.queues[i]);
    free(command->u.launch.memobjs);
    free(command->u.launch.queues);
    free((void *)(uintptr_t)command->u.launch.request.args); /* allocated by take_args */
    free((void *)(uintptr_t)command->u.launch.request.reported);
    object_unref(command->u.launch.kernel);
}

/* ---- sizes ------------------------------------------------------------------------- */

static bool device_is_before(const struct device_config *config, uint32_t major, uint32_t minor)
{
    return config->version_major < major || (config->version_major == major && config->version_minor < minor);
}

/* An empty range is an error before OpenCL 2.1; from then on the command does nothing. */
static cl_int take_global(struct launch_request *request, const struct device_config *config,
                          const size_t *size, const size_t *offset)
{
    bool empty = false;
    for (uint32_t d = 0; d < 3; d++) {
        bool used = d < request->work_dim;
        request->global_size[d] = !used ? 1 : size ? size[d] : 0;
        request->global_offset[d] = used && offset ? offset[d] : 0;
        empty |= request->global_size[d] == 0;
        if (request->global_size[d] > SIZE_MAX - request->global_offset[d])
            return call_because(
                CL_INVALID_GLOBAL_OFFSET,
                "global_work_offset[%u] %zu and global_work_size[%u] %zu are together more than "
                "a size_t holds",
                d, (size_t)request->global_offset[d], d, (size_t)request->global_size[d]);
    }
    return empty && device_is_before(config, 2, 1) ? CL_INVALID_GLOBAL_WORK_SIZE : CL_SUCCESS;
}

static uint64_t volume(const uint64_t size[3])
{
    uint64_t plane;
    return __builtin_mul_overflow(size[0], size[1], &plane) || __builtin_mul_overflow(plane, size[2], &plane)
               ? UINT64_MAX
               : plane;
}

static bool has_required_size(const struct kernel_info *info)
{
    return info->required_size[0] != 0;
}

static bool groups_may_differ(const struct device_config *config, bool uniform_groups)
{
    return config->non_uniform_groups && !device_is_before(config, 2, 0) && !uniform_groups;
}

/* In each dimension the largest divisor of the global size that is at most the suggested size. */
static void make_uniform(struct launch_request *request)
{
    for (uint32_t d = 0; d < 3; d++)
        while (request->global_size[d] % request->local_size[d])
            request->local_size[d]--;
}

/* The work-group has as many sub-groups as the kernel requires; the last one need not be full. */
static bool has_required_sub_groups(const struct launch_request *request, const struct device_config *config,
                                    const struct kernel_info *info)
{
    const uint64_t items = volume(request->local_size);
    const uint32_t width = device_sub_group_size(config, request->kernel, items);
    return !info->required_sub_groups || (items + width - 1) / width == info->required_sub_groups;
}

static void choose_local(struct launch_request *request, const struct device_config *config,
                         const struct kernel_info *info, bool non_uniform)
{
    if (has_required_size(info)) {
        for (uint32_t d = 0; d < 3; d++)
            request->local_size[d] = info->required_size[d];
        return;
    }
    if (info->required_sub_groups) {
        request->local_size[0] =
            (uint64_t)info->required_sub_groups * device_sub_group_size(config, request->kernel, 0);
        request->local_size[1] = request->local_size[2] = 1;
        return;
    }
    device_suggest_local_size(config, request->kernel, request->work_dim, request->global_size,
                              request->local_size);
    if (!non_uniform)
        make_uniform(request);
}

/* Reports the wrong size, its value and its bound. */
static cl_int wrong_size(cl_int err, const char *what, uint64_t given, const char *limit, uint64_t most)
{
    char text[240];
    snprintf(text, sizeof text, "%s %" PRIu64 "; %s %" PRIu64, what, given, limit, most);
    call_detail(text);
    return err;
}

static cl_int wrong_dimension(cl_int err, uint32_t d, uint64_t given, const char *limit, uint64_t most)
{
    char what[60];
    snprintf(what, sizeof what, "local_work_size[%" PRIu32 "] is", d);
    return wrong_size(err, what, given, limit, most);
}

static cl_int check_local(const struct launch_request *request, const struct device_config *config,
                          const struct kernel_info *info)
{
    for (uint32_t d = 0; d < 3; d++)
        if (request->local_size[d] > config->max_work_item_sizes[d])
            return wrong_dimension(CL_INVALID_WORK_ITEM_SIZE, d, request->local_size[d],
                                   "CL_DEVICE_MAX_WORK_ITEM_SIZES allows", config->max_work_item_sizes[d]);
    uint64_t items = volume(request->local_size);
    if (items == 0 || items > config->max_work_group_size)
        return wrong_size(CL_INVALID_WORK_GROUP_SIZE, "the work-items of a work-group are", items,
                          "CL_DEVICE_MAX_WORK_GROUP_SIZE is", config->max_work_group_size);
    for (uint32_t d = 0; d < 3 && has_required_size(info); d++)
        if (request->local_size[d] != info->required_size[d])
            return wrong_dimension(CL_INVALID_WORK_GROUP_SIZE, d, request->local_size[d],
                                   "reqd_work_group_size of the kernel is", info->required_size[d]);
    return has_required_sub_groups(request, config, info) ? CL_SUCCESS : CL_INVALID_WORK_GROUP_SIZE;
}

static cl_int take_local(struct launch_request *request, const struct queue *queue,
                         const struct kernel_object *kernel, const size_t *size, bool uniform_groups)
{
    const struct device_config *config = queue->device->config;
    bool non_uniform = groups_may_differ(config, uniform_groups);
    cl_int err = CL_SUCCESS;
    if (size) {
        for (uint32_t d = 0; d < 3; d++)
            request->local_size[d] = d < request->work_dim ? size[d] : 1;
        err = check_local(request, config, kernel->info);
    } else if (!range_empty(request)) {
        choose_local(request, config, kernel->info, non_uniform);
        err = kernel->info->required_sub_groups ? check_local(request, config, kernel->info) : CL_SUCCESS;
    }
    if (err || range_empty(request))
        return err;
    for (uint32_t d = 0; d < 3 && !non_uniform; d++)
        if (request->global_size[d] % request->local_size[d])
            return wrong_dimension(CL_INVALID_WORK_GROUP_SIZE, d, request->local_size[d],
                                   "it does not divide the global size", request->global_size[d]);
    return CL_SUCCESS;
}

/* ---- arguments ----------------------------------------------------------------------- */

/* The arguments are one block of memory: the launch_args, then their values, aligned to 16 bytes. */
static size_t round_up(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

static bool is_pointer(const struct kernel_arg *arg)
{
    return arg->kind == ARG_GLOBAL || arg->kind == ARG_CONSTANT || arg->kind == ARG_PIPE;
}

static size_t value_size(const struct kernel_arg *arg, const struct kernel_arg_value *value)
{
    return arg->kind == ARG_VALUE || arg->kind == ARG_IMAGE ? value->size : sizeof(uint64_t);
}

static void copy_value(void *target, const struct kernel_arg *arg, const struct kernel_arg_value *value)
{
    uint64_t word = value->size; /* ARG_LOCAL */
    if (is_pointer(arg) || arg->kind == ARG_QUEUE)
        word = value->address;
    if (arg->kind == ARG_VALUE || arg->kind == ARG_SAMPLER)
        memcpy(target, value->bytes, value->size);
    else if (arg->kind == ARG_IMAGE)
        memcpy(target, &value->memobj->image->device, value->size);
    else
        memcpy(target, &word, sizeof word);
}

/* The argument's object was destroyed, since clSetKernelArg does not retain; another one may have its
 * handle. */
static bool is_stale(const struct kernel_arg_value *value)
{
    const struct memobj *memobj = value->memobj;
    const struct queue *queue = value->queue;
    if (queue && (object_lookup(queue, OBJECT_QUEUE) != queue || queue->number != value->address))
        return true;
    return memobj && (object_lookup(memobj, OBJECT_MEMOBJ) != memobj || memobj->address != value->address);
}

/* Reports the exhausted resource, the demand and its amount. */
static cl_int exceeds(const char *what, const char *argument, uint64_t needed, const char *limit,
                      uint64_t most)
{
    char text[240];
    snprintf(text, sizeof text, "%s%s%s %s %" PRIu64 "; %s is %" PRIu64, what, *argument ? " " : "", argument,
             *argument ? "has a size of" : "need", needed, limit, most);
    call_detail(text);
    return CL_OUT_OF_RESOURCES;
}

/* The limits of constant arguments and of all arguments (OpenCL 3.0 API, 4.2, table of device queries). */
static cl_int check_limits(const struct device_config *config, const struct kernel_object *kernel)
{
    uint64_t constants = 0, bytes = 0;
    for (size_t i = 0; i < kernel->info->arg_count; i++) {
        const struct kernel_arg *arg = &kernel->info->args[i];
        const struct memobj *memobj = kernel->args[i].memobj;
        bytes += arg->kind == ARG_VALUE ? arg->size : sizeof(cl_ulong);
        constants += arg->kind == ARG_CONSTANT;
        if (arg->kind == ARG_CONSTANT && memobj && memobj->size > config->constant_memory)
            return exceeds("the buffer of the constant argument", arg->name, memobj->size,
                           "CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE", config->constant_memory);
    }
    if (constants > DEVICE_MAX_CONSTANT_ARGS)
        return exceeds("the constant arguments, counted,", "", constants, "CL_DEVICE_MAX_CONSTANT_ARGS",
                       DEVICE_MAX_CONSTANT_ARGS);
    return bytes > DEVICE_MAX_PARAMETER_BYTES
               ? exceeds("the arguments, in bytes,", "", bytes, "CL_DEVICE_MAX_PARAMETER_SIZE",
                         DEVICE_MAX_PARAMETER_BYTES)
               : CL_SUCCESS;
}

/* Appends to a text, which is cut at the end of its room. */
static size_t add_text(char *text, size_t room, size_t used, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static size_t add_text(char *text, size_t room, size_t used, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(text + used, room - used, format, arguments);
    va_end(arguments);
    return size > 0 && used + (size_t)size < room ? used + (size_t)size : room - 1;
}

/* Names each argument's part of the local memory. */
static void report_local_memory(const struct device_config *config, const struct kernel_object *kernel,
                                uint64_t local)
{
    char text[DETAIL_CHARS];
    const struct kernel_info *info = kernel->info;
    size_t used = add_text(text, sizeof text, 0, "kernel %.80s needs %" PRIu64 " bytes of local memory (",
                           info->name, local);
    if (info->local_bytes)
        used = add_text(text, sizeof text, used, "its variables %zu, ", info->local_bytes);
    for (size_t i = 0; i < info->arg_count; i++)
        if (info->args[i].kind == ARG_LOCAL)
            used = add_text(text, sizeof text, used, "argument %zu '%.80s' %" PRIu64 ", ", i,
                            info->args[i].name, (uint64_t)kernel->args[i].size);
    used -= 2;
    add_text(text, sizeof text, used, "), CL_DEVICE_LOCAL_MEM_SIZE is %" PRIu64, config->local_memory);
    call_detail(text);
}

static cl_int check_local_memory(const struct device_config *config, const struct kernel_object *kernel,
                                 uint64_t local)
{
    const struct kernel_info *info = kernel->info;
    if (local > config->local_memory) {
        report_local_memory(config, kernel, local);
        return CL_OUT_OF_RESOURCES;
    }
    return device_check_images(config, info, NULL) != STATUS_OK ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

static size_t unset_count(const struct kernel_object *kernel)
{
    size_t count = 0;
    for (size_t i = 0; i < kernel->info->arg_count; i++)
        count += !kernel->args[i].set;
    return count;
}

/* Names all arguments that are not set; if all are, the one whose object was destroyed. */
static cl_int not_set(const struct kernel_object *kernel, size_t index)
{
    char text[DETAIL_CHARS];
    const size_t count = unset_count(kernel);
    size_t used = 0, named = 0;
    for (size_t i = 0; i < kernel->info->arg_count; i++) {
        if (count ? kernel->args[i].set : i != index)
            continue;
        const char *between = named == 0 ? "" : named + 1 == count ? " and " : ", ";
        used = add_text(text, sizeof text, used, "%sargument %zu '%.80s'", between, i,
                        kernel->info->args[i].name);
        named++;
    }
    add_text(text, sizeof text, used, " of kernel %.80s %s", kernel->info->name,
             !count       ? "was set to an object that is gone"
             : count == 1 ? "is not set"
                          : "are not set");
    call_detail(text);
    return CL_INVALID_KERNEL_ARGS;
}

/* A pointer that is no memory object must be NULL, or of a kind of SVM that the device has. */
static bool takes_pointer(const struct cl_device *device, const struct kernel_arg_value *value)
{
    if (value->memobj || !value->address)
        return true;
    return device->config->svm_coarse && (!value->of_system || device_supports_svm_system(device));
}

static cl_int check_args(const struct queue *queue, const struct kernel_object *kernel)
{
    uint64_t local = kernel->info->local_bytes;
    for (size_t i = 0; i < kernel->info->arg_count; i++) {
        const struct kernel_arg_value *value = &kernel->args[i];
        if (!value->set || is_stale(value))
            return not_set(kernel, i);
        cl_int err = value->memobj ? enqueue_buffer_aligned(queue, value->memobj) : CL_SUCCESS;
        if (err)
            return err;
        if (is_pointer(&kernel->info->args[i]) && !takes_pointer(queue->device, value))
            return CL_INVALID_OPERATION;
        if (kernel->info->args[i].kind == ARG_LOCAL && __builtin_add_overflow(local, value->size, &local))
            return CL_OUT_OF_RESOURCES;
    }
    const cl_int err = check_local_memory(queue->device->config, kernel, local);
    return err ? err : check_limits(queue->device->config, kernel);
}

/* Takes the reference. */
static void keep_queue(struct command *command, struct queue *queue)
{
    if (queue)
        command->u.launch.queues[command->u.launch.queue_count++] = queue;
}

/* The size of a buffer that shares its allocation with others; 0: the argument is none. */
static uint64_t part_size(const struct kernel_arg *arg, const struct memobj *memobj)
{
    return is_pointer(arg) && memobj && (memobj->parent || memobj->is_svm) ? memobj->size : 0;
}

/* A sub-buffer may be for reading, and its buffer not: its own flags count. */
static uint32_t part_denies(const struct memobj *memobj)
{
    if (!memobj)
        return 0;
    return memobj->flags & CL_MEM_READ_ONLY    ? DENY_KERNEL_WRITE
           : memobj->flags & CL_MEM_WRITE_ONLY ? DENY_KERNEL_READ
                                               : 0;
}

static cl_int take_args(struct command *command, const struct kernel_object *kernel)
{
    size_t count = kernel->info->arg_count;
    size_t size = round_up(count * sizeof(struct launch_arg));
    for (size_t i = 0; i < count; i++)
        size += round_up(value_size(&kernel->info->args[i], &kernel->args[i]));
    struct launch_arg *args = malloc(size ? size : 1);
    struct memobj **memobjs = calloc(count ? count : 1, sizeof *memobjs);
    struct queue **queues = calloc(count + 1, sizeof *queues); /* one more: the default device queue */
    command->u.launch.request.args = args;
    command->u.launch.request.arg_count = count;
    command->u.launch.memobjs = memobjs;
    command->u.launch.queues = queues;
    if (!args || !memobjs || !queues)
        return CL_OUT_OF_HOST_MEMORY;
    char *next = (char *)args + round_up(count * sizeof *args);
    for (size_t i = 0; i < count; i++) {
        args[i] = (struct launch_arg){next, value_size(&kernel->info->args[i], &kernel->args[i]),
                                      part_size(&kernel->info->args[i], kernel->args[i].memobj),
                                      part_denies(kernel->args[i].memobj)};
        copy_value(next, &kernel->info->args[i], &kernel->args[i]);
        next += round_up(args[i].size);
        if (kernel->args[i].memobj)
            memobjs[command->u.launch.memobj_count++] = object_ref(kernel->args[i].memobj);
        keep_queue(command, object_ref(kernel->args[i].queue));
    }
    struct queue *queue = device_queue_default(command->queue->context, command->queue->device);
    command->u.launch.request.default_queue = queue ? queue->number : 0;
    keep_queue(command, queue);
    return CL_SUCCESS;
}

/* ---- shared memory that the kernel may access -------------------------------------------------- */

struct reachable_memory {
    uint64_t *address;
    size_t count, room;
};

static void add_pointer(struct reachable_memory *reported, const void *pointer)
{
    if (reported->count < reported->room)
        reported->address[reported->count] = (uint64_t)(uintptr_t)pointer;
    reported->count++;
}

/* Counts all pointers, and stores as many as there is room for. */
static void add_pointers(struct reachable_memory *reported, const struct command *command,
                         const struct kernel_object *kernel)
{
    static const cl_uint sorts[] = {CL_MEM_TYPE_HOST_INTEL, CL_MEM_TYPE_DEVICE_INTEL,
                                    CL_MEM_TYPE_SHARED_INTEL};
    for (size_t i = 0; i < kernel->info->arg_count; i++)
        if (is_pointer(&kernel->info->args[i]))
            add_pointer(reported, (const void *)(uintptr_t)kernel->args[i].address);
    for (size_t i = 0; i < command->u.launch.memobj_count; i++)
        add_pointer(reported, (const void *)(uintptr_t)command->u.launch.memobjs[i]->address);
    for (size_t i = 0; i < kernel->svm_count; i++)
        add_pointer(reported, kernel->svm_pointers[i]);
    for (size_t i = 0; i < kernel->usm_count; i++)
        add_pointer(reported, kernel->usm_pointers[i]);
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++)
        if (kernel->usm_indirect[i])
            reported->count +=
                svm_list_usm(command->queue->context, sorts[i],
                             reported->room > reported->count ? reported->address + reported->count : NULL,
                             reported->room > reported->count ? reported->room - reported->count : 0);
}

/* OpenCL 2.2 API, 5.9.2, CL_KERNEL_EXEC_INFO_SVM_PTRS: the behaviour is undefined when it touches other
 * allocations. */
static cl_int take_reported(struct command *command, const struct kernel_object *kernel)
{
    struct reachable_memory reported = {.room = 0};
    if (!call_finds())
        return CL_SUCCESS;
    add_pointers(&reported, command, kernel);
    reported.room = reported.count;
    reported.count = 0;
    reported.address = calloc(reported.room + 1, sizeof *reported.address);
    if (!reported.address)
        return CL_OUT_OF_HOST_MEMORY;
    add_pointers(&reported, command, kernel);
    command->u.launch.request.reported = reported.address;
    command->u.launch.request.reported_count =
        reported.count < reported.room ? reported.count : reported.room;
    return CL_SUCCESS;
}

/* ---- the calls -------------------------------------------------------------------------- */

/* The kernel as this queue's device has it. */
static cl_int take_kernel(struct launch_request *request, const struct queue *queue, cl_kernel handle,
                          struct kernel_object **out_kernel, bool *out_uniform_groups)
{
    struct kernel_object *kernel = object_lookup(handle, OBJECT_KERNEL);
    if (!kernel)
        return CL_INVALID_KERNEL;
    if (kernel->program->context != queue->context)
        return CL_INVALID_CONTEXT;
    *out_kernel = kernel;
    usage_kernel_taken(kernel);
    request->kernel =
        program_kernel_for(kernel->program, queue->device, kernel->info->name, out_uniform_groups);
    return request->kernel ? CL_SUCCESS : CL_INVALID_PROGRAM_EXECUTABLE;
}

static cl_int check_numbers(const struct command *command, const struct launch_request *request)
{
    struct diagnosis diagnosis = {0};
    if (device_check_numbers(command_device(command), request, &diagnosis) == STATUS_OK)
        return CL_SUCCESS;
    call_detail(diagnosis.text);
    return CL_OUT_OF_RESOURCES;
}

static cl_int fill_kernel(struct enqueue *enqueue, cl_kernel handle, cl_uint work_dim,
                          const size_t *global_offset, const size_t *global_size, const size_t *local_size)
{
    const struct queue *queue = enqueue->queue;
    struct launch_request *request = &enqueue->command->u.launch.request;
    struct kernel_object *kernel = NULL;
    bool uniform_groups = false;
    cl_int err = take_kernel(request, queue, handle, &kernel, &uniform_groups);
    if (err)
        return err;
    if (work_dim < 1 || work_dim > 3)
        return call_because(CL_INVALID_WORK_DIMENSION, "work_dim is %u, and 1 to 3 are allowed", work_dim);
    request->root = queue->device->root;
    request->device = queue->device->base.id;
    request->compute_units = queue->units.units;
    request->compute_unit_count = queue->units.count;
    request->work_dim = work_dim;
    err = take_global(request, queue->device->config, global_size, global_offset);
    if (!err)
        err = take_local(request, queue, kernel, local_size, uniform_groups);
    if (!err)
        err = check_numbers(enqueue->command, request);
    if (!err)
        err = check_args(queue, kernel);
    if (err)
        return err;
    enqueue->command->u.launch.kernel = object_ref(kernel);
    err = take_args(enqueue->command, kernel);
    return err ? err : take_reported(enqueue->command, kernel);
}

static cl_int enqueue_launch(cl_command_queue queue, enum command_kind kind, cl_kernel kernel,
                             cl_uint work_dim, const size_t *global_offset, const size_t *global_size,
                             const size_t *local_size, cl_uint wait_count, const cl_event *waits,
                             cl_event *event)
{
    struct enqueue enqueue;
    cl_int err = enqueue_begin(&enqueue, queue, kind, wait_count, waits);
    if (!err)
        err = fill_kernel(&enqueue, kernel, work_dim, global_offset, global_size, local_size);
    const bool empty = !err && range_empty(&enqueue.command->u.launch.request);
    err = enqueue_end(&enqueue, err, false, event);
    if (!err)
        saved_reached(empty ? REACH_EMPTY : REACH_ENQUEUED, 0);
    return err;
}

cl_int CL_API_CALL api_clEnqueueNDRangeKernel(cl_command_queue command_queue, cl_kernel kernel,
                                              cl_uint work_dim, const size_t *global_work_offset,
                                              const size_t *global_work_size, const size_t *local_work_size,
                                              cl_uint num_events_in_wait_list,
                                              const cl_event *event_wait_list, cl_event *event)
{
    return enqueue_launch(command_queue, COMMAND_NDRANGE_KERNEL, kernel, work_dim, global_work_offset,
                          global_work_size, local_work_size, num_events_in_wait_list, event_wait_list, event);
}

cl_int CL_API_CALL api_clEnqueueTask(cl_command_queue command_queue, cl_kernel kernel,
                                     cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                     cl_event *event)
{
    const size_t one = 1;
    return enqueue_launch(command_queue, COMMAND_TASK, kernel, 1, NULL, &one, &one, num_events_in_wait_list,
                          event_wait_list, event);
}

/*
 * The local size of an enqueued kernel without one; an empty range, for which there is none, is refused in
 * every version.
 */
cl_int CL_API_CALL api_clGetKernelSuggestedLocalWorkSizeKHR(cl_command_queue command_queue, cl_kernel handle,
                                                            cl_uint work_dim,
                                                            const size_t *global_work_offset,
                                                            const size_t *global_work_size,
                                                            size_t *suggested_local_work_size)
{
    const struct queue *queue = object_lookup(command_queue, OBJECT_QUEUE);
    struct launch_request request = {.work_dim = work_dim};
    struct kernel_object *kernel = NULL;
    bool uniform_groups = false;
    if (!queue || device_queue_is(queue))
        return CL_INVALID_COMMAND_QUEUE;
    cl_int err = take_kernel(&request, queue, handle, &kernel, &uniform_groups);
    if (err)
        return err;
    if (work_dim < 1 || work_dim > 3)
        return CL_INVALID_WORK_DIMENSION;
    err = take_global(&request, queue->device->config, global_work_size, global_work_offset);
    if (!err && range_empty(&request))
        err = CL_INVALID_GLOBAL_WORK_SIZE;
    if (!err)
        err = check_args(queue, kernel);
    if (!err && !suggested_local_work_size)
        err = CL_INVALID_VALUE;
    if (err)
        return err;
    choose_local(&request, queue->device->config, kernel->info,
                 groups_may_differ(queue->device->config, uniform_groups));
    for (cl_uint d = 0; d < work_dim; d++)
        suggested_local_work_size[d] = request.local_size[d];
    return CL_SUCCESS;
}
