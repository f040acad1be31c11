/* SPDX-License-Identifier: Apache-2.0 */
/* clLinkProgram (OpenCL 3.0 API, 5.8.5): which programs are linked for which devices. The inputs are
 * copied under the lock, so that they may be built again meanwhile. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "context.h"
#include "error.h"
#include "program_work.h"
#include "lib/diagnose/call.h"

static bool is_linkable(const struct program_build *build)
{
    return build->binary_type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
           build->binary_type == CL_PROGRAM_BINARY_TYPE_LIBRARY;
}

static cl_int refuse_busy(const struct program_object *program)
{
    char text[80];
    snprintf(text, sizeof text, "a build of program %" PRIu32 " is not done yet", program->base.id);
    call_detail(text);
    return CL_INVALID_OPERATION;
}

static cl_int input_add(struct link_inputs *inputs, const struct context *context, cl_program handle)
{
    struct program_object *program = object_lookup(handle, OBJECT_PROGRAM);
    if (!program)
        return CL_INVALID_PROGRAM;
    if (program->context != context)
        return CL_INVALID_CONTEXT;
    runtime_lock();
    const struct program_build *build = program_latest(program);
    bool busy = program_building(program), linkable = is_linkable(build);
    enum status status =
        linkable ? program_work_copy_words(&build->spirv, &inputs->modules[inputs->count]) : STATUS_OK;
    inputs->kernel_arg_info |= build->kernel_arg_info;
    inputs->uniform_groups |= build->uniform_groups;
    inputs->debug |= build->debug;
    runtime_unlock();
    inputs->programs[inputs->count++] = object_ref(program);
    return busy ? refuse_busy(program) : error_from_status(status);
}

static void inputs_fini(struct link_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        spirv_fini(&inputs->modules[i]);
        object_unref(inputs->programs[i]);
    }
    free(inputs->modules);
    free(inputs->programs);
    free(inputs->devices);
}

static cl_int inputs_gather(struct link_inputs *inputs, const struct context *context, cl_uint count,
                            const cl_program *input_programs)
{
    cl_int err = CL_SUCCESS;
    inputs->modules = calloc(count, sizeof *inputs->modules);
    inputs->programs = calloc(count, sizeof *inputs->programs);
    if (!inputs->modules || !inputs->programs)
        return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < count && !err; i++)
        err = input_add(inputs, context, input_programs[i]);
    return err;
}

/* The number of inputs that hold a compiled binary for the device. */
static size_t inputs_for(const struct link_inputs *inputs, const struct cl_device *device)
{
    size_t count = 0;
    for (size_t i = 0; i < inputs->count; i++)
        count += is_linkable(program_build(inputs->programs[i], device));
    return count;
}

/* The first input that has a compiled binary for the device, or that has none. There is one. */
static const struct program_object *input_with(const struct link_inputs *inputs,
                                               const struct cl_device *device, bool linkable)
{
    size_t i = 0;
    while (i + 1 < inputs->count && is_linkable(program_build(inputs->programs[i], device)) != linkable)
        i++;
    return inputs->programs[i];
}

static cl_int refuse_device(const struct link_inputs *inputs, const struct cl_device *device)
{
    char text[160];
    snprintf(text, sizeof text,
             "program %" PRIu32 " has no compiled binary for device %" PRIu32 ", and program %" PRIu32
             " has one",
             input_with(inputs, device, false)->base.id, device->base.id,
             input_with(inputs, device, true)->base.id);
    call_detail(text);
    return CL_INVALID_OPERATION;
}

/*
 * The devices to link for (OpenCL 3.0 API, 5.8.5, clLinkProgram): those for which every input holds a
 * compiled binary. A device for which no input does gets no executable; a device for which only some do is an
 * error.
 */
static cl_int inputs_devices(struct link_inputs *inputs, cl_uint count, struct cl_device *const *devices)
{
    cl_int err = CL_SUCCESS;
    inputs->devices = calloc(count, sizeof *inputs->devices);
    if (!inputs->devices)
        return CL_OUT_OF_HOST_MEMORY;
    runtime_lock();
    for (cl_uint i = 0; i < count && !err; i++) {
        const size_t ready = inputs_for(inputs, devices[i]);
        if (ready == inputs->count)
            inputs->devices[inputs->device_count++] = devices[i];
        else if (ready)
            err = refuse_device(inputs, devices[i]);
    }
    runtime_unlock();
    return err;
}

/* Findings show source lines, which are known if the link has one input. */
static void keep_source(struct program_object *program, const struct link_inputs *inputs)
{
    if (inputs->count == 1 && program_source(inputs->programs[0]))
        program->source = strdup(program_source(inputs->programs[0]));
    if (inputs->count == 1)
        program_copy_placed(inputs->programs[0], &program->placed);
}

/* *out_program is set once linking has begun, since its log has the errors. */
static cl_int link_inputs(struct context *context, struct build_work *work, struct link_inputs *inputs,
                          notify_function *notify, void *data, struct program_object **out_program)
{
    bool all = work->device_count == 0;
    struct program_object *program =
        program_new(context, PROGRAM_FROM_LINK, all ? context->device_count : work->device_count,
                    all ? context->devices : work->devices);
    if (!program)
        return CL_OUT_OF_HOST_MEMORY;
    keep_source(program, inputs);
    object_publish(program);
    *out_program = program;
    work->program = program;
    work->inputs = inputs;
    work->parsed.kernel_arg_info |= inputs->kernel_arg_info;
    work->uniform_groups = inputs->uniform_groups;
    work->debug = inputs->debug;
    work->device_count = inputs->device_count;
    work->devices = inputs->devices;
    return inputs->device_count ? program_work_run(work, notify, data) : CL_SUCCESS;
}

static cl_int link_programs(struct context *context, struct build_work *work, cl_uint count,
                            const cl_program *input_programs, notify_function *notify, void *data,
                            struct program_object **out_program)
{
    struct link_inputs inputs = {0};
    cl_int err = inputs_gather(&inputs, context, count, input_programs);
    if (!err)
        err = inputs_devices(&inputs, work->device_count ? work->device_count : context->device_count,
                             work->device_count ? work->devices : context->devices);
    if (!err)
        err = program_work_parse_options(work, context);
    if (!err)
        err = link_inputs(context, work, &inputs, notify, data, out_program);
    work->devices = NULL; /* the inputs own them */
    inputs_fini(&inputs);
    return err;
}

cl_program CL_API_CALL api_clLinkProgram(cl_context handle, cl_uint num_devices,
                                         const cl_device_id *device_list, const char *options,
                                         cl_uint num_input_programs, const cl_program *input_programs,
                                         notify_function *pfn_notify, void *user_data, cl_int *errcode_ret)
{
    struct context *context = context_lookup(handle);
    struct program_object *program = NULL;
    struct build_work work = {.kind = LINK, .options = options ? options : ""};
    if (!context)
        return error_return(errcode_ret, CL_INVALID_CONTEXT, NULL);
    cl_int err = !pfn_notify && user_data ? CL_INVALID_VALUE
                                          : context_check_devices(context, num_devices, device_list);
    work.device_count = num_devices;
    work.devices = (struct cl_device **)(uintptr_t)device_list;
    if (!err && (!num_input_programs || !input_programs))
        err = call_because(CL_INVALID_VALUE, "%s",
                           input_programs ? "num_input_programs is 0" : "input_programs is NULL");
    if (!err)
        err = link_programs(context, &work, num_input_programs, input_programs, pfn_notify, user_data,
                            &program);
    context_refuse(context, "clLinkProgram", err);
    if (errcode_ret)
        *errcode_ret = err;
    return (cl_program)program;
}
