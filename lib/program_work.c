/* SPDX-License-Identifier: Apache-2.0 */
/* One build of a program. The calling thread does the work, without a lock. Meanwhile the program is
 * marked CL_BUILD_IN_PROGRESS, and a second build is refused. Devices with one configuration share a
 * build. A notify function is called on the callback thread afterwards; then the call only returns whether
 * the work could begin. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "callback.h"
#include "context.h"
#include "device_spirv.h"
#include "error.h"
#include "device_info.h"
#include "program_work.h"
#include "queue.h"
#include "source_file.h"
#include "lib/diagnose/call.h"
#include "lib/host/stack_room.h"
#include "lib/diagnose/usage.h"

/* The errors by kind of work: refused options, failed work. */
static const struct {
    const char *call;
    cl_int bad_options, failure;
} kinds[] = {
    [BUILD] = {"clBuildProgram", CL_INVALID_BUILD_OPTIONS, CL_BUILD_PROGRAM_FAILURE},
    [COMPILE] = {"clCompileProgram", CL_INVALID_COMPILER_OPTIONS, CL_COMPILE_PROGRAM_FAILURE},
    [LINK] = {"clLinkProgram", CL_INVALID_LINKER_OPTIONS, CL_LINK_PROGRAM_FAILURE},
};

static void log_append(struct build_work *work, const char *text)
{
    char *joined = NULL;
    const char *log = work->log ? work->log : "";
    size_t length = strlen(log);
    const char *gap = length && log[length - 1] != '\n' ? "\n" : "";
    if (!*text || asprintf(&joined, "%s%s%s\n", log, gap, text) < 0)
        return;
    free(work->log);
    work->log = joined;
}

/* As the caller gave them, now or when the binary was made. */
static const char *given_options(const struct build_work *work)
{
    if (!work->binary)
        return work->options;
    return work->binary->options ? work->binary->options : "";
}

/* And those that the scenario adds. */
static char *all_options(const struct build_work *work)
{
    const char *added = runtime_get()->scenario.build_options;
    char *options = NULL;
    if (asprintf(&options, "%s%s%s", given_options(work), added ? " " : "", added ? added : "") < 0)
        return NULL;
    return options;
}

/* The source text as it is or was compiled, also of a binary that has one. */
static const char *source_of(const struct build_work *work)
{
    const struct program_object *program = work->program;
    return work->binary           ? work->binary->source
           : program->placed.text ? program->placed.text
                                  : program->source;
}

static const char *source_name(const struct build_work *work)
{
    const char *source = source_of(work),
               *name = work->binary ? work->binary->source_name : work->program->placed.name;
    if (!source || name)
        return name;
    return source_file_name(source, work->binary ? NULL : work->program->made);
}

/* Borrows the options. */
static struct compile_request request_of(const struct build_work *work, const char *options)
{
    const struct cl_device *device = work->build->devices[0];
    const struct device_config *config = device->config;
    return (struct compile_request){
        .source = source_of(work),
        .source_name = source_name(work),
        .options = options,
        .headers = work->headers,
        .header_count = work->header_count,
        .version_major = config->version_major,
        .version_minor = config->version_minor,
        .opencl_c_20 = scenario_opencl_c_20(config),
        .fp16 = config->fp16,
        .fp64 = config->fp64,
        .int64_atomics = config->int64_atomics,
        .sub_groups = device_supports_sub_groups(device),
        .generic_address_space = config->generic_address_space,
        .program_scope_variables = config->program_scope_variables,
        .work_group_collectives = config->work_group_collectives,
        .images = config->images,
        .pipes = config->pipes,
        .device_enqueue = config->device_enqueue,
        .kernel_clock = config->kernel_clock,
        .named_barriers = config->named_barriers,
        .srgb_writes = config->srgb_writes,
        .seconds = runtime_get()->scenario.compile_seconds,
        .memory_bytes = runtime_get()->scenario.compile_bytes,
        .way = runtime_get()->scenario.compile_way,
        /* linking renumbers the ids that debug records name */
        .debug = runtime_get()->scenario.debug != NULL && work->kind != COMPILE,
        .embed_source = work->kind == COMPILE, /* a linked module has no single source */
    };
}

static enum status compile_source(struct build_work *work)
{
    const bool compiler = work->build->devices[0]->config->compiler;
    char *options = compiler ? all_options(work) : NULL;
    if (!compiler)
        return STATUS_COMPILER_MISSING;
    if (!options)
        return STATUS_OUT_OF_MEMORY;
    const struct compile_request request = request_of(work, options);
    enum status status = compile_opencl_c(&request, &work->spirv, &work->log);
    free(options);
    return status;
}

enum status program_work_copy_words(const struct spirv *from, struct spirv *out_spirv)
{
    size_t size = from->word_count * sizeof *from->words;
    uint32_t *words = malloc(size);
    if (!words)
        return STATUS_OUT_OF_MEMORY;
    memcpy(words, from->words, size);
    *out_spirv = (struct spirv){.words = words, .word_count = from->word_count};
    return STATUS_OK;
}

/* A module of the program may only use capabilities that cl_khr_spirv_queries returns. */
static enum status judge_capabilities(struct build_work *work)
{
    char text[120];
    uint32_t capability = 0;
    if (!device_spirv_refused(work->build->devices[0], &work->spirv, &capability))
        return STATUS_OK;
    snprintf(text, sizeof text, "the module needs capability %u, which the device does not have", capability);
    log_append(work, text);
    return STATUS_COMPILE_FAILED;
}

/* A binary has no debug information for a debugger, and may have lines of a file that has changed since; but
 * perhaps it has the source and options that made it. */
static bool compile_again(struct build_work *work)
{
    char *log = work->log;
    const struct program_binary *binary = work->binary;
    if (work->kind != BUILD || !binary || !binary->built || !(binary->moved || runtime_get()->scenario.debug))
        return false;
    work->log = NULL;
    const bool compiled = compile_source(work) == STATUS_OK;
    if (!compiled) {
        spirv_fini(&work->spirv);
        work->spirv = (struct spirv){0};
    }
    free(work->log);
    work->log = log;
    return compiled;
}

static enum status produce_words(struct build_work *work)
{
    if (work->kind == LINK)
        return spirv_link(work->inputs->modules, work->inputs->count, work->parsed.create_library,
                          &work->spirv, &work->log);
    if (work->program->origin == PROGRAM_FROM_SOURCE)
        return compile_source(work);
    if (compile_again(work))
        return STATUS_OK;
    enum status status =
        program_work_copy_words(work->binary ? &work->binary->words : &work->program->il, &work->spirv);
    if (!status)
        status = spirv_validate(work->spirv.words, work->spirv.word_count, &work->log);
    if (!status && !work->binary)
        status = judge_capabilities(work);
    if (!status &&
        work->kind == COMPILE) /* constants are applied as a module is compiled, not as it is linked */
        module_specialise(work->spirv.words, work->spirv.word_count, work->program->constants,
                          work->program->constant_count);
    return status;
}

/* OpenCL C 1.x, the default for source, has uniform work-groups only. */
static bool source_is_uniform(const struct build_work *work)
{
    const char *standard = strstr(work->options, "-cl-std=");
    return work->kind != LINK && work->program->origin == PROGRAM_FROM_SOURCE &&
           (!standard || !strncmp(standard, "-cl-std=CL1", strlen("-cl-std=CL1")));
}

static bool is_uniform(const struct build_work *work)
{
    return work->uniform_groups || work->parsed.uniform_work_group_size || source_is_uniform(work);
}

static bool is_debug(const struct build_work *work)
{
    return work->debug || work->parsed.debug;
}

static enum status load(struct build_work *work)
{
    struct diagnosis diagnosis = {0};
    const struct program_binary *binary = work->binary;
    const char *source = source_of(work);
    char *options = source && (!binary || binary->built) && work->kind == BUILD ? all_options(work) : NULL;
    const struct compile_request compiled = request_of(work, options);
    struct program_request request = {
        .words = work->spirv.words,
        .word_count = work->spirv.word_count,
        .constants = binary ? binary->constants : work->program->constants,
        .constant_count = binary ? binary->constant_count : work->program->constant_count,
        .source_name = compiled.source_name,
        .source_text = source,
        .compiled = options ? &compiled : NULL,
        .detailed_errors = is_debug(work),
        .uniform_groups = is_uniform(work),
        .unoptimised = work->parsed.opt_disable,
        .zero_local = work->program->context->zeroed & CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR,
        .zero_private = work->program->context->zeroed & CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR,
    };
    enum status status = program_load(runtime_device(), &request, &work->executable, &diagnosis);
    free(options);
    if (status)
        log_append(work, diagnosis.text[0] ? diagnosis.text : status_name(status));
    return status;
}

/* A required sub-group size must be one that the device lists. */
static enum status judge_sub_groups(struct build_work *work)
{
    const struct device_config *config = work->build->devices[0]->config;
    char text[200];
    enum status status = STATUS_OK;
    for (size_t i = 0; i < program_kernel_count(work->executable); i++) {
        const struct kernel *kernel = program_kernel(work->executable, i);
        if (device_fits_sub_groups(config, kernel))
            continue;
        snprintf(text, sizeof text, "kernel %.100s requires sub-groups of %u, which the device does not have",
                 kernel_info(kernel)->name, (unsigned)kernel_info(kernel)->required_sub_group_size);
        log_append(work, text);
        status = STATUS_COMPILE_FAILED;
    }
    if (status) {
        program_release(work->executable);
        work->executable = NULL;
    }
    return status;
}

static cl_program_binary_type wanted_type(const struct build_work *work)
{
    if (work->kind == COMPILE)
        return CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    return work->parsed.create_library ? CL_PROGRAM_BINARY_TYPE_LIBRARY : CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
}

static cl_int work_error(const struct build_work *work, enum status status)
{
    switch (status) {
    case STATUS_OK: return CL_SUCCESS;
    case STATUS_OUT_OF_MEMORY: return CL_OUT_OF_HOST_MEMORY;
    case STATUS_OUT_OF_DEVICE_MEMORY:
    case STATUS_OUT_OF_RESOURCES: return CL_OUT_OF_RESOURCES;
    case STATUS_BAD_OPTIONS: return kinds[work->kind].bad_options;
    case STATUS_COMPILER_MISSING: return CL_COMPILER_NOT_AVAILABLE;
    default: return kinds[work->kind].failure;
    }
}

static cl_int work_do(struct build_work *work)
{
    enum status status = produce_words(work);
    work->type = wanted_type(work);
    if (!status && work->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
        status = load(work);
    if (!status && work->executable)
        status = judge_sub_groups(work);
    if (status) {
        spirv_fini(&work->spirv);
        work->spirv = (struct spirv){0};
        work->type = CL_PROGRAM_BINARY_TYPE_NONE;
    }
    return work_error(work, status);
}

/* ---- the program while it is built -------------------------------------------------- */

/*
 * Marks the program as in progress for these devices. Their last builds are freed without a lock.
 */
static cl_int work_begin(struct build_work *work, cl_uint count, struct cl_device *const *devices)
{
    struct program_object *program = work->program;
    struct program_build *build = program_build_new(count, devices), *old = NULL;
    if (!build || !(build->options = strdup(work->options))) {
        program_build_free(build);
        return CL_OUT_OF_HOST_MEMORY;
    }
    runtime_lock();
    cl_int err = CL_SUCCESS;
    const uint32_t kernels = __atomic_load_n(&program->attached_kernels, __ATOMIC_RELAXED);
    if (program_building(program) || kernels)
        err = kernels ? call_because(CL_INVALID_OPERATION,
                                     "program %" PRIu32 " has %" PRIu32
                                     " kernel object%s, which must be released before",
                                     program->base.id, kernels, kernels == 1 ? "" : "s")
                      : call_because(CL_INVALID_OPERATION, "a build of program %" PRIu32 " is not done yet",
                                     program->base.id);
    else if (!program_reserve_devices(program, count))
        err = CL_OUT_OF_HOST_MEMORY;
    else
        program_push_build(program, build, &old);
    build->status = CL_BUILD_IN_PROGRESS;
    runtime_unlock();
    program_build_free(err ? build : old);
    work->build = build;
    return err;
}

static void work_end(struct build_work *work, cl_int err)
{
    struct program_build *build = work->build;
    runtime_lock();
    build->status = err ? CL_BUILD_ERROR : CL_BUILD_SUCCESS;
    build->log = work->log;
    build->spirv = work->spirv;
    build->program = work->executable;
    build->binary = work->binary;
    build->binary_type = work->type;
    build->kernel_arg_info = work->parsed.kernel_arg_info;
    build->debug = is_debug(work);
    build->uniform_groups = is_uniform(work);
    if (!err)
        program_add_devices(work->program, build->device_count, build->devices);
    runtime_unlock();
    work->log = NULL;
    work->spirv = (struct spirv){0};
    work->executable = NULL;
}

/* ---- notify functions --------------------------------------------------------------------- */

struct notification {
    notify_function *function;
    struct program_object *program;
    void *data;
};

static void notification_deliver(void *item)
{
    struct notification *notification = item;
    usage_callback(1);
    notification->function((cl_program)notification->program, notification->data);
    usage_callback(-1);
    object_unref(notification->program);
    free(notification);
}

static struct notification *notification_new(struct program_object *program, notify_function *function,
                                             void *data)
{
    struct notification *notification = malloc(sizeof *notification);
    if (notification)
        *notification = (struct notification){function, object_ref(program), data};
    return notification;
}

/* Each input of a link has one build for both devices. */
static bool inputs_alike(const struct build_work *work, const struct cl_device *a, const struct cl_device *b)
{
    bool alike = true;
    runtime_lock();
    for (size_t i = 0; work->inputs && i < work->inputs->count; i++)
        alike &= program_build(work->inputs->programs[i], a) == program_build(work->inputs->programs[i], b);
    runtime_unlock();
    return alike;
}

/* Moves the devices that can share a build with the first one to the front; returns their number. */
static cl_uint take_alike(const struct build_work *work, struct cl_device **devices, cl_uint count)
{
    cl_uint alike = 1;
    const struct program_binary *binary = program_binary_for(work->program, devices[0]);
    for (cl_uint i = 1; i < count; i++)
        if (devices[i]->config == devices[0]->config &&
            program_binary_for(work->program, devices[i]) == binary &&
            inputs_alike(work, devices[0], devices[i])) {
            struct cl_device *device = devices[i];
            devices[i] = devices[alike];
            devices[alike++] = device;
        }
    return alike;
}

/* Uses the binary of the device, and its options. */
static void take_binary(struct build_work *work, const struct cl_device *device)
{
    work->binary = program_binary_for(work->program, device);
    if (!work->binary)
        return;
    if (work->keeps_options)
        work->options = work->binary->options ? work->binary->options : "";
    work->parsed.kernel_arg_info = work->wants_arg_info || work->binary->kernel_arg_info;
    work->uniform_groups = work->binary->uniform_groups;
    work->debug = work->binary->debug;
}

/* Uses the inputs' builds for the device; of an input without one, the latest build. */
static cl_int take_modules(struct build_work *work, const struct cl_device *device)
{
    enum status status = STATUS_OK;
    runtime_lock();
    for (size_t i = 0; work->inputs && i < work->inputs->count && !status; i++) {
        const struct program_build *build = program_build(work->inputs->programs[i], device);
        if (!build->spirv.words)
            continue;
        spirv_fini(&work->inputs->modules[i]);
        work->inputs->modules[i] = (struct spirv){0};
        status = program_work_copy_words(&build->spirv, &work->inputs->modules[i]);
    }
    runtime_unlock();
    return error_from_status(status);
}

/* Errors in the options become the build log of all devices. */
static cl_int refuse_options(struct build_work *work, struct cl_device **devices, cl_uint count)
{
    cl_int err = work_begin(work, count, devices);
    if (err)
        return err;
    log_append(work, work->refused);
    work_end(work, kinds[work->kind].bad_options);
    return kinds[work->kind].bad_options;
}

/* For programs that print no build log. The first error of the compiler, or else the first line. */
static void report_error(const struct build_work *work)
{
    static const char mark[] = "error:";
    char text[300];
    const char *line = work->log ? work->log : "", *found = strstr(line, mark);
    while (found && found > line && found[-1] != '\n')
        found--;
    if (found)
        line = found;
    snprintf(text, sizeof text, "the build log has %.*s", (int)strcspn(line, "\n"), line);
    if (*line)
        call_detail(text);
}

/* One build: begins, compiles or links, ends. variables: the program has program-scope variables. */
static cl_int build_one(struct build_work *work, struct cl_device **devices, cl_uint count, bool *out_began,
                        bool *out_variables)
{
    *out_variables = false;
    take_binary(work, devices[0]);
    cl_int err = take_modules(work, devices[0]);
    if (!err)
        err = work_begin(work, count, devices);
    if (err)
        return err;
    *out_began = true;
    err = work_do(work);
    if (err == kinds[work->kind].failure)
        report_error(work);
    *out_variables = work->executable && program_variable_bytes(work->executable);
    work_end(work, err);
    return err;
}

/* Builds for each group of devices; began: the first build could begin. Each device has program-scope
 * variables of its own (OpenCL 2.2 API, 3.3.3), so devices of a program with such variables do not share
 * a build. */
static cl_int build_all(struct build_work *work, struct cl_device **devices, cl_uint count, bool *out_began)
{
    cl_int first_error = CL_SUCCESS;
    for (cl_uint alike; count; devices += alike, count -= alike) {
        bool variables, again;
        alike = take_alike(work, devices, count);
        cl_int err = build_one(work, devices, alike, out_began, &variables);
        for (cl_uint i = 1; i < alike && variables && !err; i++)
            err = build_one(work, devices + i, 1, out_began, &again);
        first_error = first_error ? first_error : err;
    }
    return first_error;
}

/* The devices that the call names, or all of the program; referenced, so that they outlive the build. */
static struct cl_device **devices_of(const struct build_work *work, cl_uint *out_count)
{
    runtime_lock();
    struct cl_device *const *from = work->device_count ? work->devices : work->program->devices;
    cl_uint count = work->device_count ? work->device_count : work->program->device_count;
    struct cl_device **devices = calloc(count, sizeof *devices);
    *out_count = 0;
    for (cl_uint i = 0; devices && i < count; i++) {
        bool again = false;
        for (cl_uint k = 0; k < *out_count; k++)
            again |= devices[k] == from[i];
        if (!again)
            devices[(*out_count)++] = object_ref(from[i]);
    }
    runtime_unlock();
    return devices;
}

/* A build for all devices; runs on a stack of its own where the thread's is small. */
struct whole_build {
    struct build_work *work;
    struct cl_device **devices;
    cl_uint count;
    bool began;
    cl_int err;
};

static void run_whole_build(void *self)
{
    struct whole_build *whole = self;
    struct build_work *work = whole->work;
    whole->err = work->refused[0] ? refuse_options(work, whole->devices, whole->count)
                                  : build_all(work, whole->devices, whole->count, &whole->began);
}

/* Builds for all devices, and notifies. */
cl_int program_work_run(struct build_work *work, notify_function *notify, void *data)
{
    cl_uint count = 0;
    struct cl_device **devices = devices_of(work, &count);
    struct notification *notification = notify ? notification_new(work->program, notify, data) : NULL;
    struct whole_build whole = {work, devices, count, false, CL_OUT_OF_HOST_MEMORY};
    if (devices && (!notify || notification))
        stack_room_call(run_whole_build, &whole);
    for (cl_uint i = 0; i < count; i++)
        object_unref(devices[i]);
    free(devices);
    if (notification && whole.began) {
        callback_post(notification_deliver, notification);
        return CL_SUCCESS;
    }
    if (notification)
        object_unref(notification->program);
    free(notification);
    return whole.err;
}

/* ---- checks the calls share ------------------------------------------------------------------ */

/* Errors in the options are reported in the log of an existing program (work_run). */
cl_int program_work_parse_options(struct build_work *work, struct context *context)
{
    struct diagnosis diagnosis = {0};
    char text[sizeof diagnosis.text + 32];
    enum status status = build_options_parse(work->options, work->kind == LINK, &work->parsed, &diagnosis);
    if (status == STATUS_BAD_OPTIONS) {
        snprintf(text, sizeof text, "%s: %s", kinds[work->kind].call, diagnosis.text);
        context_error(context, text);
        memcpy(work->refused, diagnosis.text, sizeof work->refused);
    }
    return work->refused[0] && work->kind != LINK ? CL_SUCCESS : work_error(work, status);
}

/* Keeps the devices in the work. */
cl_int program_work_check(struct build_work *work, cl_uint num_devices, const cl_device_id *device_list,
                          notify_function *notify, const void *data)
{
    work->device_count = num_devices;
    work->devices = (struct cl_device **)(uintptr_t)device_list;
    if (!notify && data)
        return CL_INVALID_VALUE;
    return program_check_devices(work->program, num_devices, device_list);
}
