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

/* BAD_ARGUMENT: the text is no test, "NAME:12:3: expected ';', found 'x'". name is copied. */
enum status litmus_parse(const char *text, const char *name, struct litmus **out_test,
                         struct diagnosis *diagnosis);
enum status litmus_load(const char *path, struct litmus **out_test, struct diagnosis *diagnosis); /* IO too */
void litmus_free(struct litmus *test);

const char *litmus_name(const struct litmus *test); /* what follows OPENCL in its first line */
void litmus_print(const struct litmus *test, FILE *stream);
char *litmus_kernel(const struct litmus *test); /* malloc'd; NULL: no memory */

/* Which executions there are: those where each read takes the latest store, or all that the
 * memory model allows. */
enum litmus_engine { LITMUS_INTERLEAVINGS, LITMUS_AXIOMS };
struct litmus_options {
    enum litmus_engine engine;
    uint32_t bound;     /* how often one thread may execute one instruction; 0: the default, 8 */
    uint64_t work_most; /* choices and events judged before it gives up; 0: the default, 10 million */
    bool confirm;       /* interleavings: NOT_FOUND if the axioms and the race checker ever disagree */
    bool thin_air;      /* axioms: values out of thin air, which the formal text alone allows */
};

enum litmus_answer { LITMUS_NO, LITMUS_YES, LITMUS_UNKNOWN };
struct litmus_outcome {
    int64_t *values; /* one per name; of addresses the location's number */
    uint64_t count;  /* executions that end so, of those that differ in the order of dependent accesses */
    bool satisfies;  /* the clause's condition */
};
struct litmus_result {
    const char *model; /* the model: "opencl", "interleavings", "thin-air" */
    size_t name_count;
    const char **names; /* "0:r1", "x": what the clause mentions */
    bool *is_address;   /* a value of this one is an address; value_names names it */
    size_t location_count;
    const char *const *locations;
    size_t outcome_count;
    struct litmus_outcome *outcomes; /* by value, ascending */
    const char *clause;              /* "exists", "~exists" or "forall" */
    enum litmus_answer holds;        /* the clause does; UNKNOWN: a bound was hit before that was decided */
    /* an outcome that satisfies its condition, whatever the clause wants of it */
    enum litmus_answer exists;
    enum litmus_answer race;
    /* where the first race of an interleaving is, "lines 12 and 19", or NULL: no interleaving has one */
    char *race_text;
    /* a barrier that some of the group never reach, "P0 waits in line 4, P1 has returned", or NULL */
    char *divergence_text;
    uint64_t executions; /* that came to an end */
    uint64_t stuck;      /* where all that is left waits for ever */
    uint64_t cut;        /* that met the bound */
    bool gave_up;        /* after work_most: there are more */
};

/* Compiles the kernel, runs it, visits the executions. */
enum status litmus_run(const struct litmus *test, const struct litmus_options *options,
                       struct litmus_result *out_result, struct diagnosis *diagnosis);
/* Of what litmus_run gave with these options. */
enum status litmus_write_page(const struct litmus *test, const struct litmus_options *options,
                              const struct litmus_result *result, FILE *stream, struct diagnosis *diagnosis);
void litmus_result_fini(struct litmus_result *result);

#endif
