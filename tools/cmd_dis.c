/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `orrery dis`: prints the SPIR-V of a file, as spirv-dis does, and the bytecode of its kernels, by a
 * scenario without a launch that has the file as its program. Both are printed unless one is asked for.
 */
#include "tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/device.h"
#include "orrery/scenario_run.h"

struct dis_arguments {
    struct settings settings;
    const char *file;
    bool spirv, bytecode;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct dis_arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &arguments->settings; return 0;
    case 's': arguments->spirv = true; return 0;
    case 'b': arguments->bytecode = true; return 0;
    case ARGP_KEY_ARG:
        if (arguments->file)
            argp_error(state, "one file at a time");
        arguments->file = argument;
        return 0;
    case ARGP_KEY_END:
        if (!arguments->file)
            argp_error(state, "no file given");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static bool print_spirv(const struct spirv *spirv)
{
    char *text = NULL, *log = NULL;
    enum status status = spirv_disassemble(spirv->words, spirv->word_count, &text, &log);
    if (status == STATUS_OK)
        fputs(text, stdout);
    else
        tools_message("error: %s", log ? log : status_name(status));
    free(text);
    free(log);
    return status == STATUS_OK;
}

static enum status print_bytecode(const struct scenario *scenario, const struct spirv *spirv,
                                  const struct scenario_source *source, struct diagnosis *diagnosis)
{
    const struct scenario silent = scenario_without_outputs(scenario);
    struct report *report = report_new(&silent);
    struct device *device = NULL;
    struct program *program = NULL;
    struct program_request request = {.words = spirv->words,
                                      .word_count = spirv->word_count,
                                      .source_name = source->name,
                                      .source_text = source->text,
                                      .uniform_groups = source->uniform_groups,
                                      .unoptimised = source->unoptimised};
    enum status status = report ? device_new(&silent, report, &device, diagnosis) : STATUS_OUT_OF_MEMORY;
    if (status == STATUS_OK)
        status = program_load(device, &request, &program, diagnosis);
    if (status == STATUS_OK) {
        char *listing = program_listing(program);
        fputs(listing ? listing : "", stdout);
        free(listing);
        program_release(program);
    }
    if (device)
        device_free(device);
    report_free(report);
    return status;
}

static int disassemble(const struct dis_arguments *arguments, const struct scenario *scenario)
{
    struct diagnosis diagnosis = {0};
    struct spirv spirv;
    struct scenario_source source;
    char *log;
    bool both = arguments->spirv == arguments->bytecode;
    enum status status = scenario_build(scenario, &spirv, &source, &log, &diagnosis);
    if (status != STATUS_OK && log)
        fputs(log, stderr);
    if (status == STATUS_OK && (both || arguments->spirv) && !print_spirv(&spirv))
        status = STATUS_BAD_BINARY;
    if (status == STATUS_OK && (both || arguments->bytecode))
        status = print_bytecode(scenario, &spirv, &source, &diagnosis);
    if (status != STATUS_OK)
        tools_message_diagnosis(&diagnosis);
    spirv_fini(&spirv);
    scenario_source_fini(&source);
    free(log);
    return tools_exit_status(status);
}

static bool is_source(const char *path)
{
    const char *dot = strrchr(path, '.');
    return !dot || (strcmp(dot, ".spv") != 0 && strcmp(dot, ".spvasm") != 0);
}

/* A scenario with no file of its own: paths are relative to where we are. */
static void set_program(struct scenario *scenario, const char *file)
{
    struct scenario_program *program = &scenario->program;
    free(program->source_file);
    free(program->source_text);
    free(program->spirv_file);
    free(scenario->file);
    scenario->file = program->source_file = program->source_text = program->spirv_file = NULL;
    *(is_source(file) ? &program->source_file : &program->spirv_file) = strdup(file);
}

int cmd_dis(int argc, char **argv)
{
    struct dis_arguments arguments = {.file = NULL};
    const struct argp_option options[] = {
        {"spirv", 's', NULL, 0, "only the SPIR-V", 0},
        {"bytecode", 'b', NULL, 0, "only the bytecode that is run", 0},
        {NULL, 0, NULL, 0, NULL, 0},
    };
    const struct argp_child children[] = {{settings_argp(), 0, NULL, 0}, {NULL, 0, NULL, 0}};
    const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "FILE.{cl,spv,spvasm}",
        .doc = "Prints the SPIR-V of FILE and the bytecode it becomes.",
        .children = children,
    };
    struct scenario scenario;
    if (arguments_parse(&argp, argc, argv, &arguments) != 0 ||
        !settings_load(&arguments.settings, NULL, &scenario))
        return EXIT_USAGE;
    environment_configure_compiler();
    set_program(&scenario, arguments.file);
    int code = disassemble(&arguments, &scenario);
    scenario_fini(&scenario);
    return code;
}
