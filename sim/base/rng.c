/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014). A stream
 * begins at a hash of seed, purpose and serial number, so streams do not depend on the order in which they
 * are made.
 */
#include "rng.h"
#include "orrery/checked.h"

static uint64_t mix(uint64_t bits)
{
    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    return bits ^ bits >> 31;
}

static const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);

void rng_init(struct rng *rng, uint64_t seed, enum rng_purpose purpose, uint64_t serial)
{
    rng->state = mix(mix(seed + golden) + purpose * golden) + mix(serial * golden);
}

uint64_t rng_next(struct rng *rng)
{
    return mix(rng->state += golden);
}

uint64_t rng_below(struct rng *rng, uint64_t bound)
{
    CHECKED(bound > 0);
    uint64_t unfair = -bound % bound; /* 2^64 mod bound: this many values would come up once too often */
    uint64_t bits;
    do
        bits = rng_next(rng);
    while (bits < unfair);
    return bits % bound;
}
