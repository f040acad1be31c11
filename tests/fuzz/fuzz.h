/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What every fuzz target has: libFuzzer's entry, and the name of its corpus for the
 *          plain program of fuzz_main.c.
 *
 * Interface
 *   LLVMFuzzerTestOneInput   one input; must return, whatever the bytes are
 *   fuzz_name                corpus/<name>
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern const char fuzz_name[];

#endif
