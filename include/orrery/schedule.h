/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The choices of a schedule, for those who make them instead of a policy: an explorer of all
 *          interleavings, a test.
 *
 * Rules    With an oracle in struct schedule_config every wave is one work-item, and stops before each
 *          operation that others see: loads, stores, atomics and fences of global and local memory,
 *          copies, printf; and at barriers and group functions.  Before each step the oracle is asked
 *          which of the work-items that can go on does its next operation.  Everything else about a
 *          launch is a function of these answers: the same answers, the same choices again.
 *          resident_groups of the scenario says how many groups are in flight; they come in order.
 *
 * Ownership  A choice is valid during the call.
 */
#ifndef ORRERY_SCHEDULE_H
#define ORRERY_SCHEDULE_H

#include <stdint.h>

#include "orrery/observer.h"

enum schedule_operation {
    OPERATION_NONE,   /* it loops or ends without touching what others see */
    OPERATION_ACCESS,
    OPERATION_FENCE,
    OPERATION_COPY,   /* of run-time size, address is its target's; an asynchronous copy: address 0 */
    OPERATION_PRINT
};

/* A work-item that can go on, and what it does next. */
struct schedule_candidate {
    uint64_t tile;      /* linear id of the work-group */
    uint32_t wave;      /* within the work-group: linear id of the work-item */
    uint64_t steps;     /* it has taken so far */
    struct item item;
    enum schedule_operation operation;
    uint32_t site;      /* program_site() knows the line */
    enum access_kind access;
    enum memory_order order, failure_order;
    enum memory_scope scope;
    uint32_t regions;   /* fences: REGION_* */
    uint64_t address;
    uint32_t size_bytes;
};

struct schedule_choice {
    uint32_t launch;    /* serial number of the launch */
    uint64_t number;    /* of this choice within the launch, from 0 */
    uint32_t usual;     /* index: go on with the same work-item while it can, then the lowest one */
    uint32_t count;     /* at least 1; ordered by tile, then wave */
    const struct schedule_candidate *candidates;
};

/* Ends the launch with STATUS_ABORTED. */
#define SCHEDULE_STOP UINT32_MAX

/* choose returns an index into candidates, or SCHEDULE_STOP. */
struct schedule_oracle {
    void *self;
    uint32_t (*choose)(void *self, const struct schedule_choice *choice);
};

#endif
