/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the sub-commands of `orrery` share: options, the environment,
 *          where the vendor library is, child processes.
 *
 * Interface
 *   cmd_*                 one per sub-command; argv[0] is its name; returns the exit status
 *   settings_*            the options of scenario.def, as given on the command line
 *   library_find          the vendor library and the directory with its .icd
 *   process_capture       run a program, keep what it prints
 */
#ifndef ORRERY_TOOLS_H
#define ORRERY_TOOLS_H

#include <argp.h>

#include "orrery/replay.h"
#include "orrery/report.h"
#include "orrery/scenario.h"
#include "orrery/schedule.h"

/* Beside the statuses of programs that ran: see orrery(1). */
/* Prints it and ends with EXIT_FAILED. */
_Noreturn void tools_no_memory(void);

enum {
    EXIT_USAGE = 2,
    EXIT_NOTHING_RAN = 3,
    EXIT_DIFFERS = 1,
    EXIT_NO_PROGRESS = 124,
    EXIT_FAILED = 125,
    EXIT_CANNOT_RUN = 126,
    EXIT_NOT_FOUND = 127
};

int cmd_run(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_debug(int argc, char **argv);
int cmd_dis(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_topology(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_litmus(int argc, char **argv);
int cmd_completion(int argc, char **argv);

struct tool_command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
};
const struct tool_command *
tool_command_at(size_t index); /* NULL past the end; 0 takes the options that all take */

/* ---- options ------------------------------------------------------------------ */

enum { SETTINGS_MAX = 128 };
struct settings {
    const char *scenario_file; /* --scenario */
    size_t count;
    struct {
        const char *name, *value;
    } given[SETTINGS_MAX]; /* in the order of the command line */
};

/* To be a child of every sub-command's argp; its input is the struct settings. */
const struct argp *settings_argp(void);
/* File (or defaults), then the environment, then the command line. Prints errors on stderr. */
bool settings_load(const struct settings *settings, const char *file, struct scenario *out_scenario);
/* Also false when an output file of it cannot be written. */
bool settings_load_outputs(const struct settings *settings, const char *file, struct scenario *out_scenario);
/*
 * The settings for every scenario of a command: its files. Whether the schedule fits depends on the scenario.
 */
bool settings_load_common(const struct settings *settings, struct scenario *out_scenario);
/* As settings_load_outputs, for a text; paths in it are relative to the directory of `name`. */
bool settings_load_text(const struct settings *settings, const char *text, const char *name,
                        struct scenario *out_scenario);
/* For a program that will load the vendor library itself. */
bool settings_export(const struct settings *settings);

/* Command line before environment. For a target that is a scenario itself, no other one counts. */
struct replay_options settings_replay(const struct settings *settings, bool scenario);
/* The last that was given, or the environment's; NULL: neither. */
const char *settings_value(const struct settings *settings, const struct scenario_option *option);
/* "[--exec=COMMAND] [--] WORD...", for a shell; malloc'd. */
char *tools_target_words(const char *exec, bool program, char *const *rest);

/* Not 0: the command line is wrong, which was printed, and the command ends with EXIT_USAGE. -h and -V end
 * the process. */
int arguments_parse(const struct argp *argp, int argc, char **argv, void *input);
/* A program, whose words are not ours, follows the first word that is no option. */
int arguments_parse_program(const struct argp *argp, int argc, char **argv, void *input);
/* The value of --finding=N; another one than a number from 1 on is an error of usage. */
int arguments_finding(struct argp_state *state, const char *argument);

/* The options of a command, for completion: while a list listens, arguments_parse adds to it and fails. */
enum { OPTIONS_MAX = 160 };
struct option_entry {
    const char *name, *argument, *help;
    bool optional, hidden;
};
struct option_list {
    size_t count;
    struct option_entry at[OPTIONS_MAX];
};
void arguments_listen(struct option_list *list);

/* Of the terminal, else $COLUMNS, else 80. */
int tools_terminal_columns(int file);

/* How far a command is, on a terminal, when it takes over two seconds. Hide the line before anything else is
 * printed; the next note shows it again. */
void progress_begin(void);
void progress_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void progress_hide(void);
void progress_end(void);

void version_print(void);
void version_print_tools(void);
void tools_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
void tools_message_diagnosis(const struct diagnosis *diagnosis);
/* names the file once */
void tools_message_scenario_diagnosis(const char *path, enum status status,
                                      const struct diagnosis *diagnosis);
/* 2: the user's mistake; 124; 125: ours. */
/*
 * A signal that ends the scenario's launches: from now on. Its number, 0: none. The command ends by it, if
 * there was one. shows_launches: as progress, too.
 */
void interrupt_attach(struct scenario *scenario, bool shows_launches);
void interrupt_catch(void); /* without a scenario: the command looks at interrupt_caught() itself */
int interrupt_caught(void);
void interrupt_end(void);
_Noreturn void tools_end_by(int signal_number);
int tools_exit_status(enum status status);
/* As orrery run ends with it: of findings, too. */
int tools_exit_status_of_run(const struct scenario *scenario, const struct report *report, enum status status,
                             uint64_t kernels);
/* Names the variable ORRERY_* that is none of an option; false: there is one. */
bool tools_check_environment(void);
void environment_configure_compiler(void);

/* ---- targets -------------------------------------------------------------------- */

/* rest[0] is a scenario, OpenCL C as in "kernels.cl" or "kernels.cl:sum", or a program with its arguments. */
int run_target(const struct settings *settings, char **rest);
/* As it ran when the token was printed or the record written; adds to the settings. */
int replay_target(struct settings *settings, const char *replay, char **rest);
/* The same with another command than `run`, which gets the settings of the record and the rest. */
struct target_runner {
    void *self;
    int (*run)(void *self, const struct settings *settings, char **rest);
};
int replay_by(const struct target_runner *runner, struct settings *settings, const char *replay, char **rest);

/* "A..B", or one seed. */
struct seeds {
    uint64_t first, last;
    bool given;
};
bool seeds_parse(const char *text, struct seeds *out_seeds);
/*
 * Each seed is a process of its own: `orrery COMMAND options -- rest...`. Prints how many fail and shrinks
 * the schedule of the first; the status is that of the smallest one, 0 when none fails.
 */
struct seeds_target {
    const char *command;
    const struct settings *settings;
    const char *exec;
    char *const *rest;
};
int seeds_run(const struct seeds *seeds, const struct seeds_target *target);

/* ---- output --------------------------------------------------------------------- */

/* The log file, or stderr; NULL = cannot be written (printed). */
FILE *tools_log_open(const struct scenario *scenario);
/* False: not all of it could be written (printed). */
bool tools_log_close(FILE *stream, const struct scenario *scenario);
/* By --color; auto is on a terminal, unless NO_COLOR is set and not empty. */
bool tools_wants_colour(const struct scenario *scenario, const FILE *log);
/* The schedule's choices, into the scenario's record file if it names one; an error is printed. */
bool tools_record_write(const struct scenario *scenario, const struct settings *settings,
                        const struct schedule_record *record);

/* ---- expectations ------------------------------------------------------------------ */

/* The counters of a run, as JSON, with what is expected of them; prints and counts the differences. json
 * NULL: none. */
size_t counters_compare(const struct scenario_expect *expect, const char *json);

/* ---- library, processes ------------------------------------------------------------ */

struct library {
    char *path, *icd_directory;
}; /* malloc'd; NULL = not found */
struct library library_find(void);
void library_fini(struct library *library);

/* Sets the loader's variables so that Orrery is the one platform; false when there is no library. */
bool library_select(void);
/* Preloads what names the threads of a program alike in every run; false when it is not there. */
bool library_name_threads(void);
/* The operations that order the program's threads are observed, for data races. */
bool library_watch_threads(void);

/* The program with what it needs in the environment, until it ends; its status, or that of its findings
 * however it ended. A signal that ended it ends this process, too. */
int watched_run(char **command, const struct scenario *scenario);

/* argv[0] is looked for in PATH.  out_output is malloc'd and terminated; the status is
 * the program's, 128 + signal, or -1 when it could not start. */
/* argv[0] is a path. quiet: what it prints goes nowhere. */
int process_status(char *const argv[], bool quiet);
int process_capture(char *const argv[], char *const environment[], char **out_output);

#endif
