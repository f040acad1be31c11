/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Program objects (OpenCL 3.0 API, 5.8.1, 5.8.7): creation from source, SPIR-V or binaries, specialisation
 * constants and queries. A program keeps what it was created from, and a list of builds (program_build.c).
 */
#include "api_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "api.h"
#include "lib/diagnose/call.h"
#include "lib/diagnose/caller.h"
#include "context.h"
#include "destructor.h"
#include "device_info.h"
#include "error.h"
#include "info.h"
#include "source_place.h"
#include "version.h"

enum { SPIRV_HEADER_BYTES = 20, SPIRV_VERSION_MAX = 0x00010600 };

static struct program_object *program_lookup(cl_program handle)
{
    return object_lookup(handle, OBJECT_PROGRAM);
}

/* ---- the object ------------------------------------------------------------------ */

struct program_object *program_new(struct context *context, enum program_origin origin, cl_uint count,
                                   struct cl_device *const *devices)
{
    struct program_object *program = object_new(OBJECT_PROGRAM, sizeof *program);
    if (!program)
        return NULL;
    program->context = object_ref(context);
    program->origin = origin;
    if (!program_reserve_devices(program, count)) {
        object_unref(program);
        return NULL;
    }
    program_add_devices(program, count, devices);
    return program;
}

/* A program for all devices of the context. */
static struct program_object *program_of_context(struct context *context, enum program_origin origin)
{
    return program_new(context, origin, context->device_count, context->devices);
}

void program_destroy(void *object)
{
    struct program_object *program = object;
    program_build_free(program->builds); /* with the destructors in it, before the release callbacks */
    destructor_run(program->destructors, program);
    program_binary_free(program->binaries);
    free(program->device_binaries);
    spirv_fini(&program->il);
    for (cl_uint i = 0; i < program->device_count; i++)
        object_unref(program->devices[i]);
    free(program->devices);
    free(program->constants);
    free(program->source);
    source_place_fini(&program->placed);
    object_unref(program->context);
}

void program_attach(struct program_object *program)
{
    object_ref(program);
    __atomic_fetch_add(&program->attached_kernels, 1, __ATOMIC_RELAXED);
}

void program_detach(struct program_object *program)
{
    __atomic_fetch_sub(&program->attached_kernels, 1, __ATOMIC_RELAXED);
    object_unref(program);
}

bool program_info_available(const struct program_object *program)
{
    return program->origin != PROGRAM_FROM_IL && program_latest(program)->kernel_arg_info;
}

/* Publishes the program, or destroys it if err is an error. */
static cl_program finish_creation(struct context *context, struct program_object *program, const char *call,
                                  cl_int err, cl_int *errcode_ret)
{
    if (!err)
        object_publish(program);
    else
        object_unref(program);
    return error_return(errcode_ret, context_refuse(context, call, err), program);
}

/* ---- from source ------------------------------------------------------------------ */

static size_t string_length(const char *string, const size_t *lengths, cl_uint index)
{
    return lengths && lengths[index] ? strnlen(string, lengths[index]) : strlen(string);
}

/* Joins the strings to one text. Strings of a given length may hold NULs, which are left out. */
static char *join(cl_uint count, const char *const *strings, const size_t *lengths)
{
    size_t size = 1;
    for (cl_uint i = 0; i < count; i++)
        size += string_length(strings[i], lengths, i);
    char *text = malloc(size), *at = text;
    for (cl_uint i = 0; text && i < count; i++) {
        size_t length = string_length(strings[i], lengths, i);
        memcpy(at, strings[i], length);
        at += length;
    }
    if (text)
        *at = '\0';
    return text;
}

static bool all_given(cl_uint count, const char *const *strings)
{
    for (cl_uint i = 0; strings && i < count; i++)
        if (!strings[i])
            return false;
    return strings && count;
}

cl_program CL_API_CALL api_clCreateProgramWithSource(cl_context handle, cl_uint count, const char **strings,
                                                     const size_t *lengths, cl_int *errcode_ret)
{
    struct context *context = context_lookup(handle);
    struct program_object *program = NULL;
    cl_int err = CL_SUCCESS;
    if (!context)
        return error_return(errcode_ret, CL_INVALID_CONTEXT, NULL);
    if (!all_given(count, strings))
        err = call_because(CL_INVALID_VALUE, "%s",
                           !count     ? "count is 0"
                           : !strings ? "strings is NULL"
                                      : "one of the strings is NULL: the file may not have been read");
    else if (!(program = program_of_context(context, PROGRAM_FROM_SOURCE)) ||
             !(program->source = join(count, strings, lengths)))
        err = CL_OUT_OF_HOST_MEMORY;
    else {
        program->made = caller_of_source();
        source_place_find(program->source, caller_script(program->made), &program->placed);
    }
    return finish_creation(context, program, "clCreateProgramWithSource", err, errcode_ret);
}

/* ---- from an intermediate language --------------------------------------------------- */

static uint32_t swap_bytes(uint32_t word)
{
    return __builtin_bswap32(word);
}

/* Copies the words in the host's byte order; false: not SPIR-V, or of an unsupported version. */
static cl_int copy_il(struct spirv *out_il, const void *il, size_t length)
{
    if (length < SPIRV_HEADER_BYTES || length % sizeof(uint32_t))
        return call_because(CL_INVALID_VALUE,
                            "length is %zu: a module of SPIR-V has at least %d bytes, in whole words of 4",
                            length, SPIRV_HEADER_BYTES);
    uint32_t *words = malloc(length);
    if (!words)
        return CL_OUT_OF_HOST_MEMORY;
    memcpy(words, il, length);
    *out_il = (struct spirv){.words = words, .word_count = length / sizeof *words};
    if (words[0] == swap_bytes(SpvMagicNumber))
        for (size_t i = 0; i < out_il->word_count; i++)
            words[i] = swap_bytes(words[i]);
    bool readable =
        words[0] == SpvMagicNumber && words[1] >= 0x00010000 && words[1] <= SPIRV_VERSION_MAX && words[3];
    if (words[0] != SpvMagicNumber)
        return call_because(CL_INVALID_VALUE, "il begins with 0x%08x, and SPIR-V with 0x%08x", words[0],
                            SpvMagicNumber);
    return readable ? CL_SUCCESS
                    : call_because(CL_INVALID_VALUE,
                                   "il is SPIR-V of version %u.%u, and versions 1.0 to %u.%u are supported",
                                   words[1] >> 16 & 0xff, words[1] >> 8 & 0xff,
                                   SPIRV_VERSION_MAX >> 16 & 0xff, SPIRV_VERSION_MAX >> 8 & 0xff);
}

cl_program CL_API_CALL api_clCreateProgramWithIL(cl_context handle, const void *il, size_t length,
                                                 cl_int *errcode_ret)
{
    struct context *context = context_lookup(handle);
    struct program_object *program = NULL;
    cl_int err = CL_SUCCESS;
    if (!context)
        return error_return(errcode_ret, CL_INVALID_CONTEXT, NULL);
    if (!context_any(context, device_supports_il))
        err = CL_INVALID_OPERATION;
    else if (!il || !length)
        err = call_because(CL_INVALID_VALUE, "%s", il ? "length is 0" : "il is NULL");
    else if (!(program = program_of_context(context, PROGRAM_FROM_IL)))
        err = CL_OUT_OF_HOST_MEMORY;
    else
        err = copy_il(&program->il, il, length);
    return finish_creation(context, program, "clCreateProgramWithIL", err, errcode_ret);
}

/* ---- from binaries ------------------------------------------------------------------- */

static cl_int check_binaries(const struct context *context, cl_uint num_devices,
                             const cl_device_id *device_list, const size_t *lengths,
                             const unsigned char *const *binaries, cl_int *binary_status)
{
    cl_int err = CL_SUCCESS;
    if (!device_list || !num_devices || !lengths || !binaries)
        return CL_INVALID_VALUE;
    err = context_check_devices(context, num_devices, device_list);
    for (cl_uint i = 0; i < num_devices && err != CL_INVALID_DEVICE; i++) {
        bool given = lengths[i] && binaries[i];
        if (!given)
            err = CL_INVALID_VALUE;
        if (binary_status)
            binary_status[i] = given ? CL_SUCCESS : CL_INVALID_VALUE;
    }
    return err;
}

/* The arguments of clCreateProgramWithBinary. */
struct given_binaries {
    cl_uint count;
    const cl_device_id *devices;
    const size_t *lengths;
    const unsigned char *const *bytes;
};

/* The index of the first binary with the same bytes as this one. */
static cl_uint first_alike(const struct given_binaries *given, cl_uint index)
{
    cl_uint first = 0;
    while (first < index && (given->lengths[first] != given->lengths[index] ||
                             memcmp(given->bytes[first], given->bytes[index], given->lengths[index])))
        first++;
    return first;
}

static void say_invalid(cl_uint index, const unsigned char *bytes, size_t length)
{
    char what[160], text[200];
    program_binary_say(bytes, length, what, sizeof what);
    snprintf(text, sizeof text, "binaries[%u] %s", index, what);
    call_detail(text);
}

/* Reads a binary into the program's list; *out_binary is NULL if it is invalid. */
static cl_int load_binary(struct program_object *program, const struct given_binaries *given, cl_uint index,
                          const struct program_binary **out_binary)
{
    struct program_binary *binary = calloc(1, sizeof *binary);
    *out_binary = NULL;
    if (!binary)
        return CL_OUT_OF_HOST_MEMORY;
    if (!program_binary_read(binary, given->bytes[index], given->lengths[index])) {
        say_invalid(index, given->bytes[index], given->lengths[index]);
        program_binary_free(binary);
        return CL_INVALID_BINARY;
    }
    binary->next = program->binaries;
    program->binaries = binary;
    *out_binary = binary;
    return CL_SUCCESS;
}

/* Makes a build that is not executable yet: its type can be queried, and it can be linked. */
static cl_int show_binary(struct program_object *program, struct cl_device *device,
                          const struct program_binary *binary)
{
    struct program_build *build = program_build_new(1, &device), *old = NULL;
    if (!build)
        return CL_OUT_OF_HOST_MEMORY;
    build->binary = binary;
    build->binary_type = binary->type;
    build->kernel_arg_info = binary->kernel_arg_info;
    build->uniform_groups = binary->uniform_groups;
    build->options = binary->options ? strdup(binary->options) : NULL;
    build->spirv =
        (struct spirv){malloc(binary->words.word_count * sizeof(uint32_t)), binary->words.word_count};
    program_push_build(program, build, &old);
    program_build_free(old);
    if (!build->spirv.words || (binary->options && !build->options))
        return CL_OUT_OF_HOST_MEMORY;
    memcpy(build->spirv.words, binary->words.words, binary->words.word_count * sizeof(uint32_t));
    return CL_SUCCESS;
}

/* If a device is given twice, its last binary counts. */
static void set_binary(struct program_object *program, struct cl_device *device,
                       const struct program_binary *binary)
{
    size_t i = 0;
    while (i < program->device_binary_count && program->device_binaries[i].device != device)
        i++;
    program->device_binaries[i] = (struct device_binary){device, binary};
    program->device_binary_count += i == program->device_binary_count;
}

/* Loads the binary of each device, and sets each status. */
static cl_int load_binaries(struct program_object *program, const struct given_binaries *given,
                            cl_int *binary_status)
{
    cl_int all = CL_SUCCESS;
    const struct program_binary **loaded = calloc(given->count, sizeof *loaded);
    program->device_binaries = calloc(given->count, sizeof *program->device_binaries);
    if (!loaded || !program->device_binaries) {
        free(loaded);
        return CL_OUT_OF_HOST_MEMORY;
    }
    for (cl_uint i = 0; i < given->count && all != CL_OUT_OF_HOST_MEMORY; i++) {
        struct cl_device *device = (struct cl_device *)given->devices[i];
        cl_uint first = first_alike(given, i);
        cl_int err = first < i ? loaded[first] ? CL_SUCCESS : CL_INVALID_BINARY
                               : load_binary(program, given, i, &loaded[i]);
        if (!err) {
            set_binary(program, device, loaded[first]);
            err = show_binary(program, device, loaded[first]);
        }
        if (binary_status)
            binary_status[i] = err;
        all = err ? err : all;
    }
    free(loaded);
    return all;
}

cl_program CL_API_CALL api_clCreateProgramWithBinary(cl_context handle, cl_uint num_devices,
                                                     const cl_device_id *device_list, const size_t *lengths,
                                                     const unsigned char **binaries, cl_int *binary_status,
                                                     cl_int *errcode_ret)
{
    struct context *context = context_lookup(handle);
    struct program_object *program = NULL;
    if (!context)
        return error_return(errcode_ret, CL_INVALID_CONTEXT, NULL);
    cl_int err = check_binaries(context, num_devices, device_list, lengths, binaries, binary_status);
    if (!err && !(program = program_new(context, PROGRAM_FROM_BINARY, num_devices,
                                        (struct cl_device *const *)device_list)))
        err = CL_OUT_OF_HOST_MEMORY;
    if (!err)
        err = load_binaries(program, &(struct given_binaries){num_devices, device_list, lengths, binaries},
                            binary_status);
    return finish_creation(context, program, "clCreateProgramWithBinary", err, errcode_ret);
}

/* ---- references, constants ------------------------------------------------------------ */

cl_int CL_API_CALL api_clRetainProgram(cl_program program)
{
    return object_retain(program, OBJECT_PROGRAM);
}

cl_int CL_API_CALL api_clReleaseProgram(cl_program program)
{
    return object_release(program, OBJECT_PROGRAM);
}

/* The entry of spec_id, which is added if there is none; NULL: out of memory. */
static struct spec_constant *constant_entry(struct program_object *program, cl_uint spec_id)
{
    for (size_t i = 0; i < program->constant_count; i++)
        if (program->constants[i].id == spec_id)
            return &program->constants[i];
    struct spec_constant *grown = realloc(program->constants, (program->constant_count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    program->constants = grown;
    return &grown[program->constant_count++];
}

static cl_int set_constant(struct program_object *program, cl_uint spec_id, size_t spec_size,
                           const void *spec_value)
{
    uint32_t size = module_spec_constant_size(program->il.words, program->il.word_count, spec_id);
    struct spec_constant constant = {.id = spec_id, .size = size};
    if (!size)
        return CL_INVALID_SPEC_ID;
    if (spec_size != size || size > sizeof constant.value || !spec_value)
        return CL_INVALID_VALUE;
    memcpy(&constant.value, spec_value, size);
    runtime_lock();
    struct spec_constant *entry = constant_entry(program, spec_id);
    if (entry)
        *entry = constant;
    runtime_unlock();
    return entry ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

static bool takes_il(const struct program_object *program)
{
    for (cl_uint i = 0; i < program->device_count; i++)
        if (device_supports_il(program->devices[i]))
            return true;
    return false;
}

cl_int CL_API_CALL api_clSetProgramSpecializationConstant(cl_program handle, cl_uint spec_id,
                                                          size_t spec_size, const void *spec_value)
{
    struct program_object *program = program_lookup(handle);
    if (program && !takes_il(program))
        return context_refuse(program->context, "clSetProgramSpecializationConstant", CL_INVALID_OPERATION);
    if (!program || program->origin != PROGRAM_FROM_IL)
        return CL_INVALID_PROGRAM;
    cl_int err = set_constant(program, spec_id, spec_size, spec_value);
    return context_refuse(program->context, "clSetProgramSpecializationConstant", err);
}

static bool has_global_destructors(const struct cl_device *device)
{
    return device_version_at_least(device, 2, 2) && device->config->program_scope_variables;
}

cl_int CL_API_CALL api_clSetProgramReleaseCallback(cl_program handle,
                                                   void(CL_CALLBACK *pfn_notify)(cl_program, void *),
                                                   void *user_data)
{
    struct program_object *program = program_lookup(handle);
    if (!program)
        return CL_INVALID_PROGRAM;
    if (!context_any(program->context, has_global_destructors))
        return CL_INVALID_OPERATION;
    if (!pfn_notify)
        return CL_INVALID_VALUE;
    return destructor_add(&program->destructors, (void *)pfn_notify, user_data);
}

/* ---- queries ---------------------------------------------------------------------------- */

static cl_int query_devices(const struct info_reply *reply, const struct program_object *program)
{
    return info_bytes(reply, program->devices, program->device_count * sizeof *program->devices);
}

static cl_int query_il(const struct info_reply *reply, const struct program_object *program)
{
    if (program->origin != PROGRAM_FROM_IL) {
        if (reply->size_ret)
            *reply->size_ret = 0;
        return CL_SUCCESS;
    }
    return info_bytes(reply, program->il.words, program->il.word_count * sizeof(uint32_t));
}

static cl_int query_binary_sizes(const struct info_reply *reply, const struct program_object *program)
{
    cl_uint count = program->device_count;
    size_t *sizes = calloc(count, sizeof *sizes);
    if (!sizes)
        return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < count; i++)
        sizes[i] = program_binary_size(program, program_build(program, program->devices[i]));
    cl_int err = info_bytes(reply, sizes, count * sizeof *sizes);
    free(sizes);
    return err;
}

/* CL_PROGRAM_BINARIES: param_value is an array of pointers to memory of the caller. */
static cl_int query_binaries(const struct info_reply *reply, const struct program_object *program)
{
    size_t size = program->device_count * sizeof(unsigned char *);
    if (reply->size_ret)
        *reply->size_ret = size;
    if (!reply->value)
        return CL_SUCCESS;
    if (reply->size < size)
        return CL_INVALID_VALUE;
    unsigned char **targets = reply->value;
    for (cl_uint i = 0; i < program->device_count; i++) {
        const struct program_build *build = program_build(program, program->devices[i]);
        if (targets[i] && program_binary_size(program, build))
            program_binary_write(program, build, targets[i]);
    }
    return CL_SUCCESS;
}

static cl_int query_kernel_names(const struct info_reply *reply, const struct program_object *program)
{
    const size_t count = program_kernels(program, NULL);
    const struct kernel **kernels = calloc(count + 1, sizeof *kernels);
    char *names = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&names, &size);
    if (kernels)
        program_kernels(program, kernels);
    for (size_t i = 0; stream && kernels && i < count; i++)
        fprintf(stream, "%s%s", i ? ";" : "", kernel_info(kernels[i])->name);
    cl_int err = stream && fclose(stream) == 0 && kernels ? info_string(reply, names) : CL_OUT_OF_HOST_MEMORY;
    free(kernels);
    free(names);
    return err;
}

static const struct program *any_executable(const struct program_object *program)
{
    const struct program_build *build = program->builds;
    while (build && !build->program)
        build = build->next;
    return build ? build->program : NULL;
}

static cl_int query_program(const struct info_reply *reply, const struct program_object *program,
                            cl_program_info param_name)
{
    const struct program *executable = any_executable(program);
    switch (param_name) {
    case CL_PROGRAM_REFERENCE_COUNT: return INFO_VALUE(reply, cl_uint, program->base.refs);
    case CL_PROGRAM_CONTEXT: return INFO_VALUE(reply, cl_context, (cl_context)program->context);
    case CL_PROGRAM_NUM_DEVICES: return INFO_VALUE(reply, cl_uint, program->device_count);
    case CL_PROGRAM_DEVICES: return query_devices(reply, program);
    case CL_PROGRAM_SOURCE: return info_string(reply, program_source(program));
    case CL_PROGRAM_IL: return query_il(reply, program);
    case CL_PROGRAM_BINARY_SIZES: return query_binary_sizes(reply, program);
    case CL_PROGRAM_BINARIES: return query_binaries(reply, program);
    case CL_PROGRAM_NUM_KERNELS:
        return executable ? INFO_VALUE(reply, size_t, program_kernels(program, NULL))
                          : CL_INVALID_PROGRAM_EXECUTABLE;
    case CL_PROGRAM_KERNEL_NAMES:
        return executable ? query_kernel_names(reply, program) : CL_INVALID_PROGRAM_EXECUTABLE;
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
        return executable ? INFO_VALUE(reply, cl_bool, program_has_constructors(executable))
                          : CL_INVALID_PROGRAM_EXECUTABLE;
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        return executable ? INFO_VALUE(reply, cl_bool, program_has_destructors(executable))
                          : CL_INVALID_PROGRAM_EXECUTABLE;
    default: return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL api_clGetProgramInfo(cl_program handle, cl_program_info param_name,
                                        size_t param_value_size, void *param_value,
                                        size_t *param_value_size_ret)
{
    const struct info_reply reply[] = {{param_value_size, param_value, param_value_size_ret}};
    const struct program_object *program = program_lookup(handle);
    if (!program)
        return CL_INVALID_PROGRAM;
    if (!version_context_has_query(program->context, param_name))
        return CL_INVALID_VALUE;
    runtime_lock();
    cl_int err = query_program(reply, program, param_name);
    runtime_unlock();
    return err;
}

static cl_int query_build(const struct info_reply *reply, const struct program_build *build,
                          cl_program_build_info param_name)
{
    bool none = build->status == CL_BUILD_NONE;
    switch (param_name) {
    case CL_PROGRAM_BUILD_STATUS: return INFO_VALUE(reply, cl_build_status, build->status);
    case CL_PROGRAM_BUILD_OPTIONS: return info_string(reply, none ? NULL : build->options);
    case CL_PROGRAM_BUILD_LOG: return info_string(reply, none ? NULL : build->log);
    case CL_PROGRAM_BINARY_TYPE: return INFO_VALUE(reply, cl_program_binary_type, build->binary_type);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        return INFO_VALUE(reply, size_t, build->program ? program_variable_bytes(build->program) : 0);
    default: return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL api_clGetProgramBuildInfo(cl_program handle, cl_device_id device,
                                             cl_program_build_info param_name, size_t param_value_size,
                                             void *param_value, size_t *param_value_size_ret)
{
    const struct info_reply reply[] = {{param_value_size, param_value, param_value_size_ret}};
    const struct program_object *program = program_lookup(handle);
    if (!program)
        return CL_INVALID_PROGRAM;
    if (!context_serves(program->context, device))
        return CL_INVALID_DEVICE;
    if (!version_context_has_query(program->context, param_name))
        return CL_INVALID_VALUE;
    runtime_lock();
    cl_int err = query_build(reply, program_build(program, (struct cl_device *)device), param_name);
    runtime_unlock();
    return err;
}
