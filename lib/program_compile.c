/* SPDX-License-Identifier: Apache-2.0 */
/* clBuildProgram and clCompileProgram (OpenCL 3.0 API, 5.8.4 and 5.8.5): checks of their arguments, and
 * the headers of a compilation. */
#include <stdlib.h>

#include "api.h"
#include "lib/diagnose/call.h"
#include "context.h"
#include "program_work.h"

/* ---- clBuildProgram ------------------------------------------------------------------------- */

/* A binary keeps the options it was made with, which may be those of a link. */
static bool keeps_options(const struct program_object *program, const char *options)
{
    return !options && program->origin == PROGRAM_FROM_BINARY;
}

/* Compiled objects and libraries need clLinkProgram; built-in kernels are built already. */
static cl_int check_buildable(const struct program_object *program, const struct build_work *work)
{
    if (program->origin == PROGRAM_FROM_LINK || program->origin == PROGRAM_FROM_BUILT_IN)
        return CL_INVALID_OPERATION;
    struct cl_device *const *devices = work->device_count ? work->devices : program->devices;
    for (cl_uint i = 0; i < (work->device_count ? work->device_count : program->device_count); i++) {
        const struct program_binary *binary = program_binary_for(program, devices[i]);
        if (binary && (binary->type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
                       binary->type == CL_PROGRAM_BINARY_TYPE_LIBRARY))
            return CL_INVALID_BINARY; /* only an executable binary can be built: OpenCL 2.2 API, 5.8.4 */
    }
    return CL_SUCCESS;
}

static cl_int build(struct program_object *program, cl_uint num_devices, const cl_device_id *device_list,
                    const char *options, notify_function *notify, void *data)
{
    struct build_work work = {.kind = BUILD, .program = program, .options = options ? options : ""};
    work.keeps_options = keeps_options(program, options);
    cl_int err = program_work_check(&work, num_devices, device_list, notify, data);
    if (!err)
        err = check_buildable(program, &work);
    if (!err && !work.keeps_options)
        err = program_work_parse_options(&work, program->context);
    if (err)
        return err;
    work.parsed.create_library = false;
    work.wants_arg_info = work.parsed.kernel_arg_info;
    return program_work_run(&work, notify, data);
}

cl_int CL_API_CALL api_clBuildProgram(cl_program handle, cl_uint num_devices, const cl_device_id *device_list,
                                      const char *options, notify_function *pfn_notify, void *user_data)
{
    struct program_object *program = object_lookup(handle, OBJECT_PROGRAM);
    if (!program)
        return CL_INVALID_PROGRAM;
    cl_int err = build(program, num_devices, device_list, options, pfn_notify, user_data);
    return context_refuse(program->context, "clBuildProgram", err);
}

/* ---- clCompileProgram ------------------------------------------------------------------------- */

static cl_int gather_headers(const struct program_object *program, cl_uint count,
                             const cl_program *input_headers, const char **names,
                             struct compile_header *out_headers)
{
    for (cl_uint i = 0; i < count; i++) {
        const struct program_object *header = object_lookup(input_headers[i], OBJECT_PROGRAM);
        if (!header)
            return CL_INVALID_PROGRAM;
        if (header->context != program->context)
            return CL_INVALID_CONTEXT;
        if (!names[i])
            return CL_INVALID_VALUE;
        if (!program_source(header))
            return CL_INVALID_OPERATION;
        out_headers[i] = (struct compile_header){.name = names[i], .text = program_source(header)};
    }
    return CL_SUCCESS;
}

static cl_int compile(struct program_object *program, struct build_work *work, cl_uint header_count,
                      const cl_program *input_headers, const char **names, notify_function *notify,
                      void *data)
{
    struct compile_header *headers = calloc(header_count + (size_t)1, sizeof *headers);
    if (!headers)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int err = gather_headers(program, header_count, input_headers, names, headers);
    work->headers = headers;
    work->header_count = header_count;
    if (!err && program->origin != PROGRAM_FROM_SOURCE && program->origin != PROGRAM_FROM_IL)
        err = CL_INVALID_OPERATION;
    if (!err)
        err = program_work_parse_options(work, program->context);
    if (!err)
        err = program_work_run(work, notify, data);
    free(headers);
    return err;
}

cl_int CL_API_CALL api_clCompileProgram(cl_program handle, cl_uint num_devices,
                                        const cl_device_id *device_list, const char *options,
                                        cl_uint num_input_headers, const cl_program *input_headers,
                                        const char **header_include_names, notify_function *pfn_notify,
                                        void *user_data)
{
    struct program_object *program = object_lookup(handle, OBJECT_PROGRAM);
    if (!program)
        return CL_INVALID_PROGRAM;
    struct build_work work = {.kind = COMPILE, .program = program, .options = options ? options : ""};
    cl_int err = program_work_check(&work, num_devices, device_list, pfn_notify, user_data);
    if (!err && (!num_input_headers != !input_headers || !num_input_headers != !header_include_names))
        err = call_because(
            CL_INVALID_VALUE, "num_input_headers is %u, input_headers is %s and header_include_names is %s",
            num_input_headers, input_headers ? "given" : "NULL", header_include_names ? "given" : "NULL");
    if (!err)
        err = compile(program, &work, num_input_headers, input_headers, header_include_names, pfn_notify,
                      user_data);
    return context_refuse(program->context, "clCompileProgram", err);
}
