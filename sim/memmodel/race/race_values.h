/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The values that the two accesses of a race read and wrote. No values are recorded: memory still
 *          has most of them, and the present event says what its lanes store or what its atomics read. A
 *          value that is not certain is not reported.
 *
 * Interface
 *   race_values    fills in the values of a finding while the later access is being processed. alone: no
 *                  other launch has run meanwhile, which could have changed memory, too
 */
#ifndef ORRERY_SIM_MEMMODEL_RACE_RACE_VALUES_H
#define ORRERY_SIM_MEMMODEL_RACE_RACE_VALUES_H

#include "sim/memmodel/shadow/shadow.h"

struct finding;
struct memory;

/* The event of the later access; unit: of each of its lanes. */
struct race_event {
    const struct access_event *event;
    const uint64_t *unit;
};

static inline bool race_reads(enum access_kind kind)
{
    return kind != ACCESS_WRITE && kind != ACCESS_ATOMIC_WRITE;
}

static inline bool race_writes(enum access_kind kind)
{
    return kind != ACCESS_READ && kind != ACCESS_ATOMIC_READ;
}

/* end: the end of the bytes that both touch. */
void race_values(const struct memory *memory, const struct race_event *under_way, bool alone,
                 const struct race *race, const struct shadow_access *now, uint64_t end,
                 struct finding *finding);

#endif
