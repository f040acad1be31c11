/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A barrier between the two accesses of a question, or two kernels split between them.
 *
 * Interface
 *   explain_barrier_separates        between the accesses, or in the loop that both are in. update: not
 *                                    between them, which are the load and the store of one update
 *   explain_barrier_each_iteration   a barrier after each of the two accesses, in each iteration of a loop
 *                                    False: none orders the accesses, or the kernel would not compile with it
 *   explain_barrier_say_in_line      words for a barrier between two accesses of one line
 *   explain_say_iterations           words for a barrier in each iteration of a loop
 */
#ifndef ORRERY_SIM_MEMMODEL_EXPLAIN_EXPLAIN_BARRIER_H
#define ORRERY_SIM_MEMMODEL_EXPLAIN_EXPLAIN_BARRIER_H

#include "explain_state.h"

bool explain_barrier_separates(const struct question *question, bool update, struct proposal *proposal);
bool explain_barrier_each_iteration(const struct question *question, struct proposal *proposal);
void explain_barrier_say_in_line(const struct question *question, const struct code_order *order,
                                 struct wording *fix);
void explain_say_iterations(const struct question *question, const struct suggested_fix *suggested_fix,
                            struct wording *fix);

#endif
