/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a sequence of OpenCL calls of one thread. */
#include "calls.h"
#include "fuzz.h"

const char fuzz_name[] = "calls";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    calls_begin();
    calls_run(data, size);
    calls_settled();
    return 0;
}
