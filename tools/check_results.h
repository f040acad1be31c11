/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The result of each scenario of `orrery check`, for machines: JSON lines, JUnit, TAP; and the
 *          processes in which scenarios are checked so that their output can be kept.
 *
 * Interface
 *   check_results_run    one process for each scenario, at most options->jobs at a time; their output, and
 *                        the results, are in the order of the command line. Returns the worst exit status.
 *                        *out_caught: the signal by which the command is to end, or 0
 *   check_failed_*       the scenarios that do not pass, by name
 *   check_mark           in that process: the output until now is differences, and of which kind
 */
#ifndef ORRERY_TOOLS_CHECK_RESULTS_H
#define ORRERY_TOOLS_CHECK_RESULTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The output of one scenario: text on both streams, and lines of JSON for findings and marks. */
struct check_result {
    const char *path;
    int code; /* exit status; 128 + signal: the process was ended by it */
    bool interrupted;
    char *out, *err; /* UTF-8 */
    json_t *differences, *findings;
    json_t *time; /* simulated nanoseconds; NULL: no launch of the scenario was timed */
};

struct check_options {
    const char *json_file, *junit_file; /* NULL: not wanted */
    bool tap, force, quiet;
    size_t jobs; /* at least 1 */
};

/* Checks one scenario; its exit status. notes takes marks, and findings as lines of JSON. */
typedef int check_one(void *context, char *path, FILE *notes);

int check_results_run(const struct check_options *options, char *const *paths, size_t count, check_one *one,
                      void *context, int *out_caught);

/* The scenarios that do not pass, for a line at the end: what was printed of them may be long. One scenario
 * has had its verdict, and TAP its points. */
struct check_failed {
    char *names;
    size_t size, count;
    FILE *stream;
};
void check_failed_begin(struct check_failed *failed);
void check_failed_add(struct check_failed *failed, const char *path, int code);
void check_failed_end(struct check_failed *failed, size_t checked, const struct check_options *options);

enum check_mark {
    CHECK_MARK_LINES,
    CHECK_MARK_WHOLE
}; /* a difference for each line, or one for all of them */
/* notes NULL: no results are wanted, and nothing is done. */
void check_mark(FILE *notes, enum check_mark mark);

/* check_forms.c: the forms of results. */
bool check_forms_write(const struct check_options *options, const struct check_result *results, size_t count);
void check_forms_tap(const struct check_result *result, size_t number);
char *check_clean_text(const char *text, size_t length); /* UTF-8 that XML can hold; malloc'd */

#endif
