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

#include "orrery/report.h"
#include "orrery/scenario.h"

/* Beside the statuses of programs that ran: see orrery(1). */
enum { EXIT_USAGE = 2, EXIT_NOTHING_RAN = 3, EXIT_DIFFERS = 1, EXIT_NO_PROGRESS = 124, EXIT_FAILED = 125, EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

int cmd_run(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_dis(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_topology(int argc, char **argv);
int cmd_info(int argc, char **argv);

/* ---- options ------------------------------------------------------------------ */

enum { SETTINGS_MAX = 128 };
struct settings {
    const char *scenario_file; /* --scenario */
    size_t count;
    struct { const char *name, *value; } given[SETTINGS_MAX]; /* in the order of the command line */
};

/* To be a child of every sub-command's argp; its input is the struct settings. */
const struct argp *settings_argp(void);
/* File (or defaults), then the environment, then the command line. Says what is wrong on stderr. */
bool settings_load(const struct settings *settings, const char *file, struct scenario *out_scenario);
/* For a program that will load the vendor library itself. */
bool settings_export(const struct settings *settings);

int parse_arguments(const struct argp *argp, int argc, char **argv, void *input);
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say_diagnosis(const struct diagnosis *diagnosis);
/* 2: the user's mistake; 124; 125: ours. */
int exit_status_of(enum status status);
void environment_configure_compiler(void);

/* ---- output --------------------------------------------------------------------- */

/* The log file, or stderr; NULL = cannot be written (said). */
FILE *log_open(const struct scenario *scenario);
void log_close(FILE *stream);
/* On a terminal, unless NO_COLOR is set and not empty. */
bool wants_colour(const FILE *log);

/* ---- library, processes ------------------------------------------------------------ */

struct library { char *path, *icd_directory; }; /* malloc'd; NULL = not found */
struct library library_find(void);
void library_fini(struct library *library);

/* Sets the loader's variables so that Orrery is the one platform; false when there is no library. */
bool library_select(void);

/* argv[0] is looked for in PATH.  out_output is malloc'd and terminated; the status is
 * the program's, 128 + signal, or -1 when it could not start. */
int process_capture(char *const argv[], char *const environment[], char **out_output);

#endif
