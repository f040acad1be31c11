/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Built-in kernels: the scenario's file is compiled at the first query or creation, and the build is kept
 * for all devices with one configuration.
 */
#include "built_in.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "context.h"
#include "error.h"
#include "orrery/scenario_run.h"
#include "api_program.h"
#include "api_runtime.h"

/* The built-in kernels of all devices with one configuration. */
struct built_ins {
    struct built_ins *next;
    const struct device_config *config;
    struct spirv spirv;
    struct scenario_source source;
    size_t count;
    char **names;
};

static struct built_ins *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the list and its entries */

/* ---- the kernels of a device ------------------------------------------------------------------- */

static void built_ins_free(struct built_ins *built_ins)
{
    for (size_t i = 0; i < built_ins->count; i++)
        free(built_ins->names[i]);
    free(built_ins->names);
    spirv_fini(&built_ins->spirv);
    scenario_source_fini(&built_ins->source);
    free(built_ins);
}

void built_ins_forget(void)
{
    pthread_mutex_lock(&lock);
    while (all) {
        struct built_ins *first = all;
        all = first->next;
        built_ins_free(first);
    }
    pthread_mutex_unlock(&lock);
}

/* names NULL: all kernels. */
static enum status load(const struct built_ins *built_ins, const char *names, struct program **out_program,
                        struct diagnosis *diagnosis)
{
    const struct program_request request = {.words = built_ins->spirv.words,
                                            .word_count = built_ins->spirv.word_count,
                                            .source_name = built_ins->source.name,
                                            .source_text = built_ins->source.text,
                                            .kernel_names = names,
                                            .detailed_errors = built_ins->source.detailed_errors,
                                            .uniform_groups = built_ins->source.uniform_groups};
    return program_load(runtime_device(), &request, out_program, diagnosis);
}

static enum status take_names(struct built_ins *built_ins, const struct program *program)
{
    built_ins->names = calloc(program_kernel_count(program) + 1, sizeof *built_ins->names);
    if (!built_ins->names)
        return STATUS_OUT_OF_MEMORY;
    for (; built_ins->count < program_kernel_count(program); built_ins->count++) {
        char *name = strdup(kernel_info(program_kernel(program, built_ins->count))->name);
        if (!name)
            return STATUS_OUT_OF_MEMORY;
        built_ins->names[built_ins->count] = name;
    }
    return STATUS_OK;
}

/* An error includes the output of the compiler. */
static enum status build(struct built_ins *built_ins, struct diagnosis *diagnosis)
{
    char *log = NULL;
    struct diagnosis plain = {0};
    struct program *program = NULL;
    enum status status = scenario_build_built_ins(&runtime_get()->scenario, built_ins->config,
                                                  &built_ins->spirv, &built_ins->source, &log, &plain);
    if (!status)
        status = load(built_ins, NULL, &program, &plain);
    if (!status)
        status = take_names(built_ins, program);
    program_release(program);
    if (status && status != STATUS_OUT_OF_MEMORY)
        status = diagnose(diagnosis, STATUS_BAD_SCENARIO, "built_in_kernels: %s: %s%s%s",
                          built_ins->config->built_in_kernels, plain.text, log && *log ? "\n" : "",
                          log ? log : "");
    free(log);
    return status;
}

static struct built_ins *built_ins_new(const struct device_config *config, struct diagnosis *diagnosis)
{
    struct built_ins *built_ins = calloc(1, sizeof *built_ins);
    if (!built_ins)
        return NULL;
    built_ins->config = config;
    if (build(built_ins, diagnosis) == STATUS_OK)
        return built_ins;
    built_ins_free(built_ins);
    return NULL;
}

/* OK with NULL: the device has no built-in kernels. */
static enum status built_ins_of(const struct cl_device *device, const struct built_ins **out_built_ins)
{
    struct diagnosis diagnosis = {0};
    *out_built_ins = NULL;
    if (!device->config->built_in_kernels)
        return STATUS_OK;
    pthread_mutex_lock(&lock);
    struct built_ins *found = all;
    while (found && found->config != device->config)
        found = found->next;
    if (!found && (found = built_ins_new(device->config, &diagnosis))) {
        found->next = all;
        all = found;
    }
    pthread_mutex_unlock(&lock);
    if (diagnosis.status == STATUS_BAD_SCENARIO)
        runtime_bad_scenario(&diagnosis);
    *out_built_ins = found;
    return found ? STATUS_OK : STATUS_OUT_OF_MEMORY;
}

/* ---- queries -------------------------------------------------------------------------------- */

cl_int built_in_kernels_info(const struct info_reply *reply, const struct cl_device *device)
{
    const struct built_ins *built_ins;
    char *text = NULL;
    size_t size = 0;
    if (built_ins_of(device, &built_ins))
        return CL_OUT_OF_HOST_MEMORY;
    FILE *stream = open_memstream(&text, &size);
    for (size_t i = 0; stream && built_ins && i < built_ins->count; i++)
        fprintf(stream, "%s%s", i ? ";" : "", built_ins->names[i]);
    cl_int err = stream && fclose(stream) == 0 ? info_string(reply, text) : CL_OUT_OF_HOST_MEMORY;
    free(text);
    return err;
}

cl_int built_in_kernels_with_version_info(const struct info_reply *reply, const struct cl_device *device)
{
    const struct built_ins *built_ins;
    if (built_ins_of(device, &built_ins))
        return CL_OUT_OF_HOST_MEMORY;
    size_t count = built_ins ? built_ins->count : 0;
    cl_name_version *answer = calloc(count + 1, sizeof *answer);
    if (!answer)
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < count; i++) {
        answer[i].version = CL_MAKE_VERSION(1, 0, 0);
        snprintf(answer[i].name, sizeof answer[i].name, "%s", built_ins->names[i]);
    }
    cl_int err = info_bytes(reply, answer, count * sizeof *answer);
    free(answer);
    return err;
}

/* ---- programs --------------------------------------------------------------------------------- */

static bool has(const struct built_ins *built_ins, const char *name, size_t length)
{
    for (size_t i = 0; built_ins && i < built_ins->count; i++)
        if (strlen(built_ins->names[i]) == length && memcmp(built_ins->names[i], name, length) == 0)
            return true;
    return false;
}

/* Marks the names that the device has; *out_any: it has one. */
static cl_int look_for(const struct cl_device *device, const char *names, bool *known, bool *out_any)
{
    const struct built_ins *built_ins;
    *out_any = false;
    if (built_ins_of(device, &built_ins))
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0;; i++, names++) {
        size_t length = strcspn(names, ";");
        bool found = has(built_ins, names, length);
        known[i] |= found;
        *out_any |= found;
        names += length;
        if (!*names)
            return CL_SUCCESS;
    }
}

static cl_int add_build(struct program_object *program, struct cl_device *device, const char *names)
{
    const struct built_ins *built_ins;
    struct diagnosis ignored = {0};
    struct program_build *build = program_build_new(1, &device), *old = NULL;
    enum status status = build ? built_ins_of(device, &built_ins) : STATUS_OUT_OF_MEMORY;
    if (!status)
        status = load(built_ins, names, &build->program, &ignored);
    if (!status && !(build->options = strdup("")))
        status = STATUS_OUT_OF_MEMORY;
    if (status) {
        program_build_free(build);
        return error_from_status(status);
    }
    build->status = CL_BUILD_SUCCESS;
    build->binary_type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    build->kernel_arg_info = true;
    build->uniform_groups = built_ins->source.uniform_groups;
    program_push_build(program, build, &old);
    program_build_free(old);
    return CL_SUCCESS;
}

/* Each name must be a kernel of at least one of the devices; each device gets the kernels that it has. */
static cl_int add_builds(struct program_object *program, const char *names, bool *known)
{
    cl_int err = CL_SUCCESS;
    size_t count = 1;
    for (const char *at = names; (at = strchr(at, ';')); at++)
        count++;
    for (cl_uint i = 0; i < program->device_count && !err; i++) {
        bool any;
        err = look_for(program->devices[i], names, known, &any);
        if (!err && any)
            err = add_build(program, program->devices[i], names);
    }
    for (size_t i = 0; i < count && !err; i++)
        if (!known[i])
            err = CL_INVALID_VALUE;
    return err;
}

cl_program CL_API_CALL api_clCreateProgramWithBuiltInKernels(cl_context handle, cl_uint num_devices,
                                                             const cl_device_id *device_list,
                                                             const char *kernel_names, cl_int *errcode_ret)
{
    struct context *context = context_lookup(handle);
    struct program_object *program = NULL;
    cl_int err = CL_INVALID_VALUE;
    if (!context)
        return error_return(errcode_ret, CL_INVALID_CONTEXT, NULL);
    if (device_list && num_devices && kernel_names)
        err = context_check_devices(context, num_devices, device_list);
    bool *known = calloc(kernel_names ? strlen(kernel_names) + 1 : 1, sizeof *known);
    if (!err && (!known || !(program = program_new(context, PROGRAM_FROM_BUILT_IN, num_devices,
                                                   (struct cl_device *const *)device_list))))
        err = CL_OUT_OF_HOST_MEMORY;
    if (!err)
        err = add_builds(program, kernel_names, known);
    free(known);
    if (!err)
        object_publish(program);
    else
        object_unref(program);
    return error_return(errcode_ret, context_refuse(context, "clCreateProgramWithBuiltInKernels", err),
                        program);
}
