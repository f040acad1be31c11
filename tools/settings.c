/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the command: one argp table from the rows of scenario.def. */
#include "tools.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "near_file.h"
#include "orrery/compiler.h"
#include "orrery/variables.h"

enum { KEY_SCENARIO = 0x200, KEY_FIRST_SETTING = 0x201 };

void tools_message(const char *format, ...)
{
    va_list arguments;
    char *text;
    va_start(arguments, format);
    progress_hide();
    fflush(stdout);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    fprintf(stderr, "orrery: %s\n", text ? text : format); /* in one write: a program may be talking, too */
    free(text);
    va_end(arguments);
}

void tools_message_diagnosis(const struct diagnosis *diagnosis)
{
    tools_message("error: %s", diagnosis->text[0] ? diagnosis->text : status_name(diagnosis->status));
}

void tools_message_scenario_diagnosis(const char *path, enum status status, const struct diagnosis *diagnosis)
{
    const size_t length = strlen(path);
    const char *text = diagnosis->text[0] ? diagnosis->text : status_name(status);
    if (strncmp(text, path, length) == 0 && text[length] == ':') /* it has a position */
        tools_message("error: %s", text);
    else
        tools_message("error: %s: %s", path, text);
}

int tools_exit_status(enum status status)
{
    switch (status) {
    case STATUS_OK: return 0;
    case STATUS_NO_PROGRESS: return EXIT_NO_PROGRESS;
    case STATUS_BAD_ARGUMENT:
    case STATUS_BAD_BINARY:
    case STATUS_BAD_OPTIONS:
    case STATUS_BAD_SCENARIO:
    case STATUS_COMPILE_FAILED:
    case STATUS_LINK_FAILED:
    case STATUS_NOT_FOUND:
    case STATUS_OUT_OF_RESOURCES:
    case STATUS_OUT_OF_DEVICE_MEMORY:
    case STATUS_UNSUPPORTED:
    case STATUS_IO: return EXIT_USAGE;
    default: return EXIT_FAILED;
    }
}

int tools_exit_status_of_run(const struct scenario *scenario, const struct report *report, enum status status,
                             uint64_t kernels)
{
    bool found = scenario->fail_on != SEVERITY_OFF && report_total(report, scenario->fail_on) > 0;
    if (status != STATUS_OK)
        return tools_exit_status(status);
    if (found && !scenario->keep_exit_code)
        return scenario->error_exitcode;
    return scenario->expect_kernels && !kernels ? EXIT_NOTHING_RAN : 0;
}

/* ---- the option table -------------------------------------------------------------- */

static error_t parse_setting(int key, char *argument, struct argp_state *state)
{
    struct settings *settings = state->input;
    struct scenario_option option;
    if (key == KEY_SCENARIO) {
        settings->scenario_file = argument;
        return 0;
    }
    if (key < KEY_FIRST_SETTING || !scenario_option((size_t)(key - KEY_FIRST_SETTING), &option))
        return ARGP_ERR_UNKNOWN;
    if (settings->count == SETTINGS_MAX)
        argp_error(state, "too many options");
    settings->given[settings->count].name = option.name;
    settings->given[settings->count++].value = argument ? argument : "";
    return 0;
}

/* The purposes of options, in the order of --help, and their sections of a scenario. */
static const struct {
    const char *section, *title;
} purposes[] = {
    {"checks", "What is looked for:"},
    {"schedule", "How it runs:"},
    {"device", "The device:"},
    {"device.limits", "Its limits:"},
    {"report", "The report and its files:"},
    {"", "Programs and devices:"},
};
enum { PURPOSE_COUNT = sizeof purposes / sizeof *purposes };

static int group_of(const char *section)
{
    int i = 0;
    while (strcmp(purposes[i].section, section) != 0)
        i++;
    return i + 1;
}

/* The help of an option, with its default. */
static char *help_of(const struct scenario_option *option)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        tools_no_memory();
    fputs(option->help, stream);
    fputs(" (default: ", stream);
    fflush(stream);
    const size_t before = size;
    const bool has = scenario_option_default(option, stream);
    fputs(")", stream);
    if (fclose(stream) != 0)
        tools_no_memory();
    if (!has)
        text[before - strlen(" (default: ")] = '\0';
    return text;
}

/* "[X]" of the table is X and a flag to argp. */
static void fill_option(struct argp_option *out, size_t index, char *name, size_t name_size)
{
    struct scenario_option option;
    scenario_option(index, &option);
    bool optional = option.argument[0] == '[';
    snprintf(name, name_size, "%s", option.argument + optional);
    name[strcspn(name, "]")] = '\0';
    *out = (struct argp_option){
        .name = option.name,
        .key = KEY_FIRST_SETTING + (int)index,
        .arg = name,
        .flags = optional ? OPTION_ARG_OPTIONAL : 0,
        .doc = help_of(&option), /* as long as the process lives, as the table */
        .group = group_of(option.section),
    };
    if (option.real)
        out->flags |= OPTION_HIDDEN;
}

const struct argp *settings_argp(void)
{
    static struct argp_option table[SETTINGS_MAX + PURPOSE_COUNT];
    static char names[SETTINGS_MAX][16];
    static const struct argp argp = {.options = table, .parser = parse_setting};
    struct scenario_option option;
    size_t count = 0;
    if (table[0].name)
        return &argp;
    table[count++] = (struct argp_option){.name = "scenario",
                                          .key = KEY_SCENARIO,
                                          .arg = "FILE",
                                          .doc = "start from this scenario",
                                          .group = group_of("")};
    for (size_t i = 0; i + 2 < SETTINGS_MAX && scenario_option(i, &option); i++)
        fill_option(&table[count++], i, names[i], sizeof names[i]);
    for (int i = 0; i < PURPOSE_COUNT; i++)
        table[count++] = (struct argp_option){.doc = purposes[i].title, .group = i + 1};
    return &argp;
}

/* ---- scenario, environment, command line --------------------------------------------- */

static char *copied(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        tools_no_memory();
    return copy;
}

static bool is_line_of(const char *text, const char *line, size_t length)
{
    for (; *text; text += *text == '\n') {
        const size_t size = strcspn(text, "\n");
        if (size == length && memcmp(text, line, size) == 0)
            return true;
        text += size;
    }
    return false;
}

/* The lines of more that are not there yet; a record has those of the environment, too. */
static void add_lines(char **text, const char *more)
{
    for (; *more; more += *more == '\n') {
        const size_t length = strcspn(more, "\n");
        char *grown = NULL;
        if (!*text || !is_line_of(*text, more, length)) {
            if (asprintf(&grown, "%s%s%.*s", *text ? *text : "", *text ? "\n" : "", (int)length, more) < 0)
                tools_no_memory();
            free(*text);
            *text = grown;
        }
        more += length;
    }
}

static bool is_given(const struct settings *settings, const char *option)
{
    for (size_t i = 0; i < settings->count; i++) {
        if (strcmp(settings->given[i].name, option) == 0)
            return true;
    }
    return false;
}

/* Of an option that adds: what the environment and the command line have, a line each. */
static char *all_values(const struct settings *settings, const struct scenario_option *option)
{
    const char *value = getenv(option->variable);
    char *text = NULL;
    if (value)
        add_lines(&text, value);
    for (size_t i = 0; i < settings->count; i++) {
        if (strcmp(settings->given[i].name, option->name) == 0)
            add_lines(&text, settings->given[i].value);
    }
    return text || (!value && !is_given(settings, option->name)) ? text : copied("");
}

static char *value_copied(const struct settings *settings, const struct scenario_option *option)
{
    if (scenario_option_adds(option))
        return all_values(settings, option);
    const char *value = settings_value(settings, option);
    return value ? copied(value) : NULL;
}

/* Of an option that adds, the command line too. */
static bool apply_variable(const struct settings *settings, const struct scenario_option *option,
                           struct scenario *scenario)
{
    struct diagnosis diagnosis = {0};
    const bool given = scenario_option_adds(option) && is_given(settings, option->name);
    char *all = given ? all_values(settings, option) : NULL;
    const char *value = given ? all : getenv(option->variable);
    const bool fine = !value || scenario_apply_option(scenario, option->name, value, &diagnosis) == STATUS_OK;
    if (!fine && given)
        tools_message_diagnosis(&diagnosis);
    else if (!fine)
        tools_message("error: environment variable %s: %s", option->variable, diagnosis.text);
    free(all);
    return fine;
}

bool tools_check_environment(void)
{
    struct diagnosis diagnosis = {0};
    if (variables_check(environ, &diagnosis) == STATUS_OK)
        return true;
    tools_message_diagnosis(&diagnosis);
    return false;
}

/* Profiles of checks, then single options, as the library does it. */
static bool apply_environment(const struct settings *settings, struct scenario *scenario)
{
    struct scenario_option option;
    bool fine = tools_check_environment();
    for (int profiles = 1; profiles >= 0; profiles--) {
        for (size_t i = 0; fine && scenario_option(i, &option); i++) {
            if (scenario_option_selects(&option) == profiles)
                fine = apply_variable(settings, &option, scenario);
        }
    }
    return fine;
}

static bool check_policy(const struct scenario *scenario)
{
    struct diagnosis diagnosis = {0};
    bool fine = scenario_check_policy(scenario, &diagnosis) == STATUS_OK;
    if (!fine)
        tools_message_diagnosis(&diagnosis);
    return fine;
}

static bool apply_given(const struct settings *settings, struct scenario *scenario)
{
    for (size_t i = 0; i < 2 * settings->count; i++) {
        struct diagnosis diagnosis = {0};
        const bool profiles = i < settings->count;
        const char *name = settings->given[i % settings->count].name,
                   *value = settings->given[i % settings->count].value;
        const struct scenario_option option = {.name = name};
        if (scenario_option_adds(&option) || scenario_option_selects(&option) != profiles)
            continue;
        if (scenario_apply_option(scenario, name, value, &diagnosis) != STATUS_OK) {
            tools_message_diagnosis(&diagnosis);
            return false;
        }
    }
    return true;
}

/* The loaded scenario, or the defaults, with the environment and the command line over it. */
static bool apply_all(const struct settings *settings, struct scenario *scenario)
{
    if (apply_environment(settings, scenario) && apply_given(settings, scenario) && check_policy(scenario))
        return true;
    scenario_fini(scenario);
    return false;
}

bool settings_load(const struct settings *settings, const char *file, struct scenario *out_scenario)
{
    struct diagnosis diagnosis = {0};
    const char *path = file                      ? file
                       : settings->scenario_file ? settings->scenario_file
                                                 : getenv("ORRERY_SCENARIO");
    scenario_default(out_scenario);
    if (file && settings->scenario_file) {
        tools_message("error: option scenario: found '%s' beside the scenario %s, expected one of them",
                      settings->scenario_file, file);
        return false;
    }
    if (path && *path && scenario_load_file(out_scenario, path, &diagnosis) != STATUS_OK) {
        tools_message_diagnosis(&diagnosis);
        near_file_say(path);
        return false;
    }
    return apply_all(settings, out_scenario);
}

static bool check_outputs(struct scenario *scenario)
{
    struct diagnosis diagnosis = {0};
    if (report_outputs_check(scenario, &diagnosis) == STATUS_OK)
        return true;
    tools_message_diagnosis(&diagnosis);
    scenario_fini(scenario);
    return false;
}

bool settings_load_outputs(const struct settings *settings, const char *file, struct scenario *out_scenario)
{
    return settings_load(settings, file, out_scenario) && check_outputs(out_scenario);
}

bool settings_load_common(const struct settings *settings, struct scenario *out_scenario)
{
    scenario_default(out_scenario);
    if (apply_environment(settings, out_scenario) && apply_given(settings, out_scenario))
        return check_outputs(out_scenario);
    scenario_fini(out_scenario);
    return false;
}

bool settings_load_text(const struct settings *settings, const char *text, const char *name,
                        struct scenario *out_scenario)
{
    struct diagnosis diagnosis = {0};
    scenario_default(out_scenario);
    if (scenario_load_text(out_scenario, text, name, &diagnosis) != STATUS_OK) {
        tools_message_diagnosis(&diagnosis);
        return false;
    }
    return apply_all(settings, out_scenario) && check_outputs(out_scenario);
}

const char *settings_value(const struct settings *settings, const struct scenario_option *option)
{
    for (size_t i = settings->count; i-- > 0;)
        if (strcmp(settings->given[i].name, option->name) == 0)
            return settings->given[i].value;
    return getenv(option->variable);
}

static char *option_value(const void *self, const struct scenario_option *option)
{
    return value_copied(self, option);
}

struct replay_options settings_replay(const struct settings *settings, bool scenario)
{
    const char *file = settings->scenario_file ? settings->scenario_file : getenv("ORRERY_SCENARIO");
    return (struct replay_options){
        .scenario = !scenario && file && *file ? file : NULL, .self = settings, .value = option_value};
}

char *tools_target_words(const char *exec, bool program, char *const *rest)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        tools_no_memory();
    if (exec) {
        fputs("--exec=", stream);
        replay_word_print(stream, exec);
        fputc(' ', stream);
    }
    const bool parted = program || (rest[0] && rest[0][0] == '-');
    fputs(parted ? "--" : "", stream);
    for (size_t i = 0; rest[i]; i++) {
        fputs(i || parted ? " " : "", stream);
        replay_word_print(stream, rest[i]);
    }
    if (fclose(stream) != 0)
        tools_no_memory();
    return text;
}

static bool export_scenario(const char *path)
{
    char *absolute = realpath(path, NULL);
    bool fine = absolute && setenv("ORRERY_SCENARIO", absolute, 1) == 0;
    free(absolute);
    return fine;
}

/* Where the name of a file that is written begins in the value; NULL: it names none, as counters: on. */
static const char *file_in(const struct scenario_option *option, const char *value)
{
    static const char *const switches[] = {"", "on", "off", "true", "false", "yes", "no", "1", "0"};
    static const char *const read[] = {"suppressions", "built-in-kernels"};
    const char *colon = strchr(value, ':');
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        if (strcmp(option->name, read[i]) == 0)
            return NULL;
    if (strcmp(option->argument, "FILE") == 0 || strcmp(option->argument, "DIR") == 0)
        return value;
    if (strcmp(option->argument, "N:FILE") == 0)
        return colon ? colon + 1 : NULL;
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (strcmp(value, switches[i]) == 0)
            return NULL;
    return strcmp(option->argument, "[FILE]") == 0 ? value : NULL;
}

/* Files that are written have names that any directory sees: processes of a program run where they like, and
 * the names are meant from where the command was given. */
static char *exported_copy(const struct settings *settings, const struct scenario_option *option)
{
    char *value = value_copied(settings, option), *text = NULL;
    const char *file = value ? file_in(option, value) : NULL;
    char *directory = file && *file && *file != '/' ? getcwd(NULL, 0) : NULL;
    if (directory && asprintf(&text, "%.*s%s/%s", (int)(file - value), value, directory, file) < 0)
        tools_no_memory();
    free(directory);
    if (!text)
        return value;
    free(value);
    return text;
}

bool settings_export(const struct settings *settings)
{
    struct scenario_option option;
    if (settings->scenario_file && !export_scenario(settings->scenario_file))
        return false;
    for (size_t i = 0; scenario_option(i, &option); i++) {
        char *value = is_given(settings, option.name) ? exported_copy(settings, &option) : NULL;
        if (value)
            setenv(option.variable, *value ? value : "1", 1);
        free(value);
    }
    return true;
}

/* The same places as the vendor library uses: $ORRERY_CACHE_DIR, the XDG cache, none with ORRERY_CACHE=0. */
static char *cache_directory(void)
{
    const char *own = secure_getenv("ORRERY_CACHE_DIR"), *wanted = secure_getenv("ORRERY_CACHE");
    const char *xdg = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    char *path = NULL;
    if (wanted && strcmp(wanted, "0") == 0)
        return NULL;
    if (own && *own)
        return strdup(own);
    bool use_xdg = xdg && *xdg == '/';
    if (!use_xdg && (!home || *home != '/'))
        return NULL;
    return asprintf(&path, use_xdg ? "%s/orrery" : "%s/.cache/orrery", use_xdg ? xdg : home) < 0 ? NULL
                                                                                                 : path;
}

void environment_configure_compiler(void)
{
    char *cache = cache_directory();
    compiler_configure(&(struct compiler_settings){
        .clang = secure_getenv("ORRERY_CLANG"),
        .llvm_spirv = secure_getenv("ORRERY_LLVM_SPIRV"),
        .compile_server = secure_getenv("ORRERY_COMPILE_SERVER"),
        .runtime_directory = secure_getenv("XDG_RUNTIME_DIR"),
        .cache_directory = cache,
    });
    free(cache);
}

/* ---- output ----------------------------------------------------------------------------- */

FILE *tools_log_open(const struct scenario *scenario)
{
    FILE *file = scenario->log_file ? report_open_file(scenario->log_file, scenario->force_files) : stderr;
    if (!file)
        tools_message("error: %s cannot be written", scenario->log_file);
    return file;
}

bool tools_wants_colour(const struct scenario *scenario, const FILE *log)
{
    const char *refused = getenv("NO_COLOR");
    if (scenario->colour != COLOUR_AUTO)
        return scenario->colour == COLOUR_ALWAYS && log == stderr;
    return log == stderr && isatty(STDERR_FILENO) && !(refused && *refused);
}

bool tools_log_close(FILE *stream, const struct scenario *scenario)
{
    if (!stream || stream == stderr)
        return true;
    const bool full = ferror(stream) != 0;
    if (fclose(stream) == 0 && !full)
        return true;
    tools_message("error: %s cannot be written: what was found is not in it", scenario->log_file);
    return false;
}

bool tools_record_write(const struct scenario *scenario, const struct settings *settings,
                        const struct schedule_record *record)
{
    const struct replay_options options = settings_replay(settings, true);
    const char *name = scenario->schedule.record_file;
    FILE *stream = name ? report_open_file(name, scenario->force_files) : NULL;
    if (!name)
        return true;
    if (stream)
        fputs(SCHEDULE_RECORD_MAGIC, stream);
    if (stream)
        replay_options_print(&options, record && !record->shape, stream);
    if (stream && record)
        schedule_record_print(record, stream);
    if (stream && fclose(stream) == 0)
        return true;
    tools_message("error: %s cannot be written", name);
    return false;
}
