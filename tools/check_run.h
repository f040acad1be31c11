/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Checks one scenario: runs its launches here, or the user's program with the library, and compares.
 *
 * Interface
 *   check_run_scenario       runs the launches, with findings into the report; returns the exit status
 *   check_run_program        (check_program.c) runs the command of --exec, likewise
 *   check_run_conclude       prints the verdict; returns the exit status
 *   check_run_print_replay   prints how to run it again; token NULL: by the record's
 *   check_run_shares_files   is there a file to which each scenario adds its findings?
 *   check_run_watch          shares memory with the processes of a command. NULL: the error is printed
 */
#ifndef ORRERY_TOOLS_CHECK_RUN_H
#define ORRERY_TOOLS_CHECK_RUN_H

#include "tools.h"

#include <stdio.h>

#include "orrery/report.h"
#include "check_results.h"

struct check_arguments {
    struct settings settings;
    struct seeds seeds;
    const char *exec;
    struct check_options results;
    FILE *notes; /* where findings and differences are noted for the results; NULL: they are not wanted */
    struct report_spool *spool; /* where SARIF logs wait for the end; NULL: they are not wanted */
    size_t count;
    char **files;
};

int check_run_scenario(const struct check_arguments *arguments, const struct scenario *scenario,
                       struct report *report, const char *path);
int check_run_program(const struct check_arguments *arguments, const struct scenario *scenario,
                      const char *path);
int check_run_conclude(const char *path, size_t differences);
void check_run_print_replay(const struct check_arguments *arguments, const struct schedule_record *record,
                            const char *token, const char *path);
struct watch *check_run_watch(void);
bool check_run_shares_files(const struct scenario *scenario);

#endif
