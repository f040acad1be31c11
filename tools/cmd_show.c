/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `orrery show`: writes the page of what it is given, by the command that runs such a thing: a scenario, a
 * kernel or a program (run), a token or a record with its target (replay), a litmus test (litmus), two runs
 * or pages (--diff).
 */
#include "tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orrery/page_diff.h"
#include "target.h"

enum { KEY_OPEN = 0x100, KEY_FINDING, KEY_DIFF };

struct show_arguments {
    struct settings settings;
    char *output; /* --html, or a name that follows from the target */
    bool force, diff, open;
    int finding;
    char **rest;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct show_arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &arguments->settings; return 0;
    case KEY_OPEN: arguments->open = true; return 0;
    case KEY_DIFF: arguments->diff = true; return 0;
    case KEY_FINDING: arguments->finding = arguments_finding(state, argument); return 0;
    case ARGP_KEY_ARG: /* the rest is not ours, whatever it looks like */
        arguments->rest = state->argv + state->next - 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state,
                   "nothing to show: give a scenario, a kernel, a litmus test, a program, or a token or "
                   "record and what to run");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

/* "race.html" for "scenarios/race.yaml", in the directory where the command is given; malloc'd. */
static char *page_name(const char *target)
{
    const char *slash = strrchr(target, '/'), *base = slash ? slash + 1 : target;
    const char *dot = strrchr(base, '.');
    const int length = dot && dot != base ? (int)(dot - base) : (int)strlen(base);
    char *name = NULL;
    if (asprintf(&name, "%.*s.html", length, base) < 0)
        tools_no_memory();
    return name;
}

static void give(struct settings *settings, const char *name, const char *value)
{
    if (settings->count == SETTINGS_MAX)
        return;
    settings->given[settings->count].name = name;
    settings->given[settings->count++].value = value;
}

/* ---- pages ------------------------------------------------------------------------------- */

static int show_litmus(const struct show_arguments *arguments, char **rest)
{
    const bool force = arguments->force;
    char *option = NULL;
    if (asprintf(&option, "--html=%s", arguments->output) < 0)
        tools_no_memory();
    char *words[] = {(char *)(uintptr_t) "litmus", option, rest[0],
                     force ? (char *)(uintptr_t) "--force" : NULL, NULL};
    const int code = cmd_litmus(force ? 4 : 3, words);
    free(option);
    return code;
}

static int show_run(const struct show_arguments *arguments, const char *replay, char **rest, const char *file)
{
    struct settings settings = arguments->settings;
    give(&settings, "html", file);
    return replay ? replay_target(&settings, replay, rest) : run_target(&settings, rest);
}

/* ---- the difference ------------------------------------------------------------------------ */

static const char *folder_for_pages(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

/* The page of a run, in a file of its own, which the caller removes and frees; NULL: none was written. */
static char *page_of(const struct show_arguments *arguments, const char *replay, char **target)
{
    char *file = NULL;
    if (asprintf(&file, "%s/orrery-page-XXXXXX", folder_for_pages()) < 0)
        tools_no_memory();
    const int descriptor = mkstemp(file);
    if (descriptor < 0) {
        tools_message("error: %s cannot be written", file);
        free(file);
        return NULL;
    }
    close(descriptor);
    show_run(arguments, replay, target, file);
    if (target_begins_with(file, PAGE_MAGIC))
        return file;
    tools_message("error: %s: there is no page of this run", replay);
    unlink(file);
    free(file);
    return NULL;
}

static enum status put_text_file(const struct show_arguments *arguments, const char *text, size_t size,
                                 struct diagnosis *diagnosis)
{
    FILE *stream = report_open_file(arguments->output, arguments->force);
    bool fine = stream && fwrite(text, 1, size, stream) == size;
    fine = stream && fclose(stream) == 0 && fine;
    return fine ? STATUS_OK : diagnose(diagnosis, STATUS_IO, "%s cannot be written", arguments->output);
}

/* Into memory first: one of the two may be the file that is written. */
static int write_diff(const struct show_arguments *arguments, const struct page_source sources[2])
{
    struct diagnosis diagnosis = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        tools_no_memory();
    enum status status = page_diff(sources, memory, &diagnosis);
    if (fclose(memory) != 0)
        tools_no_memory();
    if (status == STATUS_OK)
        status = put_text_file(arguments, text, size, &diagnosis);
    free(text);
    if (status == STATUS_OK)
        return 0;
    tools_message_diagnosis(&diagnosis);
    return tools_exit_status(status);
}

/* A page as it is; a token or record is run, and its page goes again. */
static int show_diff(const struct show_arguments *arguments, char **rest)
{
    char *made[2] = {NULL, NULL};
    struct page_source sources[2];
    bool fine = true;
    for (size_t i = 0; i < 2 && fine; i++) {
        const bool replay = target_is_replay(rest[i]);
        if (replay && !rest[2]) {
            tools_message("error: %s: found nothing after the two, expected what to run", rest[i]);
            return EXIT_USAGE;
        }
        made[i] = replay ? page_of(arguments, rest[i], rest + 2) : NULL;
        fine = !replay || made[i];
        sources[i] = (struct page_source){rest[i], made[i] ? made[i] : rest[i]};
    }
    const int code = fine ? write_diff(arguments, sources) : EXIT_FAILED;
    for (size_t i = 0; i < 2; i++) {
        if (made[i])
            unlink(made[i]);
        free(made[i]);
    }
    return code;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* In the browser that BROWSER names, or the desktop's. The address has the finding, which the page shows. */
static void open_page(const struct show_arguments *arguments)
{
    const char *browser = getenv("BROWSER");
    char *path = realpath(arguments->output, NULL), *address = NULL;
    if (!path || asprintf(&address, arguments->finding ? "file://%s#finding-%d" : "file://%s", path,
                          arguments->finding) < 0)
        tools_no_memory();
    char *words[] = {(char *)(uintptr_t)(browser && *browser ? browser : "xdg-open"), address, NULL};
    char *output = NULL;
    if (process_capture(words, environ, &output) != 0)
        tools_message("warning: %s cannot show %s", words[0], address);
    free(output);
    free(address);
    free(path);
}

static bool may_write(const struct show_arguments *arguments)
{
    struct diagnosis diagnosis = {0};
    if (report_output_check("html", arguments->output, PAGE_MAGIC, arguments->force, &diagnosis) == STATUS_OK)
        return true;
    tools_message_diagnosis(&diagnosis);
    return false;
}

static int show(const struct show_arguments *arguments)
{
    char **rest = arguments->rest;
    if (arguments->diff)
        return show_diff(arguments, rest);
    if (ends_with(rest[0], ".litmus") && rest[1]) {
        tools_message("error: %s: found '%s' after it, expected nothing", rest[0], rest[1]);
        return EXIT_USAGE;
    }
    if (ends_with(rest[0], ".litmus"))
        return show_litmus(arguments, rest);
    if (!target_is_replay(rest[0]))
        return show_run(arguments, NULL, rest, arguments->output);
    char **target = target_after(rest);
    return target ? show_run(arguments, rest[0], target, arguments->output) : EXIT_USAGE;
}

/* What the page is called after. */
static const char *named_after(const struct show_arguments *arguments)
{
    char **rest = arguments->rest;
    if (arguments->diff)
        return "diff";
    if (target_is_replay(rest[0]) && rest[1] && strcmp(rest[1], "--") == 0 && rest[2])
        return rest[2];
    return target_is_replay(rest[0]) && rest[1] ? rest[1] : rest[0];
}

/* The name of the page, and whether it may replace another file, as options and variables say. */
static bool settle_output(struct show_arguments *arguments)
{
    struct scenario common;
    if (!settings_load_common(&arguments->settings, &common))
        return false;
    arguments->output = common.html_file ? strdup(common.html_file) : page_name(named_after(arguments));
    arguments->force = common.force_files;
    scenario_fini(&common);
    if (!arguments->output)
        tools_no_memory();
    return true;
}

int cmd_show(int argc, char **argv)
{
    struct show_arguments arguments = {.rest = NULL};
    const struct argp_option options[] = {
        {"diff", KEY_DIFF, NULL, 0, "of two tokens, records or pages: where the runs differ", 0},
        {"finding", KEY_FINDING, "N", 0, "with --open: at finding N", 0},
        {"open", KEY_OPEN, NULL, 0, "open the page with $BROWSER or xdg-open", 0},
        {NULL, 0, NULL, 0, NULL, 0},
    };
    const struct argp_child children[] = {{settings_argp(), 0, NULL, 0}, {NULL, 0, NULL, 0}};
    const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "SCENARIO.yaml\nKERNELS.cl[:NAME]\nTEST.litmus\nTOKEN|RECORD [--] TARGET...\n"
                    "[--] PROGRAM [ARGUMENT...]\n--diff ONE TWO [[--] TARGET...]",
        .doc = "Writes the page of a run or a litmus test for a browser, beside where the command is given.",
        .children = children,
    };
    if (arguments_parse_program(&argp, argc, argv, &arguments) != 0 || !arguments.rest)
        return EXIT_USAGE;
    if (arguments.diff && (!arguments.rest[1])) {
        tools_message("error: --diff: found one run, expected two tokens, records or pages");
        return EXIT_USAGE;
    }
    if (!settle_output(&arguments))
        return EXIT_USAGE;
    int code = EXIT_USAGE;
    if (may_write(&arguments)) {
        if (!arguments.diff && target_begins_with(arguments.output, PAGE_MAGIC))
            unlink(arguments.output); /* a run that fails leaves none */
        code = show(&arguments);
        const bool written =
            target_begins_with(arguments.output, PAGE_MAGIC) && (!arguments.diff || code == 0);
        if (written)
            tools_message("note: %s shows it", arguments.output);
        if (written && arguments.open)
            open_page(&arguments);
    }
    free(arguments.output);
    return code;
}
