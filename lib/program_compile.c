/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clBuildProgram, clCompileProgram and clLinkProgram (OpenCL 3.0 API, 5.8.3 to 5.8.5). The calling thread
 * does the work, without a lock. Meanwhile the program is marked CL_BUILD_IN_PROGRESS, and a second build is
 * refused. Devices with one configuration share a build. A notify function is called on the callback thread
 * afterwards; then the call only returns whether the work could begin.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "callback.h"
#include "context.h"
#include "device_info.h"
#include "device_spirv.h"
#include "error.h"
#include "api_program.h"
#include "queue.h"
#include "source_file.h"
#include "lib/diagnose/call.h"
#include "lib/host/stack_room.h"
#include "tokens.h"
#include "lib/diagnose/usage.h"

enum build_kind { BUILD, COMPILE, LINK };

/* The errors by kind of work: refused options, failed work. */
static const struct {
    const char *call;
    cl_int bad_options, failure;
} kinds[] = {
    [BUILD] = {"clBuildProgram", CL_INVALID_BUILD_OPTIONS, CL_BUILD_PROGRAM_FAILURE},
    [COMPILE] = {"clCompileProgram", CL_INVALID_COMPILER_OPTIONS, CL_COMPILE_PROGRAM_FAILURE},
    [LINK] = {"clLinkProgram", CL_INVALID_LINKER_OPTIONS, CL_LINK_PROGRAM_FAILURE},
};

/* The inputs of a link. */
struct inputs {
    struct spirv *modules;
    struct program_object **programs;
    size_t count;
    struct cl_device **devices; /* to link for; owned array of borrowed devices */
    cl_uint device_count;
    bool kernel_arg_info, uniform_groups, debug;
};

/* ---- one build and its result ------------------------------------------- */

struct build_work {
    enum build_kind kind;
    struct program_object *program;
    cl_uint device_count; /* devices that the call names; 0: all of the program */
    struct cl_device **devices;
    struct program_build *build; /* the result */
    const char *options;         /* as the caller gave them; never NULL */
    struct build_options parsed;
    const struct compile_header *headers;
    size_t header_count;
    struct inputs *inputs;                             /* LINK */
    const struct program_binary *binary;               /* of the present devices, or NULL */
    bool keeps_options, wants_arg_info;                /* the binary's options count; the caller's */
    bool uniform_groups, debug;                        /* as its inputs were built */
    char refused[sizeof((struct diagnosis *)0)->text]; /* why the options are invalid; "": they are valid */
    /* results, which are moved into build */
    struct spirv spirv;
    struct program *executable;
    cl_program_binary_type type;
    char *log;
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

/* The caller's options and those the scenario adds. */
static char *all_options(const struct build_work *work)
{
    const char *added = runtime_get()->scenario.build_options;
    char *options = NULL;
    if (asprintf(&options, "%s%s%s", work->options, added ? " " : "", added ? added : "") < 0)
        return NULL;
    return options;
}

/* The source text, also of a binary that has one. */
static const char *source_of(const struct build_work *work)
{
    return work->binary ? work->binary->source : work->program->source;
}

static const char *source_name(const struct build_work *work)
{
    const char *source = source_of(work);
    return source ? source_file_name(source, work->binary ? NULL : work->program->made) : NULL;
}

/* Borrows the options. */
static struct compile_request request_of(const struct build_work *work, const char *options)
{
    const struct cl_device *device = work->build->devices[0];
    const struct device_config *config = device->config;
    return (struct compile_request){
        .source = work->program->source,
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

static enum status copy_words(const struct spirv *from, struct spirv *out_spirv)
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

static enum status produce_words(struct build_work *work)
{
    if (work->kind == LINK)
        return spirv_link(work->inputs->modules, work->inputs->count, work->parsed.create_library,
                          &work->spirv, &work->log);
    if (work->program->origin == PROGRAM_FROM_SOURCE)
        return compile_source(work);
    enum status status = copy_words(work->binary ? &work->binary->words : &work->program->il, &work->spirv);
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
    char *options = source && !binary && work->kind == BUILD ? all_options(work) : NULL;
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
    if (program_building(program) || __atomic_load_n(&program->attached_kernels, __ATOMIC_RELAXED))
        err = CL_INVALID_OPERATION;
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

typedef void CL_CALLBACK notify_function(cl_program program, void *data);
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
        status = copy_words(&build->spirv, &work->inputs->modules[i]);
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
static cl_int work_run(struct build_work *work, notify_function *notify, void *data)
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
static cl_int parse_options(struct build_work *work, struct context *context)
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
static cl_int check_devices_and_notify(struct build_work *work, cl_uint num_devices,
                                       const cl_device_id *device_list, notify_function *notify,
                                       const void *data)
{
    work->device_count = num_devices;
    work->devices = (struct cl_device **)(uintptr_t)device_list;
    if (!notify && data)
        return CL_INVALID_VALUE;
    return program_check_devices(work->program, num_devices, device_list);
}

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
    cl_int err = check_devices_and_notify(&work, num_devices, device_list, notify, data);
    if (!err)
        err = check_buildable(program, &work);
    if (!err && !work.keeps_options)
        err = parse_options(&work, program->context);
    if (err)
        return err;
    work.parsed.create_library = false;
    work.wants_arg_info = work.parsed.kernel_arg_info;
    return work_run(&work, notify, data);
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
        err = parse_options(work, program->context);
    if (!err)
        err = work_run(work, notify, data);
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
    cl_int err = check_devices_and_notify(&work, num_devices, device_list, pfn_notify, user_data);
    if (!err && (!num_input_headers != !input_headers || !num_input_headers != !header_include_names))
        err = CL_INVALID_VALUE;
    if (!err)
        err = compile(program, &work, num_input_headers, input_headers, header_include_names, pfn_notify,
                      user_data);
    return context_refuse(program->context, "clCompileProgram", err);
}

/* ---- clLinkProgram ------------------------------------------------------------------------------ */

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

static cl_int input_add(struct inputs *inputs, const struct context *context, cl_program handle)
{
    struct program_object *program = object_lookup(handle, OBJECT_PROGRAM);
    if (!program)
        return CL_INVALID_PROGRAM;
    if (program->context != context)
        return CL_INVALID_CONTEXT;
    runtime_lock();
    const struct program_build *build = program_latest(program);
    bool busy = program_building(program), linkable = is_linkable(build);
    enum status status = linkable ? copy_words(&build->spirv, &inputs->modules[inputs->count]) : STATUS_OK;
    inputs->kernel_arg_info |= build->kernel_arg_info;
    inputs->uniform_groups |= build->uniform_groups;
    inputs->debug |= build->debug;
    runtime_unlock();
    inputs->programs[inputs->count++] = object_ref(program);
    return busy ? refuse_busy(program) : error_from_status(status);
}

static void inputs_fini(struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        spirv_fini(&inputs->modules[i]);
        object_unref(inputs->programs[i]);
    }
    free(inputs->modules);
    free(inputs->programs);
    free(inputs->devices);
}

static cl_int inputs_gather(struct inputs *inputs, const struct context *context, cl_uint count,
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
static size_t inputs_for(const struct inputs *inputs, const struct cl_device *device)
{
    size_t count = 0;
    for (size_t i = 0; i < inputs->count; i++)
        count += is_linkable(program_build(inputs->programs[i], device));
    return count;
}

/* The first input that has a compiled binary for the device, or that has none. There is one. */
static const struct program_object *input_with(const struct inputs *inputs, const struct cl_device *device,
                                               bool linkable)
{
    size_t i = 0;
    while (i + 1 < inputs->count && is_linkable(program_build(inputs->programs[i], device)) != linkable)
        i++;
    return inputs->programs[i];
}

static cl_int refuse_device(const struct inputs *inputs, const struct cl_device *device)
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
static cl_int inputs_devices(struct inputs *inputs, cl_uint count, struct cl_device *const *devices)
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
static void keep_source(struct program_object *program, const struct inputs *inputs)
{
    if (inputs->count == 1 && program_source(inputs->programs[0]))
        program->source = strdup(program_source(inputs->programs[0]));
}

/* *out_program is set once linking has begun, since its log has the errors. */
static cl_int link_inputs(struct context *context, struct build_work *work, struct inputs *inputs,
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
    return inputs->device_count ? work_run(work, notify, data) : CL_SUCCESS;
}

static cl_int link_programs(struct context *context, struct build_work *work, cl_uint count,
                            const cl_program *input_programs, notify_function *notify, void *data,
                            struct program_object **out_program)
{
    struct inputs inputs = {0};
    cl_int err = inputs_gather(&inputs, context, count, input_programs);
    if (!err)
        err = inputs_devices(&inputs, work->device_count ? work->device_count : context->device_count,
                             work->device_count ? work->devices : context->devices);
    if (!err)
        err = parse_options(work, context);
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
        err = CL_INVALID_VALUE;
    if (!err)
        err = link_programs(context, &work, num_input_programs, input_programs, pfn_notify, user_data,
                            &program);
    context_refuse(context, "clLinkProgram", err);
    if (errcode_ret)
        *errcode_ret = err;
    return (cl_program)program;
}
