/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries about kernels, their arguments, work-groups and sub-groups (OpenCL 3.0 API, 5.9.4). Properties of
 * the kernel come from its module (sim/interp/kernel_info.c). Properties that depend on the device are
 * computed here: the largest work-group is the device's limit, or the required size, and sub-groups of a
 * local size are counted as the device forms them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "context.h"
#include "device_info.h"
#include "info.h"
#include "api_program.h"
#include "tokens.h"
#include "vector_hint.h"
#include "version.h"

/* ---- the kernel and its arguments ------------------------------------------------------ */

/* With the sign of the hint, which the module does not have. */
static cl_int attributes(const struct kernel_object *kernel, const struct info_reply *reply)
{
    static const char hint[] = "vec_type_hint(";
    const char *text = kernel->info->attributes, *source = program_source(kernel->program);
    const char *type = strstr(text, hint) ? strstr(text, hint) + strlen(hint) : NULL;
    char *whole = NULL;
    if (!type || !source || !strchr("csil", *type) || !vector_hint_is_unsigned(source, kernel->info->name))
        return info_string(reply, text);
    if (asprintf(&whole, "%.*su%s", (int)(type - text), text, type) < 0)
        return CL_OUT_OF_HOST_MEMORY;
    const cl_int err = info_string(reply, whole);
    free(whole);
    return err;
}

cl_int CL_API_CALL api_clGetKernelInfo(cl_kernel handle, cl_kernel_info param_name, size_t param_value_size,
                                       void *param_value, size_t *param_value_size_ret)
{
    const struct info_reply reply[] = {{param_value_size, param_value, param_value_size_ret}};
    const struct kernel_object *kernel = object_lookup(handle, OBJECT_KERNEL);
    if (!kernel)
        return CL_INVALID_KERNEL;
    switch (param_name) {
    case CL_KERNEL_FUNCTION_NAME: return info_string(reply, kernel->info->name);
    case CL_KERNEL_NUM_ARGS: return INFO_VALUE(reply, cl_uint, (cl_uint)kernel->info->arg_count);
    case CL_KERNEL_REFERENCE_COUNT: return INFO_VALUE(reply, cl_uint, kernel->base.refs);
    case CL_KERNEL_CONTEXT: return INFO_VALUE(reply, cl_context, (cl_context)kernel->program->context);
    case CL_KERNEL_PROGRAM: return INFO_VALUE(reply, cl_program, (cl_program)kernel->program);
    case CL_KERNEL_ATTRIBUTES: return attributes(kernel, reply);
    default: return CL_INVALID_VALUE;
    }
}

static cl_kernel_arg_address_qualifier address_qualifier(const struct kernel_arg *arg)
{
    switch (arg->kind) {
    case ARG_GLOBAL:
    case ARG_IMAGE:
    case ARG_PIPE: return CL_KERNEL_ARG_ADDRESS_GLOBAL;
    case ARG_CONSTANT: return CL_KERNEL_ARG_ADDRESS_CONSTANT;
    case ARG_LOCAL: return CL_KERNEL_ARG_ADDRESS_LOCAL;
    default: return CL_KERNEL_ARG_ADDRESS_PRIVATE;
    }
}

static cl_kernel_arg_access_qualifier access_qualifier(const struct kernel_arg *arg)
{
    if (arg->kind != ARG_IMAGE && arg->kind != ARG_PIPE)
        return CL_KERNEL_ARG_ACCESS_NONE;
    if (arg->write_only)
        return CL_KERNEL_ARG_ACCESS_WRITE_ONLY;
    return arg->read_only ? CL_KERNEL_ARG_ACCESS_READ_ONLY : CL_KERNEL_ARG_ACCESS_READ_WRITE;
}

/* const, restrict and volatile qualify the pointee. */
static cl_kernel_arg_type_qualifier type_qualifier(const struct kernel_arg *arg)
{
    cl_kernel_arg_type_qualifier qualifier = CL_KERNEL_ARG_TYPE_NONE;
    if (arg->kind == ARG_PIPE)
        return CL_KERNEL_ARG_TYPE_PIPE;
    if (arg->kind != ARG_GLOBAL && arg->kind != ARG_CONSTANT && arg->kind != ARG_LOCAL)
        return qualifier;
    if (arg->is_const || arg->kind == ARG_CONSTANT)
        qualifier |= CL_KERNEL_ARG_TYPE_CONST;
    if (arg->is_restrict)
        qualifier |= CL_KERNEL_ARG_TYPE_RESTRICT;
    if (arg->is_volatile)
        qualifier |= CL_KERNEL_ARG_TYPE_VOLATILE;
    return qualifier;
}

static cl_int query_arg(const struct info_reply *reply, const struct kernel_arg *arg,
                        cl_kernel_arg_info param_name)
{
    switch (param_name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        return INFO_VALUE(reply, cl_kernel_arg_address_qualifier, address_qualifier(arg));
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        return INFO_VALUE(reply, cl_kernel_arg_access_qualifier, access_qualifier(arg));
    case CL_KERNEL_ARG_TYPE_NAME: return info_string(reply, arg->type_name);
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        return INFO_VALUE(reply, cl_kernel_arg_type_qualifier, type_qualifier(arg));
    case CL_KERNEL_ARG_NAME: return info_string(reply, arg->name);
    default: return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL api_clGetKernelArgInfo(cl_kernel handle, cl_uint arg_index, cl_kernel_arg_info param_name,
                                          size_t param_value_size, void *param_value,
                                          size_t *param_value_size_ret)
{
    const struct info_reply reply[] = {{param_value_size, param_value, param_value_size_ret}};
    const struct kernel_object *kernel = object_lookup(handle, OBJECT_KERNEL);
    if (!kernel)
        return CL_INVALID_KERNEL;
    if (arg_index >= kernel->info->arg_count)
        return CL_INVALID_ARG_INDEX;
    if (!program_info_available(kernel->program))
        return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    return query_arg(reply, &kernel->info->args[arg_index], param_name);
}

/* ---- the kernel on a device ---------------------------------------------------------------- */

/* NULL stands for the device of a program that has one only. */
static const struct cl_device *device_of(const struct kernel_object *kernel, cl_device_id handle)
{
    const struct program_object *program = kernel->program;
    if (!handle)
        return program->device_count == 1 ? program->devices[0] : NULL;
    return context_serves(program->context, handle) ? (const struct cl_device *)handle : NULL;
}

static cl_ulong local_bytes(const struct kernel_object *kernel)
{
    cl_ulong bytes = kernel->info->local_bytes;
    for (size_t i = 0; i < kernel->info->arg_count; i++)
        if (kernel->info->args[i].kind == ARG_LOCAL && kernel->args[i].set)
            bytes += kernel->args[i].size;
    return bytes;
}

static uint64_t max_group_size(const struct kernel_object *kernel, const struct cl_device *device)
{
    const uint32_t *required = kernel->info->required_size;
    return required[0] ? (uint64_t)required[0] * required[1] * required[2]
                       : device->config->max_work_group_size;
}

/* CL_KERNEL_GLOBAL_WORK_SIZE: a multiple of the required work-group size. */
static cl_int query_global_size(const struct info_reply *reply, const struct kernel_object *kernel)
{
    size_t most[3];
    for (int d = 0; d < 3; d++) {
        size_t multiple = kernel->info->required_size[d] ? kernel->info->required_size[d] : 1;
        most[d] = SIZE_MAX / multiple * multiple;
    }
    return info_bytes(reply, most, sizeof most);
}

static bool has_global_size(const struct kernel_object *kernel, const struct cl_device *device)
{
    return kernel->program->origin == PROGRAM_FROM_BUILT_IN || device->config->type == DEVICE_CUSTOM;
}

static uint32_t sub_group_size(const struct kernel_object *kernel, const struct cl_device *device,
                               uint64_t items)
{
    uint32_t size = device_sub_group_size(device->config, kernel->kernel, items);
    return size ? size : 1;
}

cl_int CL_API_CALL api_clGetKernelWorkGroupInfo(cl_kernel handle, cl_device_id device_handle,
                                                cl_kernel_work_group_info param_name, size_t param_value_size,
                                                void *param_value, size_t *param_value_size_ret)
{
    const struct info_reply reply[] = {{param_value_size, param_value, param_value_size_ret}};
    const struct kernel_object *kernel = object_lookup(handle, OBJECT_KERNEL);
    if (!kernel)
        return CL_INVALID_KERNEL;
    const struct cl_device *device = device_of(kernel, device_handle);
    if (!device)
        return CL_INVALID_DEVICE;
    const uint32_t *required = kernel->info->required_size;
    switch (param_name) {
    case CL_KERNEL_WORK_GROUP_SIZE: return INFO_VALUE(reply, size_t, device->config->max_work_group_size);
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return info_bytes(reply, (size_t[]){required[0], required[1], required[2]}, 3 * sizeof(size_t));
    case CL_KERNEL_LOCAL_MEM_SIZE: return INFO_VALUE(reply, cl_ulong, local_bytes(kernel));
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return INFO_VALUE(reply, size_t, sub_group_size(kernel, device, device->config->max_work_group_size));
    case CL_KERNEL_PRIVATE_MEM_SIZE: return INFO_VALUE(reply, cl_ulong, kernel_private_bytes(kernel->kernel));
    case CL_KERNEL_SPILL_MEM_SIZE_INTEL: /* the simulated device spills no registers */
        return device_supports_sub_groups(device) ? INFO_VALUE(reply, cl_ulong, 0) : CL_INVALID_VALUE;
    case CL_KERNEL_GLOBAL_WORK_SIZE:
        return has_global_size(kernel, device) ? query_global_size(reply, kernel) : CL_INVALID_VALUE;
    default: return CL_INVALID_VALUE;
    }
}

/* ---- sub-groups -------------------------------------------------------------------------------- */

struct kernel_query {
    size_t size;
    const void *value;
};

/* The number of work-items of a local size of one to three dimensions; 0: the value is no local size. */
static uint64_t items_of_local_size(const struct kernel_query *input)
{
    const size_t *size = input->value;
    size_t dimensions = input->size / sizeof *size;
    uint64_t items = 1;
    if (!size || input->size % sizeof *size || !dimensions || dimensions > 3)
        return 0;
    for (size_t i = 0; i < dimensions; i++)
        if (__builtin_mul_overflow(items, size[i], &items))
            return 0;
    return items;
}

static cl_int query_sub_group_size(const struct info_reply *reply, const struct kernel_object *kernel,
                                   const struct cl_device *device, const struct kernel_query *input,
                                   bool want_count)
{
    uint64_t items = items_of_local_size(input);
    if (!items)
        return CL_INVALID_VALUE;
    uint32_t size = sub_group_size(kernel, device, items);
    uint64_t answer = want_count ? (items + size - 1) / size : size < items ? size : items;
    return INFO_VALUE(reply, size_t, answer);
}

/* One dimension of that many full sub-groups, or zeros if no work-group can have them. */
static cl_int query_local_size(const struct info_reply *reply, const struct kernel_object *kernel,
                               const struct cl_device *device, const struct kernel_query *input)
{
    size_t answer[3] = {0, 0, 0}, count = 0, size = reply->value ? reply->size : sizeof answer;
    if (input->size != sizeof count || !input->value)
        return CL_INVALID_VALUE;
    if (!size || size % sizeof *answer || size > sizeof answer)
        return CL_INVALID_VALUE;
    count = *(const size_t *)input->value;
    uint64_t limit = max_group_size(kernel, device), items = 0;
    uint32_t width = sub_group_size(kernel, device, limit);
    bool fits = count && count <= limit / width;
    if (fits)
        items = (uint64_t)count * width;
    if (fits && kernel->info->required_size[0])
        fits = kernel->info->required_size[0] == items && limit == items;
    if (fits) {
        answer[0] = items;
        answer[1] = answer[2] = 1;
    }
    return info_bytes(reply, answer, size);
}

cl_int CL_API_CALL api_clGetKernelSubGroupInfo(cl_kernel handle, cl_device_id device_handle,
                                               cl_kernel_sub_group_info param_name, size_t input_value_size,
                                               const void *input_value, size_t param_value_size,
                                               void *param_value, size_t *param_value_size_ret)
{
    const struct info_reply reply[] = {{param_value_size, param_value, param_value_size_ret}};
    const struct kernel_query input = {input_value_size, input_value};
    const struct kernel_object *kernel = object_lookup(handle, OBJECT_KERNEL);
    if (!kernel)
        return CL_INVALID_KERNEL;
    const struct cl_device *device = device_of(kernel, device_handle);
    if (!device)
        return CL_INVALID_DEVICE;
    if (!device_supports_sub_groups(device))
        return CL_INVALID_OPERATION;
    if (!version_has_query(device, param_name))
        return CL_INVALID_VALUE;
    uint64_t limit = max_group_size(kernel, device);
    uint32_t width = sub_group_size(kernel, device, limit);
    switch (param_name) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
        return query_sub_group_size(reply, kernel, device, &input, false);
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
        return query_sub_group_size(reply, kernel, device, &input, true);
    case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT: return query_local_size(reply, kernel, device, &input);
    case CL_KERNEL_MAX_NUM_SUB_GROUPS: return INFO_VALUE(reply, size_t, (limit + width - 1) / width);
    case CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL:
        return INFO_VALUE(reply, size_t, kernel->info->required_sub_group_size);
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS:
        return INFO_VALUE(reply, size_t, kernel->info->required_sub_groups);
    default: return CL_INVALID_VALUE;
    }
}

/* cl_khr_subgroups has the two queries about a local size. */
cl_int CL_API_CALL api_clGetKernelSubGroupInfoKHR(cl_kernel kernel, cl_device_id device,
                                                  cl_kernel_sub_group_info param_name,
                                                  size_t input_value_size, const void *input_value,
                                                  size_t param_value_size, void *param_value,
                                                  size_t *param_value_size_ret)
{
    return api_clGetKernelSubGroupInfo(kernel, device, param_name, input_value_size, input_value,
                                       param_value_size, param_value, param_value_size_ret);
}
