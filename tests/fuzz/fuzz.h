/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What every fuzz target has: libFuzzer's entry, and the name of its corpus for the
 *          plain program of fuzz_main.c.
 *
 * Interface
 *   LLVMFuzzerTestOneInput   one input; must return, whatever the bytes are
 *   fuzz_name                corpus/<name>
 *   LLVMFuzzerCustomMutator, LLVMFuzzerCustomCrossOver   optional: change one input, or make one of two,
 *                            by the grammar of the target's inputs; libFuzzer and fuzz_main.c call them
 *   LLVMFuzzerMutate         mutates bytes; of libFuzzer, or of fuzz_main.c
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern const char fuzz_name[];

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size, const uint8_t *second,
                                 size_t second_size, uint8_t *out, size_t most, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

#endif
