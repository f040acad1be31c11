/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `orrery litmus`: runs litmus tests, one file or all .litmus files below a directory in the order of names,
 * and prints, compares with verdicts, or writes a page. A failure of one test does not end the others: the
 * exit status is the worst.
 */
#include "tools.h"

#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "litmus_output.h"

enum {
    KEY_VERDICTS = 0x100,
    KEY_BOUND,
    KEY_WORK,
    KEY_JSON,
    KEY_WEAK,
    KEY_INTERLEAVINGS,
    KEY_THIN_AIR,
    KEY_KERNEL,
    KEY_PRINT,
    KEY_HTML,
    KEY_FORCE
};

struct litmus_arguments {
    struct litmus_options options;
    const char *verdicts_file, *html_file;
    bool json, kernel, print, force;
    size_t count, tests;
    char **paths;
    struct verdicts verdicts;
    int worst;
};

static void worsen(struct litmus_arguments *arguments, int code)
{
    arguments->worst = code > arguments->worst ? code : arguments->worst;
}

/* ---- one test -------------------------------------------------------------------------- */

static bool only_show(const struct litmus_arguments *arguments, const struct litmus *test)
{
    if (arguments->print)
        litmus_print(test, stdout);
    if (arguments->kernel) {
        char *kernel = litmus_kernel(test);
        fputs(kernel ? kernel : "", stdout);
        free(kernel);
    }
    return arguments->print || arguments->kernel;
}

static void show(struct litmus_arguments *arguments, const char *path, const char *name,
                 const struct litmus_result *result)
{
    if (arguments->json)
        litmus_write_json(name, result);
    else if (!arguments->verdicts_file)
        litmus_print_result(name, result);
    if (arguments->verdicts_file &&
        !verdicts_compare(&arguments->verdicts, path, &arguments->options, result))
        worsen(arguments, EXIT_DIFFERS);
    if (!result->divergence_text)
        return;
    if (arguments->verdicts_file && !arguments->json)
        printf("  error: %s: barrier divergence: %s\n", name, result->divergence_text);
    worsen(arguments, EXIT_DIFFERS);
}

/* Of the one test. */
static void write_page(struct litmus_arguments *arguments, const struct litmus *test,
                       const struct litmus_result *result)
{
    struct diagnosis diagnosis = {0};
    FILE *stream = report_open_file(arguments->html_file, arguments->force);
    if (!stream) {
        tools_message("error: %s cannot be written", arguments->html_file);
        worsen(arguments, EXIT_FAILED);
        return;
    }
    progress_note("orrery: %s", arguments->html_file);
    enum status status = litmus_write_page(test, &arguments->options, result, stream, &diagnosis);
    progress_hide();
    const bool broken = ferror(stream);
    if ((fclose(stream) != 0 || broken) && status == STATUS_OK)
        status = diagnose(&diagnosis, STATUS_IO, "%s cannot be written", arguments->html_file);
    if (status == STATUS_OK)
        return;
    tools_message_diagnosis(&diagnosis);
    worsen(arguments, tools_exit_status(status));
}

/* name: what the test is called in what is printed. */
static void run_file(struct litmus_arguments *arguments, const char *path, const char *name)
{
    struct diagnosis diagnosis = {0};
    struct litmus_result result;
    struct litmus *test = NULL;
    if (arguments->html_file && arguments->tests++) {
        tools_message("error: %s: found a second test, expected one with --html", path);
        worsen(arguments, EXIT_USAGE);
        return;
    }
    enum status status = litmus_load(path, &test, &diagnosis);
    if (status == STATUS_OK && !only_show(arguments, test)) {
        progress_note("orrery: %s", path);
        status = litmus_run(test, &arguments->options, &result, &diagnosis);
        progress_hide();
        if (status == STATUS_OK)
            show(arguments, path, name, &result);
        if (status == STATUS_OK && arguments->html_file)
            write_page(arguments, test, &result);
        litmus_result_fini(&result);
    }
    if (status != STATUS_OK) {
        tools_message_diagnosis(&diagnosis);
        worsen(arguments, tools_exit_status(status));
    }
    litmus_free(test);
}

/* ---- directories ------------------------------------------------------------------------- */

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool is_test(const FTSENT *entry)
{
    const char *dot = strrchr(entry->fts_name, '.');
    return entry->fts_info == FTS_F && (entry->fts_level == 0 || (dot && strcmp(dot, ".litmus") == 0));
}

/* Tests of a directory are called by their path below it. */
static const char *name_of(const FTSENT *entry, const char *root)
{
    size_t length = strlen(root);
    if (entry->fts_level == 0)
        return entry->fts_path;
    const char *name = entry->fts_path + length;
    return name + strspn(name, "/");
}

static void run_path(struct litmus_arguments *arguments, char *path)
{
    char *const roots[] = {path, NULL};
    size_t tests = 0;
    FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
    for (FTSENT *entry; tree && (entry = fts_read(tree));) {
        if (is_test(entry)) {
            run_file(arguments, entry->fts_path, name_of(entry, path));
            tests++;
        } else if (entry->fts_info == FTS_NS || entry->fts_info == FTS_ERR || entry->fts_info == FTS_DNR) {
            tools_message("error: %s: %s", entry->fts_path, strerror(entry->fts_errno));
            worsen(arguments, EXIT_USAGE);
        }
    }
    if (tree)
        fts_close(tree);
    if (tests == 0 && !arguments->worst) {
        tools_message("error: %s: no litmus test in it", path);
        worsen(arguments, EXIT_USAGE);
    }
}

/* ---- the command ---------------------------------------------------------------------------- */

static uint64_t positive(struct argp_state *state, const char *argument, const char *what, uint64_t most)
{
    char *end;
    errno = 0;
    uint64_t value = strtoull(argument, &end, 10);
    const bool is_number = !errno && !*end && end != argument && *argument != '-';
    if (!is_number || value == 0 || value > most)
        argp_error(state, "%s is a number from 1 to %" PRIu64 ", found '%s'", what, most, argument);
    return value;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct litmus_arguments *arguments = state->input;
    switch (key) {
    case KEY_VERDICTS: arguments->verdicts_file = argument; return 0;
    case KEY_BOUND: arguments->options.bound = (uint32_t)positive(state, argument, "a bound", 1000); return 0;
    case KEY_WORK: arguments->options.work_most = positive(state, argument, "the work", UINT64_MAX); return 0;
    case KEY_JSON: arguments->json = true; return 0;
    case KEY_WEAK:
    case KEY_INTERLEAVINGS:
    case KEY_THIN_AIR:
        arguments->options.engine = key == KEY_INTERLEAVINGS ? LITMUS_INTERLEAVINGS : LITMUS_AXIOMS;
        arguments->options.thin_air = key == KEY_THIN_AIR;
        return 0;
    case KEY_KERNEL: arguments->kernel = true; return 0;
    case KEY_PRINT: arguments->print = true; return 0;
    case KEY_HTML: arguments->html_file = argument; return 0;
    case KEY_FORCE: arguments->force = true; return 0;
    case ARGP_KEY_ARG: arguments->paths[arguments->count++] = argument; return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "no litmus test given"); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* Checked before anything runs. */
static bool may_write_page(struct litmus_arguments *arguments)
{
    struct diagnosis diagnosis = {0};
    if (arguments->html_file && (arguments->print || arguments->kernel)) {
        tools_message("error: --html: found --print or --kernel, which run nothing, expected neither");
        worsen(arguments, EXIT_USAGE);
        return false;
    }
    if (report_output_check("html", arguments->html_file, PAGE_MAGIC, arguments->force, &diagnosis) ==
        STATUS_OK)
        return true;
    tools_message_diagnosis(&diagnosis);
    worsen(arguments, EXIT_USAGE);
    return false;
}

static void run_all(struct litmus_arguments *arguments)
{
    arguments->verdicts.stream = arguments->json ? stderr : stdout; /* what is JSON is nothing else */
    if (arguments->verdicts_file && !verdicts_load(&arguments->verdicts, arguments->verdicts_file)) {
        worsen(arguments, EXIT_USAGE);
        return;
    }
    if (!may_write_page(arguments)) {
        verdicts_free(&arguments->verdicts);
        return;
    }
    progress_begin();
    for (size_t i = 0; i < arguments->count; i++)
        run_path(arguments, arguments->paths[i]);
    progress_end();
    if (arguments->verdicts_file)
        verdicts_finish(&arguments->verdicts);
    verdicts_free(&arguments->verdicts);
}

int cmd_litmus(int argc, char **argv)
{
    struct litmus_arguments arguments = {.options = {.engine = LITMUS_AXIOMS}};
    const struct argp_option options[] = {
        {"verdicts", KEY_VERDICTS, "FILE.csv", 0, "compare with what is known", 0},
        {"bound", KEY_BOUND, "N", 0, "follow a loop that changes something N times (8)", 0},
        {"work", KEY_WORK, "N", 0, "give a test up after N choices and events (10 million)", 0},
        {"interleavings", KEY_INTERLEAVINGS, NULL, 0,
         "only executions where each read takes the latest store", 0},
        {"thin-air", KEY_THIN_AIR, NULL, 0, "also values out of thin air, which the formal text allows", 0},
        {"weak", KEY_WEAK, NULL, 0, "all executions that OpenCL's memory model allows: the default", 0},
        {"json", KEY_JSON, NULL, 0, "one object a line and test", 0},
        {"kernel", KEY_KERNEL, NULL, 0, "only print the kernel that a test becomes", 0},
        {"html", KEY_HTML, "FILE", 0, "the one test as a page for a browser: outcomes and why others are not",
         0},
        {"force", KEY_FORCE, NULL, 0, "replace FILE also when it is no such page", 0},
        {"print", KEY_PRINT, NULL, 0, "only print the test as it was understood", 0},
        {NULL, 0, NULL, 0, NULL, 0},
    };
    const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "FILE.litmus|DIRECTORY...",
        .doc = "Visits every execution of litmus tests that OpenCL's memory model allows: which outcomes "
               "there are, whether the exists clause holds, whether there is a race.",
    };
    arguments.paths = calloc((size_t)argc + 1, sizeof *arguments.paths);
    if (!arguments.paths)
        return EXIT_FAILED;
    if (arguments_parse(&argp, argc, argv, &arguments) != 0 || !tools_check_environment())
        arguments.worst = EXIT_USAGE;
    environment_configure_compiler();
    if (!arguments.worst)
        run_all(&arguments);
    free(arguments.paths);
    return arguments.worst;
}
