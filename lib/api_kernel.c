/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel objects and their arguments (OpenCL 3.0 API, 5.9.1 to 5.9.3). clSetKernelArg checks a value by the
 * kind of the parameter and keeps a copy; memory objects are not retained, as the specification says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "lib/diagnose/call.h"
#include "lib/diagnose/usage.h"
#include "context.h"
#include "device_info.h"
#include "api_device_queue.h"
#include "error.h"
#include "info.h"
#include "api_program.h"
#include "version.h"

static struct kernel_object *kernel_lookup(cl_kernel handle)
{
    return object_lookup(handle, OBJECT_KERNEL);
}

/* ---- creating ---------------------------------------------------------------------- */

void kernel_destroy(void *object)
{
    struct kernel_object *kernel = object;
    for (size_t i = 0; kernel->args && i < kernel->info->arg_count; i++)
        free(kernel->args[i].bytes);
    free(kernel->args);
    free(kernel->svm_pointers);
    free(kernel->usm_pointers);
    usage_kernel_gone(kernel);
    program_detach(kernel->program);
}

static struct kernel_object *kernel_new(struct program_object *program, const struct kernel *code)
{
    struct kernel_object *kernel = object_new(OBJECT_KERNEL, sizeof *kernel);
    if (!kernel)
        return NULL;
    program_attach(program);
    kernel->program = program;
    kernel->kernel = code;
    kernel->info = kernel_info(code);
    kernel->args = calloc(kernel->info->arg_count + 1, sizeof *kernel->args);
    if (kernel->args)
        return kernel;
    object_unref(kernel);
    return NULL;
}

/* "'Sum' is not one of its kernels 'sum', 'scan' and 3 more" */
static void report_name(const struct program_object *program, const char *name)
{
    enum { NAMED = 4 };
    const size_t count = program_kernels(program, NULL);
    const struct kernel **kernels = count ? malloc(count * sizeof *kernels) : NULL;
    char text[400];
    if (!kernels)
        return;
    program_kernels(program, kernels);
    int at = snprintf(text, sizeof text, "'%.60s' is not one of its kernels ", name);
    for (size_t i = 0; i < count && i < NAMED; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s'%.60s'", i ? ", " : "",
                       kernel_info(kernels[i])->name);
    if (count > NAMED)
        snprintf(text + at, sizeof text - (size_t)at, " and %zu more", count - NAMED);
    free(kernels);
    call_detail(text);
}

static cl_int create_kernel(struct program_object *program, const char *name,
                            struct kernel_object **out_kernel)
{
    if (!name)
        return CL_INVALID_VALUE;
    if (!program_executable(program))
        return CL_INVALID_PROGRAM_EXECUTABLE;
    const struct kernel *code = program_named(program, name);
    if (!code) {
        report_name(program, name);
        return CL_INVALID_KERNEL_NAME;
    }
    if (!program_agrees_on(program, code))
        return CL_INVALID_KERNEL_DEFINITION;
    *out_kernel = kernel_new(program, code);
    if (!*out_kernel)
        return CL_OUT_OF_HOST_MEMORY;
    object_publish(*out_kernel);
    return CL_SUCCESS;
}

cl_kernel CL_API_CALL api_clCreateKernel(cl_program handle, const char *kernel_name, cl_int *errcode_ret)
{
    struct program_object *program = object_lookup(handle, OBJECT_PROGRAM);
    struct kernel_object *kernel = NULL;
    if (!program)
        return error_return(errcode_ret, CL_INVALID_PROGRAM, NULL);
    struct context *context = program->context;
    program_attach(program); /* from now on no thread may build the program again */
    cl_int err = create_kernel(program, kernel_name, &kernel);
    err = context_refuse(context, "clCreateKernel", err);
    program_detach(program);
    return error_return(errcode_ret, err, kernel);
}

/* Makes all kernel objects, or none. */
static cl_int make_kernels(struct program_object *program, const struct kernel *const *codes, size_t count,
                           cl_kernel *kernels)
{
    for (size_t i = 0; i < count; i++) {
        struct kernel_object *kernel = kernel_new(program, codes[i]);
        if (!kernel) {
            while (i--)
                object_release(kernels[i], OBJECT_KERNEL);
            return CL_OUT_OF_HOST_MEMORY;
        }
        object_publish(kernel);
        kernels[i] = (cl_kernel)kernel;
    }
    return CL_SUCCESS;
}

static cl_int create_kernels(struct program_object *program, cl_uint room, cl_kernel *kernels,
                             cl_uint *out_count)
{
    if (!program_executable(program))
        return CL_INVALID_PROGRAM_EXECUTABLE;
    runtime_lock();
    const size_t count = program_kernels(program, NULL);
    const struct kernel **codes = calloc(count + 1, sizeof *codes);
    if (codes)
        program_kernels(program, codes);
    runtime_unlock();
    cl_int err = codes ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (!err && kernels && room < count)
        err = CL_INVALID_VALUE;
    if (!err && kernels)
        err = make_kernels(program, codes, count, kernels);
    free(codes);
    if (!err && out_count)
        *out_count = (cl_uint)count;
    return err;
}

cl_int CL_API_CALL api_clCreateKernelsInProgram(cl_program handle, cl_uint num_kernels, cl_kernel *kernels,
                                                cl_uint *num_kernels_ret)
{
    struct program_object *program = object_lookup(handle, OBJECT_PROGRAM);
    if (!program)
        return CL_INVALID_PROGRAM;
    program_attach(program);
    cl_int err = create_kernels(program, num_kernels, kernels, num_kernels_ret);
    err = context_refuse(program->context, "clCreateKernelsInProgram", err);
    program_detach(program);
    return err;
}

static bool copy_bytes(void **out_bytes, const void *bytes, size_t size)
{
    *out_bytes = NULL;
    if (!bytes)
        return true;
    *out_bytes = malloc(size ? size : 1);
    if (!*out_bytes)
        return false;
    memcpy(*out_bytes, bytes, size);
    return true;
}

static bool copy_state(struct kernel_object *copy, const struct kernel_object *source)
{
    for (size_t i = 0; i < source->info->arg_count; i++) {
        void *bytes;
        if (!copy_bytes(&bytes, source->args[i].bytes, source->args[i].size))
            return false;
        copy->args[i] = source->args[i];
        copy->args[i].bytes = bytes;
    }
    void *pointers;
    if (!copy_bytes(&pointers, source->svm_pointers, source->svm_count * sizeof *source->svm_pointers))
        return false;
    copy->svm_pointers = pointers;
    copy->svm_count = source->svm_count;
    copy->svm_system = source->svm_system;
    if (!copy_bytes(&pointers, source->usm_pointers, source->usm_count * sizeof *source->usm_pointers))
        return false;
    copy->usm_pointers = pointers;
    copy->usm_count = source->usm_count;
    memcpy(copy->usm_indirect, source->usm_indirect, sizeof copy->usm_indirect);
    return true;
}

cl_kernel CL_API_CALL api_clCloneKernel(cl_kernel source_kernel, cl_int *errcode_ret)
{
    struct kernel_object *source = kernel_lookup(source_kernel);
    if (!source)
        return error_return(errcode_ret, CL_INVALID_KERNEL, NULL);
    usage_kernel_taken(source);
    if (!version_context_at_least(source->program->context, 2, 1))
        return error_return(errcode_ret,
                            context_refuse(source->program->context, "clCloneKernel", CL_INVALID_OPERATION),
                            NULL);
    struct kernel_object *copy = kernel_new(source->program, source->kernel);
    if (copy && !copy_state(copy, source)) {
        object_unref(copy);
        copy = NULL;
    }
    if (!copy)
        return error_return(errcode_ret, CL_OUT_OF_HOST_MEMORY, NULL);
    object_publish(copy);
    return error_return(errcode_ret, CL_SUCCESS, copy);
}

cl_int CL_API_CALL api_clRetainKernel(cl_kernel kernel)
{
    return object_retain(kernel, OBJECT_KERNEL);
}

cl_int CL_API_CALL api_clReleaseKernel(cl_kernel kernel)
{
    return object_release(kernel, OBJECT_KERNEL);
}

/* ---- arguments ----------------------------------------------------------------------- */

/* The buffer has more bytes than the parameter's MaxByteOffset allows. */
static bool is_too_large(const struct kernel_arg *arg, uint64_t size)
{
    return arg->max_bytes && size > arg->max_bytes;
}

static bool is_before_3(const struct cl_device *device)
{
    return !device_version_at_least(device, 3, 0);
}

/* NULL, as arg_value or as the handle in it, is a valid argument. Up to OpenCL 2.2 arg_size must be the
 * size of a handle even if arg_value is NULL. */
static cl_int set_memory(const struct kernel_object *kernel, const struct kernel_arg *arg,
                         struct kernel_arg_value *out_value, size_t size, const void *value)
{
    cl_mem handle = NULL;
    *out_value = (struct kernel_arg_value){.set = true, .size = sizeof(uint64_t)};
    if (!value)
        return size != sizeof handle && context_any(kernel->program->context, is_before_3)
                   ? CL_INVALID_ARG_SIZE
                   : CL_SUCCESS;
    if (size != sizeof handle)
        return CL_INVALID_ARG_SIZE;
    memcpy(&handle, value, sizeof handle);
    if (!handle)
        return CL_SUCCESS;
    struct memobj *memobj = object_lookup(handle, OBJECT_MEMOBJ);
    if (!memobj || memobj->type != CL_MEM_OBJECT_BUFFER)
        return CL_INVALID_MEM_OBJECT;
    if (memobj->context != kernel->program->context)
        return CL_INVALID_CONTEXT;
    if (is_too_large(arg, memobj->size))
        return CL_MAX_SIZE_RESTRICTION_EXCEEDED;
    out_value->memobj = memobj;
    out_value->address = memobj->address;
    return CL_SUCCESS;
}

/* Copies a required handle from the value to out_handle. */
static cl_int take_handle(void *out_handle, size_t size, const void *value, cl_int if_none)
{
    if (!value)
        return if_none;
    if (size != sizeof(void *))
        return CL_INVALID_ARG_SIZE;
    memcpy(out_handle, value, size);
    return CL_SUCCESS;
}

static cl_int check_image(const struct kernel_object *kernel, const struct kernel_arg *arg,
                          const struct memobj *memobj)
{
    if (!memobj || !memobj->image || memobj->image->device.type != arg->image_type ||
        memobj->image->device.format->depth != arg->image_depth)
        return CL_INVALID_MEM_OBJECT;
    const bool forbidden = (arg->read_only && memobj->flags & CL_MEM_WRITE_ONLY) ||
                           (arg->write_only && memobj->flags & CL_MEM_READ_ONLY);
    const bool writes_srgb = !arg->read_only && memobj->image->device.format->srgb;
    if (forbidden || (writes_srgb && !context_any(kernel->program->context, device_writes_srgb_images)))
        return CL_INVALID_ARG_VALUE;
    return CL_SUCCESS;
}

static cl_int set_image(const struct kernel_object *kernel, const struct kernel_arg *arg,
                        struct kernel_arg_value *out_value, size_t size, const void *value)
{
    cl_mem handle = NULL;
    cl_int err = take_handle(&handle, size, value, CL_INVALID_MEM_OBJECT);
    if (err)
        return err;
    struct memobj *memobj = object_lookup(handle, OBJECT_MEMOBJ);
    err = check_image(kernel, arg, memobj);
    if (err)
        return err;
    if (memobj->context != kernel->program->context)
        return CL_INVALID_CONTEXT;
    *out_value = (struct kernel_arg_value){
        .set = true, .size = sizeof memobj->image->device, .memobj = memobj, .address = memobj->address};
    return CL_SUCCESS;
}

static cl_int set_pipe(const struct kernel_object *kernel, struct kernel_arg_value *out_value, size_t size,
                       const void *value)
{
    cl_mem handle = NULL;
    cl_int err = take_handle(&handle, size, value, CL_INVALID_MEM_OBJECT);
    if (err)
        return err;
    struct memobj *memobj = object_lookup(handle, OBJECT_MEMOBJ);
    if (!memobj || memobj->type != CL_MEM_OBJECT_PIPE)
        return CL_INVALID_MEM_OBJECT;
    if (memobj->context != kernel->program->context)
        return CL_INVALID_CONTEXT;
    *out_value = (struct kernel_arg_value){
        .set = true, .size = sizeof memobj->address, .memobj = memobj, .address = memobj->address};
    return CL_SUCCESS;
}

/* Keeps the sampler's properties, since the program may release it. */
static cl_int set_sampler(const struct kernel_object *kernel, struct kernel_arg_value *out_value, size_t size,
                          const void *value)
{
    cl_sampler handle = NULL;
    cl_int err = take_handle(&handle, size, value, CL_INVALID_SAMPLER);
    if (err)
        return err;
    const struct sampler_object *sampler = object_lookup(handle, OBJECT_SAMPLER);
    if (!sampler)
        return CL_INVALID_SAMPLER;
    if (sampler->context != kernel->program->context)
        return CL_INVALID_CONTEXT;
    uint64_t bits = sampler_pack(&sampler->sampler);
    *out_value = (struct kernel_arg_value){.set = true, .size = sizeof bits};
    return copy_bytes(&out_value->bytes, &bits, sizeof bits) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

static cl_int set_queue(const struct kernel_object *kernel, struct kernel_arg_value *out_value, size_t size,
                        const void *value)
{
    cl_command_queue handle = NULL;
    cl_int err = take_handle(&handle, size, value, CL_INVALID_DEVICE_QUEUE);
    if (err)
        return err;
    struct queue *queue = object_lookup(handle, OBJECT_QUEUE);
    if (!queue || !device_queue_is(queue) || queue->context != kernel->program->context)
        return CL_INVALID_DEVICE_QUEUE;
    *out_value = (struct kernel_arg_value){
        .set = true, .size = sizeof(uint64_t), .queue = queue, .address = queue->number};
    return CL_SUCCESS;
}

static cl_int set_local(const struct kernel_arg *arg, struct kernel_arg_value *out_value, size_t size,
                        const void *value)
{
    if (value)
        return CL_INVALID_ARG_VALUE;
    if (!size)
        return CL_INVALID_ARG_SIZE;
    if (is_too_large(arg, size))
        return CL_MAX_SIZE_RESTRICTION_EXCEEDED;
    *out_value = (struct kernel_arg_value){.set = true, .size = size};
    return CL_SUCCESS;
}

static cl_int set_value(const struct kernel_arg *arg, struct kernel_arg_value *out_value, size_t size,
                        const void *value)
{
    if (!value)
        return CL_INVALID_ARG_VALUE;
    if (size != arg->size)
        return CL_INVALID_ARG_SIZE;
    *out_value = (struct kernel_arg_value){.set = true, .size = size};
    return copy_bytes(&out_value->bytes, value, size) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

static cl_int make_value(const struct kernel_object *kernel, const struct kernel_arg *arg,
                         struct kernel_arg_value *out_value, size_t size, const void *value)
{
    switch (arg->kind) {
    case ARG_GLOBAL:
    case ARG_CONSTANT: return set_memory(kernel, arg, out_value, size, value);
    case ARG_LOCAL: return set_local(arg, out_value, size, value);
    case ARG_SAMPLER: return set_sampler(kernel, out_value, size, value);
    case ARG_IMAGE: return set_image(kernel, arg, out_value, size, value);
    case ARG_QUEUE: return set_queue(kernel, out_value, size, value);
    case ARG_PIPE: return set_pipe(kernel, out_value, size, value);
    case ARG_VALUE:
    default: return set_value(arg, out_value, size, value);
    }
}

/* The kind of an argument, and the required size of its value. */
static const char *kind_name(const struct kernel_arg *arg)
{
    switch (arg->kind) {
    case ARG_GLOBAL:
    case ARG_CONSTANT: return "a memory object";
    case ARG_LOCAL: return "local memory";
    case ARG_IMAGE: return "an image";
    case ARG_SAMPLER: return "a sampler";
    case ARG_PIPE: return "a pipe";
    case ARG_QUEUE: return "a device queue";
    case ARG_VALUE:
    default: return "a value";
    }
}

/* "points to a sampler" */
static void say_handle(char *text, size_t room, const void *value)
{
    const void *handle;
    memcpy(&handle, value, sizeof handle);
    const struct memobj *memobj = object_lookup(handle, OBJECT_MEMOBJ);
    const char *name = memobj && memobj->image              ? image_type_name(memobj->image->device.type)
                       : !memobj                            ? NULL
                       : memobj->type == CL_MEM_OBJECT_PIPE ? "pipe"
                                                            : "buffer";
    for (int kind = 0; !name && kind < OBJECT_KIND_COUNT; kind++)
        if (object_lookup(handle, (enum object_kind)kind))
            name = object_kind_name((enum object_kind)kind);
    if (name)
        snprintf(text, room, "points to %s %s", strchr("aeiou", name[0]) ? "an" : "a", name);
    else
        snprintf(text, room, "points to %s", handle ? "no object that exists" : "NULL");
}

/* What is wrong with the value, after "argument 1 's' of kernel f is a value of type S". */
static void say_wrong(char *text, size_t room, const struct kernel_arg *arg, cl_int err, size_t size,
                      const void *value)
{
    char handle[80] = "is NULL", wanted[60] = "more than 0 bytes";
    switch (err) {
    case CL_INVALID_ARG_SIZE:
        if (arg->kind != ARG_LOCAL)
            snprintf(wanted, sizeof wanted, "%zu bytes", arg->kind == ARG_VALUE ? arg->size : sizeof(void *));
        snprintf(text, room, " and needs %s, arg_size is %zu", wanted, size);
        break;
    case CL_INVALID_ARG_VALUE:
        if (arg->kind == ARG_IMAGE)
            snprintf(text, room, ", which the kernel %s; the image is %s",
                     arg->read_only    ? "reads"
                     : arg->write_only ? "writes"
                                       : "reads and writes",
                     arg->read_only    ? "CL_MEM_WRITE_ONLY"
                     : arg->write_only ? "CL_MEM_READ_ONLY, or of a format that it cannot write"
                                       : "of a format that it cannot write");
        else
            snprintf(text, room, ", and arg_value is %sNULL", value ? "not " : "");
        break;
    case CL_INVALID_CONTEXT: snprintf(text, room, ", and the object is of another context"); break;
    default:
        if (value)
            say_handle(handle, sizeof handle, value);
        snprintf(text, room, ", and arg_value %s", handle);
        break;
    }
}

/* "argument 1 's' of kernel f is a value of type S and needs 8 bytes, arg_size is 5" */
static void report_argument(const struct kernel_object *kernel, cl_uint index, cl_int err, size_t size,
                            const void *value)
{
    char text[480], wrong[160];
    const struct kernel_info *info = kernel->info;
    if (err == CL_INVALID_ARG_INDEX) {
        snprintf(text, sizeof text, "kernel %.80s has %zu argument%s, counted from 0; arg_index is %u",
                 info->name, info->arg_count, info->arg_count == 1 ? "" : "s", (unsigned)index);
        call_detail(text);
        return;
    }
    const struct kernel_arg *arg = &info->args[index];
    say_wrong(wrong, sizeof wrong, arg, err, size, value);
    snprintf(text, sizeof text, "argument %u '%.80s' of kernel %.80s is %s of type %.60s%s", (unsigned)index,
             arg->name, info->name, kind_name(arg), arg->type_name, wrong);
    call_detail(text);
}

/* Does the error concern the argument or its value? */
static bool is_of_argument(cl_int err)
{
    switch (err) {
    case CL_INVALID_ARG_INDEX:
    case CL_INVALID_ARG_SIZE:
    case CL_INVALID_ARG_VALUE:
    case CL_INVALID_MEM_OBJECT:
    case CL_INVALID_SAMPLER:
    case CL_INVALID_DEVICE_QUEUE:
    case CL_INVALID_CONTEXT: return true;
    default: return false;
    }
}

static void replace(struct kernel_object *kernel, cl_uint index, const struct kernel_arg_value *value)
{
    free(kernel->args[index].bytes);
    kernel->args[index] = *value;
}

cl_int CL_API_CALL api_clSetKernelArg(cl_kernel handle, cl_uint arg_index, size_t arg_size,
                                      const void *arg_value)
{
    struct kernel_object *kernel = kernel_lookup(handle);
    struct kernel_arg_value value = {0};
    if (!kernel)
        return CL_INVALID_KERNEL;
    usage_kernel_changed(kernel);
    cl_int err = CL_INVALID_ARG_INDEX;
    if (arg_index < kernel->info->arg_count)
        err = make_value(kernel, &kernel->info->args[arg_index], &value, arg_size, arg_value);
    if (is_of_argument(err))
        report_argument(kernel, arg_index, err, arg_size, arg_value);
    if (!err)
        replace(kernel, arg_index, &value);
    return context_refuse(kernel->program->context, "clSetKernelArg", err);
}

static bool takes_pointer(const struct kernel_object *kernel, cl_uint index)
{
    enum arg_kind kind = kernel->info->args[index].kind;
    return kind == ARG_GLOBAL || kind == ARG_CONSTANT;
}

/* "argument 1 'n' of kernel f is a value of type int, which is no pointer" */
static void report_pointer(const struct kernel_object *kernel, cl_uint index)
{
    char text[360];
    const struct kernel_arg *arg = &kernel->info->args[index];
    snprintf(text, sizeof text, "argument %u '%.80s' of kernel %.80s is %s of type %.60s%s", (unsigned)index,
             arg->name, kernel->info->name, kind_name(arg), arg->type_name,
             takes_pointer(kernel, index) ? "; arg_value points to no memory of clSVMAlloc"
                                          : ", and takes no pointer");
    call_detail(text);
}

/* any: the address need not be in an allocation; the kernel's accesses are checked. */
static cl_int set_pointer(cl_kernel handle, cl_uint arg_index, const void *value, const char *call,
                          bool (*supports)(const struct cl_device *), bool any)
{
    struct kernel_object *kernel = kernel_lookup(handle);
    if (!kernel)
        return CL_INVALID_KERNEL;
    usage_kernel_changed(kernel);
    struct context *context = kernel->program->context;
    cl_int err = CL_SUCCESS;
    if (!context_any(context, supports))
        err = CL_INVALID_OPERATION;
    else if (arg_index >= kernel->info->arg_count)
        err = CL_INVALID_ARG_INDEX;
    else if (!takes_pointer(kernel, arg_index))
        err = CL_INVALID_ARG_VALUE;
    else if (value && !any && !svm_find(context, value) && !context_any(context, device_supports_svm_system))
        err = CL_INVALID_ARG_VALUE;
    if (!err)
        replace(kernel, arg_index,
                &(struct kernel_arg_value){.set = true,
                                           .size = sizeof(uint64_t),
                                           .address = (uint64_t)(uintptr_t)value,
                                           .of_system = value && !any && !svm_find(context, value)});
    if (err == CL_INVALID_ARG_VALUE)
        report_pointer(kernel, arg_index);
    else if (err == CL_INVALID_ARG_INDEX)
        report_argument(kernel, arg_index, err, 0, value);
    return context_refuse(context, call, err);
}

/* Without system SVM only addresses in memory of clSVMAlloc are valid. */
cl_int CL_API_CALL api_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index, const void *arg_value)
{
    return set_pointer(kernel, arg_index, arg_value, "clSetKernelArgSVMPointer", device_supports_svm, false);
}

cl_int CL_API_CALL api_clSetKernelArgMemPointerINTEL(cl_kernel kernel, cl_uint arg_index,
                                                     const void *arg_value)
{
    return set_pointer(kernel, arg_index, arg_value, "clSetKernelArgMemPointerINTEL", device_supports_usm,
                       true);
}

static cl_int replace_pointers(void ***pointers, size_t *count, size_t size, const void *value)
{
    void *copy = NULL;
    if (!copy_bytes(&copy, value, size))
        return CL_OUT_OF_HOST_MEMORY;
    free(*pointers);
    *pointers = copy;
    *count = size / sizeof(void *);
    return CL_SUCCESS;
}

static cl_int set_usm(struct kernel_object *kernel, cl_kernel_exec_info name, size_t size, const void *value)
{
    bool list = name == CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL;
    cl_bool allowed;
    if (!context_any(kernel->program->context, device_supports_usm))
        return CL_INVALID_OPERATION;
    if (!value || (list ? !size || size % sizeof(void *) : size != sizeof(cl_bool)))
        return CL_INVALID_VALUE;
    if (list)
        return replace_pointers(&kernel->usm_pointers, &kernel->usm_count, size, value);
    memcpy(&allowed, value, sizeof allowed);
    kernel->usm_indirect[name - CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL] = allowed;
    return CL_SUCCESS;
}

static cl_int set_svm_pointers(struct kernel_object *kernel, size_t size, const void *value)
{
    if (!context_any(kernel->program->context, device_supports_svm))
        return CL_INVALID_OPERATION;
    if (size % sizeof(void *) || !size != !value)
        return call_because(
            CL_INVALID_VALUE,
            "param_value_size is %zu, the size of a list of pointers of %zu bytes each is wanted", size,
            sizeof(void *));
    return replace_pointers(&kernel->svm_pointers, &kernel->svm_count, size, value);
}

static cl_int set_svm_system(struct kernel_object *kernel, size_t size, const void *value)
{
    cl_bool wanted;
    if (size != sizeof wanted || !value)
        return CL_INVALID_VALUE;
    memcpy(&wanted, value, sizeof wanted);
    if (wanted && !context_any(kernel->program->context, device_supports_svm_system))
        return CL_INVALID_OPERATION;
    kernel->svm_system = wanted;
    return CL_SUCCESS;
}

cl_int CL_API_CALL api_clSetKernelExecInfo(cl_kernel handle, cl_kernel_exec_info param_name,
                                           size_t param_value_size, const void *param_value)
{
    struct kernel_object *kernel = kernel_lookup(handle);
    if (!kernel)
        return CL_INVALID_KERNEL;
    usage_kernel_changed(kernel);
    cl_int err = CL_INVALID_VALUE;
    if (param_name == CL_KERNEL_EXEC_INFO_SVM_PTRS)
        err = set_svm_pointers(kernel, param_value_size, param_value);
    else if (param_name == CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM)
        err = set_svm_system(kernel, param_value_size, param_value);
    else if (param_name >= CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL &&
             param_name <= CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL)
        err = set_usm(kernel, param_name, param_value_size, param_value);
    return context_refuse(kernel->program->context, "clSetKernelExecInfo", err);
}
