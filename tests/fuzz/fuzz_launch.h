/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The kernels of a module, run one after the other on small buffers and images, and what they leave
 *          there.
 *
 * Interface
 *   launch_all       every kernel of the words on a new device. `out_seen`: NULL, or LAUNCH_KERNELS of them
 *   launch_differs   the number of the first kernel that left other bytes in its buffers in the second run;
 *                    bytes that the first run did not initialise do not count. -1: none. Kernels after one
 *                    that has findings are not compared, since they may read what it left.
 */
#ifndef TESTS_FUZZ_FUZZ_LAUNCH_H
#define TESTS_FUZZ_FUZZ_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orrery/scenario.h"

enum { LAUNCH_KERNELS = 8, LAUNCH_ARGS = 16, LAUNCH_BUFFER_BYTES = 1024 };

struct launch_shape {
    uint64_t global[2], local[2];
    uint32_t seed; /* contents of arguments */
    bool unoptimised;
};
struct launch_seen {
    bool clean;   /* the launch succeeded without a finding */
    bool refused; /* the kernel was: the unoptimised form has limits of its own */
    size_t buffers, printed;
    uint8_t bytes[LAUNCH_ARGS][LAUNCH_BUFFER_BYTES];
    bool valid[LAUNCH_ARGS][LAUNCH_BUFFER_BYTES]; /* initialised, as far as the run tracks that */
};

void launch_all(const uint32_t *words, size_t count, struct scenario *scenario,
                const struct launch_shape *shape, struct launch_seen *out_seen);
int launch_differs(const struct launch_seen *first, const struct launch_seen *second);

#endif
