/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the program of a scenario to SPIR-V. OpenCL C goes through the front end, assembly through
 * SPIRV-Tools; a module is read. File names are relative to the scenario's file. Options of the program and
 * of the whole scenario are joined. Built-in kernels are built in the newest OpenCL C that the device
 * supports. */
#include "orrery/scenario_run.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

/* Paths in a scenario are relative to the scenario's file. */
static char *resolve(const struct scenario *scenario, const char *path)
{
    char *resolved = NULL;
    char *copy = strdup(scenario->file ? scenario->file : "");
    if (!copy)
        return NULL;
    if (path[0] == '/')
        resolved = strdup(path);
    else if (asprintf(&resolved, "%s/%s", dirname(copy), path) < 0)
        resolved = NULL;
    free(copy);
    return resolved;
}

static bool read_bytes(const char *path, char **out_bytes, size_t *out_size)
{
    char chunk[4096];
    FILE *file = fopen(path, "rb"), *stream = file ? open_memstream(out_bytes, out_size) : NULL;
    if (!stream) {
        if (file)
            fclose(file);
        return false;
    }
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file)) > 0;)
        fwrite(chunk, 1, got, stream);
    bool fine = !ferror(file);
    fclose(stream);
    fclose(file);
    if (!fine) {
        free(*out_bytes);
        *out_bytes = NULL;
    }
    return fine;
}

static enum status read_input(const struct scenario *scenario, const char *path, char **out_bytes,
                              size_t *out_size, struct diagnosis *diagnosis)
{
    char *resolved = resolve(scenario, path);
    if (!resolved)
        return STATUS_OUT_OF_MEMORY;
    enum status status = STATUS_OK;
    if (!read_bytes(resolved, out_bytes, out_size))
        status = diagnose(diagnosis, STATUS_BAD_SCENARIO, "program: %s cannot be read: %s", resolved,
                          strerror(errno));
    free(resolved);
    return status;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* A file that ends in .clcpp is C++ for OpenCL, unless the options name a language. */
static char *joined_options(const struct scenario *scenario)
{
    const struct scenario_program *program = &scenario->program;
    const char *own = program->options ? program->options : "";
    const char *more = scenario->build_options ? scenario->build_options : "";
    const bool plus_plus = program->source_file && ends_with(program->source_file, ".clcpp") &&
                           !strstr(own, "-cl-std=") && !strstr(more, "-cl-std=");
    char *options = NULL;
    if (asprintf(&options, "%s%s%s%s", plus_plus ? "-cl-std=CLC++ " : "", own, *own && *more ? " " : "",
                 more) < 0)
        return NULL;
    return options;
}

/* What the options ask of the program that was built, whatever it was built from. */
static enum status apply_options(const char *options, struct scenario_source *source,
                                 struct diagnosis *diagnosis)
{
    struct build_options built;
    const enum status status = build_options_parse(options, false, &built, diagnosis);
    if (status != STATUS_OK)
        return status;
    source->detailed_errors = built.debug;
    source->uniform_groups = built.uniform_work_group_size;
    source->unoptimised = built.opt_disable;
    return STATUS_OK;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- OpenCL C ------------------------------------------------------------------------ */

static enum status compile(const struct scenario *scenario, struct scenario_source *source,
                           struct spirv *out_spirv, char **out_log)
{
    const struct device_config *device = &scenario->device;
    char *options = joined_options(scenario);
    char *anchor =
        resolve(scenario, scenario->program.source_file ? scenario->program.source_file : "program.cl");
    if (!options || !anchor) {
        free(options);
        free(anchor);
        return STATUS_OUT_OF_MEMORY;
    }
    struct compile_request request = {
        .source = source->text,
        .source_name = source->name,
        .options = options,
        .version_major = device->version_major,
        .version_minor = device->version_minor,
        .opencl_c_20 = scenario_opencl_c_20(device),
        .fp16 = device->fp16,
        .fp64 = device->fp64,
        .int64_atomics = device->int64_atomics,
        .sub_groups = device->sub_groups,
        .generic_address_space = device->generic_address_space,
        .program_scope_variables = device->program_scope_variables,
        .work_group_collectives = device->work_group_collectives,
        .images = device->images,
        .pipes = device->pipes,
        .device_enqueue = device->device_enqueue,
        .kernel_clock = device->kernel_clock,
        .named_barriers = device->named_barriers,
        .srgb_writes = device->srgb_writes,
        .seconds = scenario->compile_seconds,
        .memory_bytes = scenario->compile_bytes,
        .way = scenario->compile_way,
        .program_dir = dirname(anchor),
        .debug = scenario->debug != NULL,
    };
    source->compiled = request;
    source->options = options;
    source->anchor = anchor;
    enum status status = compile_opencl_c(&request, out_spirv, out_log);
    struct diagnosis ignored = {0}; /* the compiler has judged the options */
    if (status == STATUS_OK)
        apply_options(options, source, &ignored);
    return status;
}

static enum status read_source(const struct scenario *scenario, char **out_text, struct diagnosis *diagnosis)
{
    const char *path = scenario->program.source_file;
    size_t size;
    const enum status status = read_input(scenario, path, out_text, &size, diagnosis);
    const bool is_module = status == STATUS_OK && size >= 4 && memcmp(*out_text, "\3\2#\7", 4) == 0;
    if (status == STATUS_OK && (is_module || ends_with(path, ".spvasm")))
        return diagnose(diagnosis, STATUS_BAD_SCENARIO,
                        "program: %s is SPIR-V, no source: expected 'spirv: %s'", path, path);
    return status;
}

static enum status build_source(const struct scenario *scenario, struct spirv *out_spirv,
                                struct scenario_source *out_source, char **out_log,
                                struct diagnosis *diagnosis)
{
    const struct scenario_program *program = &scenario->program;
    enum status status = STATUS_OK;
    if (program->edited_text)
        out_source->text = strdup(program->edited_text);
    else if (program->source_file)
        status = read_source(scenario, &out_source->text, diagnosis);
    else
        out_source->text = strdup(program->source_text);
    out_source->name = strdup(program->source_file ? base_name(program->source_file) : "program.cl");
    if (status == STATUS_OK && (!out_source->text || !out_source->name))
        status = STATUS_OUT_OF_MEMORY;
    return status == STATUS_OK ? compile(scenario, out_source, out_spirv, out_log) : status;
}

/* ---- SPIR-V ---------------------------------------------------------------------------- */

static enum status build_spirv(const struct scenario *scenario, struct spirv *out_spirv,
                               struct scenario_source *source, char **out_log, struct diagnosis *diagnosis)
{
    char *bytes = NULL;
    size_t size = 0;
    const char *path = scenario->program.spirv_file;
    enum status status = read_input(scenario, path, &bytes, &size, diagnosis);
    if (status != STATUS_OK)
        return status;
    if (ends_with(path, ".spvasm")) {
        status = spirv_assemble(bytes, out_spirv, out_log);
        free(bytes);
    } else if (size % 4) {
        free(bytes);
        return diagnose(diagnosis, STATUS_BAD_BINARY,
                        "program: %s is no SPIR-V: %zu bytes are not whole words", path, size);
    } else {
        *out_spirv = (struct spirv){(uint32_t *)(void *)bytes, size / 4};
    }
    if (status == STATUS_OK) {
        free(*out_log);
        status = spirv_validate(out_spirv->words, out_spirv->word_count, out_log);
    }
    if (status != STATUS_OK)
        return status;
    source->options = joined_options(scenario);
    return source->options ? apply_options(source->options, source, diagnosis) : STATUS_OUT_OF_MEMORY;
}

enum status scenario_build(const struct scenario *scenario, struct spirv *out_spirv,
                           struct scenario_source *out_source, char **out_log, struct diagnosis *diagnosis)
{
    *out_spirv = (struct spirv){NULL, 0};
    *out_source = (struct scenario_source){0};
    *out_log = NULL;
    enum status status = scenario->program.spirv_file
                             ? build_spirv(scenario, out_spirv, out_source, out_log, diagnosis)
                             : build_source(scenario, out_spirv, out_source, out_log, diagnosis);
    if (!*out_log)
        *out_log = strdup("");
    if (status != STATUS_OK)
        diagnose(diagnosis, status, "program: %s", status_name(status));
    return status;
}

enum status scenario_build_built_ins(const struct scenario *scenario, const struct device_config *device,
                                     struct spirv *out_spirv, struct scenario_source *out_source,
                                     char **out_log, struct diagnosis *diagnosis)
{
    static const char *const standards[] = {
        [1] = "-cl-std=CL1.2", [2] = "-cl-std=CL2.0", [3] = "-cl-std=CL3.0"};
    char options[sizeof "-cl-std=CL1.2"];
    char *file = device->built_in_kernels;
    const bool assembled = ends_with(file, ".spv") || ends_with(file, ".spvasm");
    struct scenario alone = *scenario; /* borrows from the scenario */
    strcpy(options, standards[device->version_major]);
    alone.device = *device;
    alone.build_options = NULL;
    if (assembled)
        alone.program = (struct scenario_program){.spirv_file = file};
    else
        alone.program = (struct scenario_program){.source_file = file, .options = options};
    return scenario_build(&alone, out_spirv, out_source, out_log, diagnosis);
}

void scenario_source_fini(struct scenario_source *source)
{
    free(source->name);
    free(source->text);
    free(source->options);
    free(source->anchor);
    *source = (struct scenario_source){0};
}
