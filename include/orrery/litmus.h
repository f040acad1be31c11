/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Litmus tests: a few threads, a few locations, and the question whether an
 *          outcome can be.  A test becomes a kernel, its threads work-items of it, and
 *          every execution of them is visited.
 *
 * Interface
 *   litmus_parse, litmus_load   text to test; errors carry file, line and column
 *   litmus_print                the test again; parse(print(t)) == t
 *   litmus_kernel               the OpenCL C it becomes
 *   litmus_run                  all executions: outcomes, races
 *   litmus_write_page           a page for a browser: outcomes, also forbidden ones, with an execution each
 *
 * Ownership  What litmus_run gives belongs to the result until litmus_result_fini.
 *            Names in a result are the test's.
 */
#ifndef ORRERY_LITMUS_H
#define ORRERY_LITMUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "orrery/status.h"

struct litmus;

/* BAD_ARGUMENT: the text is not a test; the diagnosis is "NAME:12:3: expected ';', found 'x'". name is
 * copied. */
enum status litmus_parse(const char *text, const char *name, struct litmus **out_test,
                         struct diagnosis *diagnosis);
/* also STATUS_IO */
enum status litmus_load(const char *path, struct litmus **out_test, struct diagnosis *diagnosis);
void litmus_free(struct litmus *test);

void litmus_print(const struct litmus *test, FILE *stream);
char *litmus_kernel(const struct litmus *test); /* malloc'd; NULL: no memory */

/* The executions that are visited: those in which each read takes the latest store, or all that the memory
 * model allows. */
enum litmus_engine { LITMUS_INTERLEAVINGS, LITMUS_AXIOMS };
struct litmus_options {
    enum litmus_engine engine;
    uint32_t bound;     /* how often one thread may execute one instruction; 0: 8 */
    uint64_t work_most; /* choices and events before it gives up; 0: 10 million */
    bool confirm;       /* interleavings: NOT_FOUND if the axioms and the race checker ever disagree */
    bool thin_air;      /* axioms: values out of thin air, which the formal text alone allows */
};

enum litmus_answer { LITMUS_NO, LITMUS_YES, LITMUS_UNKNOWN };
struct litmus_outcome {
    int64_t *values; /* one for each name; an address is the number of its location */
    uint64_t count;  /* executions with this outcome that differ in the order of dependent accesses */
    bool satisfies;  /* the clause's condition */
};
struct litmus_result {
    const char *model; /* the model: "opencl", "interleavings", "thin-air" */
    size_t name_count;
    const char **names; /* the terms of the clause: "0:r1", "x" */
    bool *is_address;   /* a value of this one is an address; value_names names it */
    size_t location_count;
    const char *const *locations;
    size_t outcome_count;
    struct litmus_outcome *outcomes; /* by value, ascending */
    const char *clause;              /* "exists", "~exists" or "forall" */
    /* whether the clause holds; UNKNOWN: a bound was reached before that was decided */
    enum litmus_answer holds;
    /* an outcome that satisfies its condition, whatever the clause wants of it */
    enum litmus_answer exists;
    enum litmus_answer race;
    /* the place of the first race of an interleaving, "lines 12 and 19"; NULL: no interleaving has a race */
    char *race_text;
    /* a barrier that some work-items of the group never reach, "P0 waits in line 4, P1 has returned"; NULL:
     * none */
    char *divergence_text;
    uint64_t stuck; /* executions in which all remaining threads wait for ever */
    uint64_t cut;   /* executions cut at the bound */
    bool gave_up;   /* work_most was reached: there are more executions */
};

/* Compiles the kernel, runs it, visits the executions. */
enum status litmus_run(const struct litmus *test, const struct litmus_options *options,
                       struct litmus_result *out_result, struct diagnosis *diagnosis);
/* litmus_write_page writes the page of a test after litmus_run with the same options. */
enum status litmus_write_page(const struct litmus *test, const struct litmus_options *options,
                              const struct litmus_result *result, FILE *stream, struct diagnosis *diagnosis);
void litmus_result_fini(struct litmus_result *result);

#endif
