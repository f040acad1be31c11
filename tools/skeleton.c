/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scenario for a kernel that has none: the program is built, and the kernel is chosen among those that a
 * host may enqueue. skeleton_fit.c finds the values of its arguments, skeleton_print.c writes them.
 */
#include "skeleton.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/device.h"
#include "kernel_shape.h"
#include "orrery/scenario_run.h"
#include "skeleton_state.h"
#include "tools.h"

/* ---- which kernel ----------------------------------------------------------------------------- */

static bool is_for_the_host(const struct kernel_info *info)
{
    return !info->block && !info->initializer && !info->finalizer;
}

static char *names_of(const struct program *program)
{
    char *names = NULL;
    size_t size = 0, shown = 0;
    FILE *stream = open_memstream(&names, &size);
    for (size_t i = 0; stream && i < program_kernel_count(program); i++) {
        const struct kernel_info *info = kernel_info(program_kernel(program, i));
        if (is_for_the_host(info))
            fprintf(stream, "%s%s", shown++ ? ", " : "", info->name);
    }
    if (!stream || fclose(stream) != 0)
        tools_no_memory();
    return names;
}

/* The one of that name, or the only one; NULL, with the names of all. */
static const struct kernel_info *choose(const struct program *program, const char *file, const char *name,
                                        struct diagnosis *diagnosis)
{
    const struct kernel_info *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < program_kernel_count(program); i++) {
        const struct kernel_info *info = kernel_info(program_kernel(program, i));
        if (!is_for_the_host(info) || (name && strcmp(name, info->name) != 0))
            continue;
        found = info;
        count++;
    }
    if (count == 1)
        return found;
    char *names = names_of(program);
    if (!*names)
        diagnose(diagnosis, STATUS_BAD_ARGUMENT, "%s has no kernel", file);
    else if (name)
        diagnose(diagnosis, STATUS_BAD_ARGUMENT, "%s has no kernel '%s': choose one of %s", file, name,
                 names);
    else
        diagnose(diagnosis, STATUS_BAD_ARGUMENT,
                 "%s has several kernels: choose one with --kernel=NAME, of %s", file, names);
    free(names);
    return NULL;
}

/* ---- from file to text -------------------------------------------------------------------------- */

static enum status print_fitted(FILE *stream, const struct skeleton *skeleton,
                                const struct scenario *scenario, struct skeleton_request *request,
                                struct diagnosis *diagnosis)
{
    struct fitting best;
    skeleton_fit(skeleton, scenario, request->file, &best);
    const enum status status =
        skeleton_print(stream, &best.skeleton, request->source, best.elements, diagnosis);
    request->notes = (struct skeleton_notes){best.idle.lines, skeleton_print_numbers(&best.skeleton),
                                             skeleton_print_alike(&best.skeleton)};
    best.idle.lines = NULL;
    skeleton_fit_fini(&best);
    return status;
}

static enum status describe_kernel(FILE *stream, const struct kernel_info *info, const struct spirv *spirv,
                                   const struct scenario *scenario, struct skeleton_request *request,
                                   struct diagnosis *diagnosis)
{
    const struct kernel_shape shape = kernel_shape_find(spirv->words, spirv->word_count, info->name);
    uint64_t work = 0;
    const struct skeleton skeleton = {.info = info, .shape = &shape, .work = &work};
    return print_fitted(stream, &skeleton, scenario, request, diagnosis);
}

static enum status describe(const struct scenario *scenario, struct skeleton_request *request,
                            const struct spirv *spirv, const struct scenario_source *source, FILE *stream,
                            struct diagnosis *diagnosis)
{
    /* Nothing runs yet: what is printed and written is that of the run. */
    const struct scenario silent = scenario_without_outputs(scenario);
    struct report *report = report_new(&silent);
    struct device *device = NULL;
    struct program *program = NULL;
    const struct program_request load = {.words = spirv->words,
                                         .word_count = spirv->word_count,
                                         .source_name = source->name,
                                         .source_text = source->text};
    enum status status = report ? device_new(&silent, report, &device, diagnosis) : STATUS_OUT_OF_MEMORY;
    if (status == STATUS_OK)
        status = program_load(device, &load, &program, diagnosis);
    if (status == STATUS_OK) {
        const struct kernel_info *info = choose(program, request->file, request->kernel, diagnosis);
        status =
            info ? describe_kernel(stream, info, spirv, scenario, request, diagnosis) : STATUS_BAD_ARGUMENT;
        program_release(program);
    }
    if (device)
        device_free(device);
    report_free(report);
    return status;
}

void skeleton_notes_fini(struct skeleton_notes *notes)
{
    free(notes->idle_lines);
    free(notes->numbers);
    free(notes->alike);
    *notes = (struct skeleton_notes){NULL, NULL, NULL};
}

/* A kernel alone has no host program, which may give it options. */
static void note_options(const char *log)
{
    static const char *const missing[] = {"undeclared identifier", "unknown type name",
                                          "implicit declaration"};
    bool lacks = false;
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        lacks |= strstr(log, missing[i]) != NULL;
    if (lacks)
        tools_message(
            "note: a name that is missing may be one of a later OpenCL C, or a macro of the host program: "
            "--build-options='-cl-std=CL3.0 -DNAME=VALUE'");
}

char *skeleton_text(struct scenario *scenario, struct skeleton_request *request, struct diagnosis *diagnosis)
{
    char *text = NULL, *log = NULL;
    size_t size = 0;
    struct spirv spirv;
    struct scenario_source source;
    FILE *stream = open_memstream(&text, &size);
    scenario->program.source_file = strdup(request->file);
    if (!stream || !scenario->program.source_file)
        tools_no_memory();
    enum status status = scenario_build(scenario, &spirv, &source, &log, diagnosis);
    if (status != STATUS_OK && log) {
        fputs(log, stderr);
        note_options(log);
    }
    if (status == STATUS_OK)
        status = describe(scenario, request, &spirv, &source, stream, diagnosis);
    spirv_fini(&spirv);
    scenario_source_fini(&source);
    free(log);
    if (fclose(stream) != 0)
        tools_no_memory();
    if (status == STATUS_OK)
        return text;
    free(text);
    return NULL;
}
