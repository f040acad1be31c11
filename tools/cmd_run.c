/* SPDX-License-Identifier: Apache-2.0 */
/* `orrery run`: a program with the library, or a scenario. */
#include "tools.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orrery/file_limit.h"
#include "orrery/report_width.h"
#include "orrery/scenario_run.h"
#include "skeleton.h"
#include "target.h"

enum { KEY_SAVE = 0x101, BUFFERS_NAMED = 8 };
struct run_arguments {
    struct settings settings;
    struct seeds seeds;
    const char *save;
    char **rest;
};

/* The last word may be meant as what to run, and be the value of the option before it. */
static void nothing_to_run(struct argp_state *state)
{
    const char *const last = state->argv[state->argc - 1], *const before = state->argc > 2
                                                                               ? state->argv[state->argc - 2]
                                                                               : "";
    const char *kernel;
    char *file = target_file(last, &kernel);
    if (before[0] == '-' && before[1] != '\0' && strcmp(before, "--") != 0 &&
        access(file ? file : last, F_OK) == 0)
        argp_error(state, "nothing to run: '%s' is the value of %s here; give that option its own value",
                   last, before);
    else
        argp_error(state, "nothing to run: give a program, a scenario or a kernel's file");
    free(file);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct run_arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &arguments->settings; return 0;
    case 's':
        if (!seeds_parse(argument, &arguments->seeds))
            argp_error(state, "--seeds: found '%s', expected A..B", argument);
        return 0;
    case KEY_SAVE: arguments->save = argument; return 0;
    case ARGP_KEY_ARG: /* the rest is not ours, whatever it looks like */
        arguments->rest = state->argv + state->next - 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS: nothing_to_run(state); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- a program -------------------------------------------------------------------- */

static int run_program(const struct settings *settings, char **command)
{
    struct scenario scenario;
    if (!settings_load_outputs(settings, NULL, &scenario)) /* reported here, before the program starts */
        return EXIT_USAGE;
    bool ordered = scenario.schedule.record_file || scenario.schedule.replay;
    if (!library_select()) {
        scenario_fini(&scenario);
        tools_message("error: liborrery.so is neither beside this command nor in %s", ORRERY_LIBDIR);
        return EXIT_FAILED;
    }
    if (ordered && !library_name_threads())
        tools_message(
            "warning: liborrery_threads.so is not beside liborrery.so: threads are distinguished by their "
            "first "
            "calls");
    /* A recorded run repeats the order of the program's locks: a second library around them would change
     * what it sees. */
    if (!ordered && scenario.checks[CHECK_RACES] != SEVERITY_OFF && !library_watch_threads())
        tools_message(
            "warning: liborrery_sync.so is not beside liborrery.so: the threads of a program count as one");
    int code = settings_export(settings) ? watched_run(command, &scenario) : EXIT_FAILED;
    scenario_fini(&scenario);
    return code;
}

/* ---- a scenario -------------------------------------------------------------------- */

static void print_replay(const struct settings *settings, const char *path, struct report *report,
                         const struct schedule_record *record)
{
    const struct replay_options options = settings_replay(settings, true);
    char *rest[] = {(char *)(uintptr_t)path, NULL}, *target = tools_target_words(NULL, false, rest);
    const struct replay_run run = {.options = &options, .record = record, .target = target};
    char *line = replay_line(&run);
    report_set_replay(report, line, false);
    free(line);
    free(target);
}

static int run_scenario(const struct scenario *scenario, const struct settings *settings,
                        struct report *report, FILE *log)
{
    struct diagnosis diagnosis = {0};
    struct scenario_result result;
    report_set_stream(report, log, tools_wants_colour(scenario, log));
    report_set_columns(report, report_columns(fileno(log), getenv("COLUMNS")));
    enum status status = scenario_run(scenario, report, &result, &diagnosis);
    progress_hide();
    if (result.output) {
        fwrite(result.output, 1, result.output_size, stdout);
        fflush(stdout);
    }
    const bool interrupted = status == STATUS_STOPPED && interrupt_caught();
    bool ran = status == STATUS_OK || status == STATUS_NO_PROGRESS || interrupted;
    if (!ran)
        tools_message_scenario_diagnosis(scenario->file, status, &diagnosis);
    int code = interrupted ? 128 + interrupt_caught()
                           : tools_exit_status_of_run(scenario, report, status, result.kernels_run);
    if (code)
        print_replay(settings, scenario->file, report, result.record);
    if (code == EXIT_NOTHING_RAN)
        tools_message("error: no kernel ran, and --expect-kernels wants one: exit status %d",
                      EXIT_NOTHING_RAN);
    if (ran && result.counters_text)
        fputs(result.counters_text, log);
    if (ran) {
        report_finish(log, report, result.kernels_run);
        report_note_off(log, scenario);
    }
    if (ran && !scenario->launch_count && !scenario->quiet)
        fputs("orrery: note: no kernel ran: the scenario has no 'launch'\n", log);
    const struct report_end end = {.kernels_run = result.kernels_run, .exit_status = code};
    struct diagnosis unwritten = result.unwritten;
    bool recorded = tools_record_write(scenario, settings, result.record);
    scenario_result_fini(&result);
    if (report_write_files(report, &end, &unwritten) && unwritten.status == STATUS_OK)
        return recorded ? code : EXIT_FAILED;
    tools_message_diagnosis(&unwritten);
    return EXIT_FAILED;
}

/* A launch of a scenario is in a scenario already. */
static bool saves_launch(const struct scenario *scenario)
{
    if (scenario->save_launch)
        tools_message("error: save_launch: found a scenario or kernel, expected a program: it saves the "
                      "launches of one; --save-scenario=FILE.yaml saves a kernel");
    return scenario->save_launch;
}

/* The scenario goes. */
static int run_loaded(struct scenario *scenario, const struct settings *settings)
{
    if (saves_launch(scenario)) {
        scenario_fini(scenario);
        return EXIT_USAGE;
    }
    int code = EXIT_FAILED;
    struct report *report = report_new(scenario);
    FILE *log = tools_log_open(scenario);
    struct file_limit hold;
    file_limit_hold(&hold);
    if (report && log) {
        environment_configure_compiler();
        interrupt_attach(scenario, true);
        report_set_before(report, progress_hide);
        progress_begin();
        code = run_scenario(scenario, settings, report, log);
        progress_end();
    }
    if (!tools_log_close(log, scenario))
        code = EXIT_FAILED;
    file_limit_release(&hold);
    report_free(report);
    scenario_fini(scenario);
    interrupt_end();
    return code;
}

static int run_file(const struct settings *settings, const char *path)
{
    struct scenario scenario;
    if (!settings_load_outputs(settings, path, &scenario))
        return EXIT_USAGE;
    const struct scenario_program *program = &scenario.program;
    if (program->source_file || program->source_text || program->spirv_file)
        return run_loaded(&scenario, settings);
    tools_message("error: %s has no program: to run one of your own, orrery run --scenario %s -- PROGRAM",
                  path, path);
    scenario_fini(&scenario);
    return EXIT_USAGE;
}

/* ---- a kernel --------------------------------------------------------------------- */

/* As any output file, it replaces only a file of its own kind: not the kernel, say. */
static bool may_save(const char *path, const struct scenario *scenario)
{
    struct diagnosis diagnosis = {0};
    if (report_output_check("save_scenario", path, SKELETON_MAGIC, scenario->force_files, &diagnosis) ==
        STATUS_OK)
        return true;
    tools_message_diagnosis(&diagnosis);
    return false;
}

static bool save_text(const char *path, const char *text, bool force)
{
    FILE *stream = report_open_file(path, force);
    const bool written = stream && fputs(text, stream) >= 0;
    if (stream && fclose(stream) == 0 && written)
        return true;
    tools_message("error: %s cannot be written", path);
    return false;
}

/* Structs are bytes. */
static bool are_alike(const struct value_list *a, const struct value_list *b)
{
    return a->count == b->count && (a->type == VALUE_U8) == (b->type == VALUE_U8);
}

/* ", buffers of 4832 bytes, 151 and 604 values" */
static void print_buffer_sizes(FILE *stream, const struct scenario_launch *launch)
{
    const struct value_list *buffers[BUFFERS_NAMED];
    size_t count = 0, shown;
    bool same = true;
    for (size_t i = 0; i < launch->arg_count; i++) {
        if (launch->args[i].kind != SCENARIO_ARG_BUFFER)
            continue;
        if (count < BUFFERS_NAMED)
            buffers[count] = &launch->args[i].values;
        same = same && are_alike(&launch->args[i].values, buffers[0]);
        count++;
    }
    shown = same && count ? 1 : count < BUFFERS_NAMED ? count : BUFFERS_NAMED;
    if (shown)
        fprintf(stream, ", %s of ", count == 1 ? "a buffer" : "buffers");
    for (size_t i = 0; i < shown; i++) {
        const bool bytes = buffers[i]->type == VALUE_U8,
                   last_of_unit = i + 1 == shown || bytes != (buffers[i + 1]->type == VALUE_U8);
        fprintf(stream, "%s%" PRIu64 "%s",
                !i               ? ""
                : i + 1 == count ? " and "
                                 : ", ",
                buffers[i]->count,
                !last_of_unit ? ""
                : bytes       ? " bytes"
                              : " values");
    }
    if (shown < count && !same)
        fputs(" and more", stream);
}

static uint64_t count_groups(const struct scenario_launch *launch)
{
    uint64_t groups = 1;
    for (uint32_t d = 0; d < launch->work_dim; d++)
        groups *= launch->global[d] / launch->local[d];
    return groups;
}

/* What a kernel without a scenario ran with: sizes decide what can be found. malloc'd. */
static char *note_of_sizes(const struct scenario_launch *launch, const char *numbers)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        tools_no_memory();
    for (uint32_t d = 0; d < launch->work_dim; d++)
        fprintf(stream, "%s%" PRIu64, d ? " x " : "", launch->global[d]);
    fprintf(stream, " work-items in %" PRIu64 " work-group%s", count_groups(launch),
            count_groups(launch) == 1 ? "" : "s");
    if (numbers && *numbers)
        fprintf(stream, ", %s", numbers);
    print_buffer_sizes(stream, launch);
    fputs("\norrery: note: --save-scenario=FILE.yaml writes that scenario, for other sizes", stream);
    if (fclose(stream) != 0)
        tools_no_memory();
    return text;
}

/* A scenario of the kernel's signature is made, kept if `save` names a file, and run. The word names it in
 * the line that runs it again. */
static int run_kernel(const struct settings *settings, const char *word, const char *file, const char *kernel,
                      const char *save)
{
    struct scenario scenario;
    struct skeleton_notes notes;
    char *text = target_scenario(settings, file, kernel, save ? save : file, &notes);
    int code = EXIT_USAGE;
    if (text && settings_load_text(settings, text, save ? save : word, &scenario)) {
        if (!may_save(save, &scenario)) {
            scenario_fini(&scenario);
            skeleton_notes_fini(&notes);
            free(text);
            return EXIT_USAGE;
        }
        const bool quiet = scenario.quiet, saved = !save || save_text(save, text, scenario.force_files);
        char *note = save || quiet ? NULL : note_of_sizes(&scenario.launches[0], notes.numbers);
        code = run_loaded(&scenario, settings);
        code = saved ? code : EXIT_FAILED;
        const char *const idle = notes.idle_lines;
        if (idle && *idle && !quiet)
            tools_message("note: %s %s of %s did not run with these values, and so nothing was found there",
                          strpbrk(idle, ",.") ? "lines" : "line", idle, file);
        if (notes.alike && *notes.alike && !quiet)
            tools_message("note: %s: a mix-up of them is not found with these values", notes.alike);
        if (note && code != EXIT_USAGE) /* else it did not run */
            tools_message("note: the kernel ran with %s", note);
        free(note);
    }
    skeleton_notes_fini(&notes);
    free(text);
    return code;
}

/* Of a program they are its arguments, so options of ours come first. */
static void found_after(const char *what, char **rest)
{
    const bool option = rest[1][0] == '-' && rest[1][1];
    tools_message("error: %s: found '%s' after the %s, expected nothing%s", rest[0], rest[1], what,
                  option ? ": options stand before it" : "");
}

/* -1: it is no OpenCL C. */
static int run_if_kernel(const struct settings *settings, char **rest, const char *save)
{
    const char *kernel;
    char *file = target_file(rest[0], &kernel);
    int code = -1;
    if (file && !rest[1]) {
        code = run_kernel(settings, rest[0], file, kernel, save);
    } else if (file) {
        found_after("kernel", rest);
        code = EXIT_USAGE;
    }
    free(file);
    return code;
}

int run_target(const struct settings *settings, char **rest)
{
    const int code = run_if_kernel(settings, rest, NULL);
    if (code >= 0)
        return code;
    if (!target_is_scenario(rest[0]))
        return run_program(settings, rest);
    if (!rest[1])
        return run_file(settings, rest[0]);
    found_after("scenario", rest);
    return EXIT_USAGE;
}

/* The last --kernel that is a name and no pattern; NULL: there is none. */
static const char *chosen_kernel(const struct settings *settings)
{
    const char *chosen = NULL;
    for (size_t i = 0; i < settings->count; i++) {
        const char *value = settings->given[i].value;
        if (strcmp(settings->given[i].name, "kernel") == 0 && value && *value &&
            !value[strcspn(value, "!*?[,\n ")])
            chosen = value;
    }
    return chosen;
}

/* --kernel=sum kernels.cl is kernels.cl:sum, also in the line that runs it again. */
static bool name_kernel(struct run_arguments *arguments)
{
    const char *kernel, *chosen = chosen_kernel(&arguments->settings);
    char *word = arguments->rest[0], *file = target_file(word, &kernel), *named = NULL;
    const bool fine = file || !arguments->save;
    if (!fine)
        tools_message("error: --save-scenario is for one kernel of OpenCL C, as in kernels.cl, found '%s'",
                      word);
    if (file && !kernel && chosen && asprintf(&named, "%s:%s", file, chosen) < 0)
        tools_no_memory();
    if (named)
        arguments->rest[0] = named; /* as long as the process lives */
    free(file);
    return fine;
}

int cmd_run(int argc, char **argv)
{
    struct run_arguments arguments = {.rest = NULL};
    const struct argp_option options[] = {
        {"save-scenario", KEY_SAVE, "FILE", 0, "write the scenario that is made for KERNELS.cl to FILE", 0},
        {"seeds", 's', "A..B", 0, "run under each of these seeds, then the smallest schedule that fails", 0},
        {NULL, 0, NULL, 0, NULL, 0},
    };
    const struct argp_child children[] = {{settings_argp(), 0, NULL, 0}, {NULL, 0, NULL, 0}};
    const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[--] PROGRAM [ARGUMENT...]\nSCENARIO.yaml\nKERNELS.cl[:NAME]",
        .doc = "Runs PROGRAM with Orrery as its OpenCL, SCENARIO without any program, or a kernel with a "
               "scenario made from its signature.",
        .children = children,
    };
    if (arguments_parse_program(&argp, argc, argv, &arguments) != 0 || !arguments.rest)
        return EXIT_USAGE;
    if (!name_kernel(&arguments))
        return EXIT_USAGE;
    const struct seeds_target target = {"run", &arguments.settings, NULL, arguments.rest};
    if (arguments.seeds.given)
        return seeds_run(&arguments.seeds, &target);
    const int code = arguments.save ? run_if_kernel(&arguments.settings, arguments.rest, arguments.save) : -1;
    return code >= 0 ? code : run_target(&arguments.settings, arguments.rest);
}
