/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Bytes as a sequence of OpenCL calls, right and wrong ones.
 *
 * Interface
 *   calls_begin   the device, a context, two queues and a kernel that all sequences share; once
 *   calls_run     one sequence on objects of its own and the shared ones; leaves nothing after
 */
#ifndef TESTS_FUZZ_CALLS_H
#define TESTS_FUZZ_CALLS_H

#include <stddef.h>
#include <stdint.h>

void calls_begin(void);
void calls_run(const uint8_t *data, size_t size);

#endif
