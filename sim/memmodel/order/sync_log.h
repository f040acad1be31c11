/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The sync operations of a launch, in the order in which they happened: enough to do the order part
 *          of the checker again, with an operation changed, and see what would have been ordered.
 *
 * Interface
 *   sync_log_add      adds one; NULL: it is full, and adds no more of this launch
 *   sync_log_value    what this unit's atomic at the address has read and written, if it is the latest, and
 *                     not a repetition
 *   sync_log_clear    before a launch
 *   sync_log_check    asserts that each operation is one that can happen, and that there is room for all
 *
 * While it is not full, order.h begins a slice at each operation of a unit, so that a clock value names the
 * two of its operations that an access was between.
 */
#ifndef ORRERY_SIM_MEMMODEL_ORDER_SYNC_LOG_H
#define ORRERY_SIM_MEMMODEL_ORDER_SYNC_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "orrery/limits.h"
#include "orrery/observer.h"

enum sync_op_kind {
    HAPPENED_BARRIER,
    HAPPENED_SUB_GROUP_BARRIER,
    HAPPENED_NAMED_BARRIER,
    HAPPENED_FENCE,
    HAPPENED_ATOMIC,
    HAPPENED_OVERWRITE,
    HAPPENED_COPY,
    HAPPENED_COPY_WAIT,
    HAPPENED_NAMED_ARRIVAL,
    HAPPENED_GROUP_END,
    HAPPENED_PARTED_ARRIVAL,
    HAPPENED_PARTED_BARRIER,
    HAPPENED_ELSEWHERE /* a unit that has no part in the order wrote there */
};

struct sync_op {
    uint8_t kind, order, scope, regions; /* regions: of barriers and fences */
    int8_t region;                       /* of an atomic */
    bool reads, writes, svm_atomics;     /* of an atomic */
    uint32_t site, size;
    uint8_t success; /* as of struct atomic_act */
    /* of the sub-group or copy; of PARTED_ARRIVAL: the first of 64 members */
    uint32_t number;
    uint64_t by;               /* unit of FENCE, ATOMIC, OVERWRITE; group of the others */
    uint64_t address;          /* of PARTED_ARRIVAL: which of them, a bit for each */
    uint64_t clock;            /* when it was done */
    struct lane_values values; /* of an atomic, as far as they are known */
};

enum { SYNC_LOG_MOST = HOSTILE(1 << 14, 1 << 10) };

struct sync_log {
    struct sync_op *items;
    uint32_t count, room;
    bool full;
    bool forgone; /* full from the start */
};

struct sync_op *sync_log_add(struct sync_log *sync_log, const struct sync_op *sync_op); /* NULL: full */
void sync_log_value(struct sync_log *sync_log, uint64_t unit, uint64_t address,
                    const struct lane_values *values);
void sync_log_clear(struct sync_log *sync_log);
void sync_log_check(const struct sync_log *sync_log);
void sync_log_fini(struct sync_log *sync_log);

#endif
