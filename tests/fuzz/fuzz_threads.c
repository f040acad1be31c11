/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as two sequences of OpenCL calls, a thread each, on the same queues. */
#include <pthread.h>
#include <stdlib.h>

#include "calls.h"
#include "fuzz.h"

const char fuzz_name[] = "calls";

struct half {
    const uint8_t *data;
    size_t size;
};

static void *run(void *self)
{
    const struct half *half = self;
    calls_run(half->data, half->size);
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t middle = size / CALLS_RECORD / 2 * CALLS_RECORD;
    struct half first = {data, middle}, second = {data + middle, size - middle};
    pthread_t other;
    calls_begin();
    if (pthread_create(&other, NULL, run, &first) != 0)
        abort();
    run(&second);
    pthread_join(other, NULL);
    calls_settled();
    return 0;
}
