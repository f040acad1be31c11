/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The output of `orrery litmus`, and the comparison with known verdicts.
 *
 * Interface
 *   litmus_print_result, litmus_write_json   one test
 *   verdicts_load                 a CSV file: test,outcome_expected,race_expected,needs
 *   verdicts_compare              path: of the test; prints differences; false: one that the engine promises
 *                                 not to have, or no verdict at all
 *   verdicts_finish               the last line; gives how many tests did not run
 */
#ifndef ORRERY_TOOLS_LITMUS_OUTPUT_H
#define ORRERY_TOOLS_LITMUS_OUTPUT_H

#include <stdio.h>

#include "orrery/litmus.h"

void litmus_print_result(const char *path, const struct litmus_result *result);
void litmus_write_json(const char *path, const struct litmus_result *result);

struct verdicts {
    size_t count, right;
    struct litmus_verdict *rows;
    FILE *stream; /* what is printed goes there */
};
bool verdicts_load(struct verdicts *verdicts, const char *path); /* prints the error */
void verdicts_free(struct verdicts *verdicts);
bool verdicts_compare(struct verdicts *verdicts, const char *path, const struct litmus_options *options,
                      const struct litmus_result *result);
size_t verdicts_finish(const struct verdicts *verdicts);

#endif
