/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the source says about the two accesses of a question.
 *
 * Interface
 *   accesses_in_one_group          are the two work-items of an instance in one work-group?
 *   accesses_all_in_one_group      is that so in all instances?
 *   accesses_all_write             are both accesses stores?
 *   accesses_are_stores_of_all     are both stores that all of a work-group make to one place?
 *   accesses_have_text             is the text of both lines known?
 *   accesses_on_one_line           are they on one line?
 *   accesses_of_one_operator       are they one store, or the load and store of x++?
 *   accesses_code_order            which of the two comes first in the code; false: unknown
 *   accesses_in_two_statements     are they on one line, in two statements?
 *   accesses_read_then_write       are they of one statement over several lines, which loads before it
 *                                  stores?
 *   accesses_in_line               can a barrier stand between two accesses of one line or statement?
 *   accesses_statement_ends        does a statement end between two instructions of one line?
 */
#ifndef ORRERY_SIM_MEMMODEL_EXPLAIN_EXPLAIN_ACCESSES_H
#define ORRERY_SIM_MEMMODEL_EXPLAIN_EXPLAIN_ACCESSES_H

#include "explain_state.h"

bool accesses_in_one_group(const struct question *question, const struct race_instance *instance);
bool accesses_all_in_one_group(const struct question *question);
bool accesses_all_write(const struct question *question);
bool accesses_are_stores_of_all(const struct question *question);
bool accesses_have_text(const struct question *question);
bool accesses_on_one_line(const struct question *question);
bool accesses_of_one_operator(const struct question *question);
bool accesses_code_order(const struct question *question, struct code_order *out_order);
bool accesses_in_two_statements(const struct question *question, const struct code_order *order);
bool accesses_read_then_write(const struct question *question);
bool accesses_in_line(const struct question *question, struct code_order *out_order);
bool accesses_statement_ends(const struct question *question, uint32_t a, uint32_t b);

#endif
