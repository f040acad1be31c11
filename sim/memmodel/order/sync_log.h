/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The sync operations of a launch, in the order in which they were done: enough to repeat the order
 *          part of the checker with one operation edited, and see what would have been ordered (explain/).
 *
 * Interface
 *   sync_log_add      adds one; NULL: the log is full, and has nothing more of this launch
 *   sync_log_value    the values that the unit's atomic at the address read and wrote, if that is the latest
 *                     operation
 *   sync_log_clear    before a launch
 *   sync_log_check    asserts that each operation is possible, and that the list has room for all
 *
 * While the log is not full, order.h begins a segment at each operation of a unit, so that a clock value
 * names the two of its operations between which an access was done.
 */
#ifndef ORRERY_SIM_MEMMODEL_ORDER_SYNC_LOG_H
#define ORRERY_SIM_MEMMODEL_ORDER_SYNC_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "orrery/limits.h"
#include "orrery/observer.h"

enum sync_op_kind {
    SYNC_OP_BARRIER,
    SYNC_OP_SUB_GROUP_BARRIER,
    SYNC_OP_NAMED_BARRIER,
    SYNC_OP_FENCE,
    SYNC_OP_ATOMIC,
    SYNC_OP_OVERWRITE,
    SYNC_OP_COPY,
    SYNC_OP_COPY_WAIT,
    SYNC_OP_NAMED_ARRIVAL,
    SYNC_OP_GROUP_END,
    SYNC_OP_PARTIAL_ARRIVAL,
    SYNC_OP_PARTIAL_BARRIER,
    SYNC_OP_FOREIGN_WRITE /* a write by a unit that is not ordered */
};

struct sync_op {
    uint8_t kind, order, scope, regions; /* regions: of barriers and fences */
    int8_t region;                       /* of an atomic */
    bool reads, writes, svm_atomics;     /* of an atomic */
    uint32_t site, size;
    uint8_t success; /* as of struct atomic_operation */
    /* the sub-group or the copy; of PARTED_ARRIVAL: the first of 64 members */
    uint32_t number;
    uint64_t by;               /* of FENCE, ATOMIC and OVERWRITE the unit; else the group */
    uint64_t address;          /* of PARTED_ARRIVAL: a bit for each of the 64 members */
    uint64_t clock;            /* of struct order when it was done */
    struct lane_values values; /* of an atomic, if they are known */
};

enum { SYNC_LOG_MOST = HOSTILE(1 << 14, 1 << 10) };

struct sync_log {
    struct sync_op *items;
    uint32_t count, room;
    bool full;
    bool forgone; /* it counts as full from the start */
};

struct sync_op *sync_log_add(struct sync_log *sync_log, const struct sync_op *sync_op); /* NULL: full */
void sync_log_value(struct sync_log *sync_log, uint64_t unit, uint64_t address,
                    const struct lane_values *values);
void sync_log_clear(struct sync_log *sync_log);
void sync_log_check(const struct sync_log *sync_log);
void sync_log_fini(struct sync_log *sync_log);

#endif
