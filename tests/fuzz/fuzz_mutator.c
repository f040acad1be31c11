/* SPDX-License-Identifier: Apache-2.0 */
/* How libFuzzer and fuzz_main.c change an input that is a SPIR-V module. */
#include <string.h>

#include "fuzz.h"
#include "mutate_module.h"

enum { SPLICED_IN = 8, BYTES_IN = 64 };

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
    return seed % BYTES_IN ? module_mutate(data, size, most, seed) : LLVMFuzzerMutate(data, size, most);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size, const uint8_t *second,
                                 size_t second_size, uint8_t *out, size_t most, unsigned int seed)
{
    if (seed % SPLICED_IN == 0)
        return module_cross(first, first_size, second, second_size, out, most, seed);
    if (first_size > most)
        return 0;
    memcpy(out, first, first_size);
    return module_mutate(out, first_size, most, seed);
}
