/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The only source of randomness: one seed, split by purpose, so that a
 *          new consumer does not shift what the others draw.  SplitMix64 (Steele,
 *          Lea, Flood 2014): any state is good, splitting is a hash.
 */
#ifndef ORRERY_SIM_BASE_RNG_H
#define ORRERY_SIM_BASE_RNG_H

#include <stdint.h>

struct rng {
    uint64_t state;
};

/* Numbers are part of what a seed means: append only. */
enum rng_purpose {
    RNG_SCHEDULE_WAVES = 1,
    RNG_SCHEDULE_GROUPS = 2,
    RNG_SCHEDULE_PRIORITIES = 3,
    RNG_SCHEDULE_CHANGES = 4,
    RNG_CSLICES = 5,
    RNG_LAUNCHES = 6,
    RNG_DEVICE_QUEUES = 7,
    RNG_SPURIOUS = 8
};

void rng_init(struct rng *rng, uint64_t seed, enum rng_purpose purpose, uint64_t serial);
uint64_t rng_next(struct rng *rng);
uint64_t rng_below(struct rng *rng, uint64_t bound); /* 0 <= result < bound, every value equally likely */

#endif
