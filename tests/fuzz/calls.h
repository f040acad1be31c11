/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Bytes as a sequence of OpenCL calls, right and wrong ones, over all calls that lib/ exports.
 *
 * Interface
 *   calls_begin      devices, contexts, queues and programs that all sequences share; once
 *   calls_run        one sequence on objects of its own and the shared ones; releases what it made
 *   calls_settled    after the sequences of one input: every object is gone that they made, else aborts
 *   CALLS_RECORD     bytes of one call: its number in calls.def, then its operands (calls_sequence.h)
 *   calls_count      numbers below it are calls, others are skipped
 */
#ifndef TESTS_FUZZ_CALLS_H
#define TESTS_FUZZ_CALLS_H

#include <stddef.h>
#include <stdint.h>

enum { CALLS_RECORD = 24 };

void calls_begin(void);
void calls_run(const uint8_t *data, size_t size);
void calls_settled(void);
extern const unsigned calls_count;

#endif
