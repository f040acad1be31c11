/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Device-side enqueue (OpenCL C 3.0, 6.15.18) as a wave sees it: requests of work-items to the
 * device's
 *          queues, and their results. The owner of the queues implements enqueue() of struct wave_host.
 *
 * Operands of OP_enqueue, all of class V 64: the result, then those of enum enqueue_operand, in that order.
 *
 * Ownership  A call is valid while enqueue() runs. The host sets `result`, and allocates memory for the
 * block's
 *            captured variables and the event; the wave fills both in.
 */
#ifndef ORRERY_SIM_INTERP_WAVE_ENQUEUE_H
#define ORRERY_SIM_INTERP_WAVE_ENQUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytecode.h"

enum enqueue_op {
    ENQUEUE_KERNEL,
    ENQUEUE_MARKER, /* result: an error, 0 for success */
    ENQUEUE_DEFAULT_QUEUE,
    ENQUEUE_USER_EVENT, /* result: a handle, 0 for none */
    ENQUEUE_IS_VALID,   /* result: 1 or 0 */
    ENQUEUE_RETAIN,
    ENQUEUE_RELEASE,
    ENQUEUE_SET_STATUS,
    ENQUEUE_CAPTURE, /* nothing */
    ENQUEUE_WORK_GROUP_SIZE,
    ENQUEUE_PREFERRED_MULTIPLE, /* result: a number */
    ENQUEUE_SUB_GROUP_COUNT,
    ENQUEUE_SUB_GROUP_SIZE, /* of an NDRange */
    ENQUEUE_LOCAL_SIZE,
    ENQUEUE_MAX_SUB_GROUPS
};

enum enqueue_operand {
    OPERAND_HANDLE, /* queue or event */
    OPERAND_NUMBER, /* flags, a status, what is to be captured, a number of sub-groups */
    OPERAND_KERNEL, /* of the module: what the block runs */
    OPERAND_WAIT_COUNT,
    OPERAND_WAITS, /* address of events, or 0 */
    OPERAND_EVENT, /* address for the event, or 0; of CAPTURE: for the times */
    OPERAND_LITERAL,
    OPERAND_LITERAL_SIZE, /* the captured variables */
    OPERAND_DIMENSIONS,   /* then offset, global and local size, three each */
    OPERAND_RANGE,
    OPERAND_LOCALS = OPERAND_RANGE + 9, /* bytes of each local argument, to the end */
};
enum { ENQUEUE_COUNT_SHIFT = 8, ENQUEUE_WAITS_MOST = 65535 };

/* Errors of requests that no queue accepts: OpenCL C 3.0, 6.15.18.1. */
enum enqueue_error {
    ENQUEUE_SUCCESS = 0,
    ENQUEUE_FAILURE = -101,
    ENQUEUE_INVALID_QUEUE = -102,
    ENQUEUE_INVALID_NDRANGE = -160,
    ENQUEUE_INVALID_EVENT_WAIT_LIST = -57,
    ENQUEUE_QUEUE_FULL = -161,
    ENQUEUE_INVALID_ARG_SIZE = -51,
    ENQUEUE_EVENT_ALLOCATION_FAILURE = -100,
    ENQUEUE_OUT_OF_RESOURCES = -5
};
enum { ENQUEUE_NO_WAIT, ENQUEUE_WAIT_KERNEL, ENQUEUE_WAIT_WORK_GROUP }; /* flags */

/* local_size all 0: the device chooses. */
struct ndrange {
    uint32_t work_dim;
    uint64_t offset[3], global_size[3], local_size[3];
};

struct enqueue_call {
    enum enqueue_op op;
    uint32_t site, lane;
    uint64_t handle;
    int64_t number;
    uint32_t kernel;
    const uint64_t *waits;
    uint64_t wait_count;
    bool waits_given, event_wanted; /* the pointers were not NULL */
    uint64_t target;                /* of CAPTURE */
    uint64_t literal_size;
    struct ndrange range;
    const uint64_t *local_bytes;
    uint32_t local_count;
    /* the result */
    int64_t result;
    uint64_t event;     /* stored where the event was wanted; 0: not stored */
    uint64_t literal;   /* address for the captured variables; 0: none */
    const char *misuse; /* what the specification leaves undefined, or NULL */
};

/* True: lanes were stopped. */
bool wave_enqueue_exec(const struct insn *insn, uint8_t *frame, struct wave *wave);

#endif
