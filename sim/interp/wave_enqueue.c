/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of a wave to device queues, lane by lane in ascending order. Operands, wait list and local sizes
 * are read, and the host is called. If the host allocated memory for captured variables and an event, the
 * wave fills it in.
 */
#include "wave_enqueue.h"

#include <stdlib.h>
#include <string.h>

#include "access.h"

/* One work-item's call. */
struct enqueue_lane {
    struct wave *wave;
    const struct insn *insn;
    struct access_copy *copy;
    uint8_t *frame;
    uint32_t count; /* operands */
    struct enqueue_call call;
    uint64_t *waits, *local_bytes;
    struct fault fault; /* misuse by this work-item */
};

static uint64_t operand(const struct enqueue_lane *lane_op, uint32_t k)
{
    uint64_t value;
    if (k >= lane_op->count)
        return 0;
    memcpy(&value,
           lane_op->frame + lane_op->wave->code->operands[lane_op->insn->d + 1 + k] +
               lane_op->call.lane * sizeof value,
           sizeof value);
    return value;
}

/* False: out of memory. A list that is longer than any queue accepts is not read. */
static bool read_waits(struct enqueue_lane *lane_op)
{
    struct enqueue_call *call = &lane_op->call;
    const uint64_t list = operand(lane_op, OPERAND_WAITS);
    call->wait_count = operand(lane_op, OPERAND_WAIT_COUNT);
    call->waits_given = list != 0;
    if (!list || !call->wait_count || call->wait_count > ENQUEUE_WAITS_MOST)
        return true;
    lane_op->waits = calloc(call->wait_count, sizeof *lane_op->waits);
    call->waits = lane_op->waits;
    if (lane_op->waits)
        access_fetch(lane_op->copy, call->lane, list, lane_op->waits,
                     call->wait_count * sizeof *lane_op->waits);
    return lane_op->waits != NULL;
}

static bool read_locals(struct enqueue_lane *lane_op)
{
    struct enqueue_call *call = &lane_op->call;
    call->local_count = lane_op->count > OPERAND_LOCALS ? lane_op->count - OPERAND_LOCALS : 0;
    if (!call->local_count)
        return true;
    lane_op->local_bytes = malloc(call->local_count * sizeof *lane_op->local_bytes);
    call->local_bytes = lane_op->local_bytes;
    for (uint32_t i = 0; lane_op->local_bytes && i < call->local_count; i++)
        lane_op->local_bytes[i] = operand(lane_op, OPERAND_LOCALS + i);
    return lane_op->local_bytes != NULL;
}

static void read_range(struct enqueue_lane *lane_op)
{
    struct ndrange *range = &lane_op->call.range;
    range->work_dim = (uint32_t)operand(lane_op, OPERAND_DIMENSIONS);
    for (uint32_t i = 0; i < 3; i++) {
        range->offset[i] = operand(lane_op, OPERAND_RANGE + i);
        range->global_size[i] = operand(lane_op, OPERAND_RANGE + 3 + i);
        range->local_size[i] = operand(lane_op, OPERAND_RANGE + 6 + i);
    }
}

static bool read_operands(struct enqueue_lane *lane_op)
{
    struct enqueue_call *call = &lane_op->call;
    call->handle = operand(lane_op, OPERAND_HANDLE);
    call->number = (int64_t)operand(lane_op, OPERAND_NUMBER);
    call->kernel = (uint32_t)operand(lane_op, OPERAND_KERNEL);
    call->target = operand(lane_op, OPERAND_EVENT);
    call->event_wanted = call->target != 0;
    call->literal_size = operand(lane_op, OPERAND_LITERAL_SIZE);
    read_range(lane_op);
    return read_waits(lane_op) && read_locals(lane_op);
}

/* Fills the memory that the host allocated with this work-item's values. */
static void hand_over(struct enqueue_lane *lane_op)
{
    const struct enqueue_call *call = &lane_op->call;
    if (call->literal)
        access_copy_in(lane_op->copy, call->lane, operand(lane_op, OPERAND_LITERAL), call->literal,
                       call->literal_size);
    if (call->event)
        access_hand(lane_op->copy, call->lane, &call->event, call->target, sizeof call->event);
}

static void note_misuse(struct enqueue_lane *lane_op)
{
    if (!lane_op->call.misuse || lane_op->fault.lanes++)
        return;
    lane_op->fault.lane = lane_op->call.lane;
    lane_op->fault.misuse = lane_op->call.misuse;
}

static int64_t execute_lane(struct enqueue_lane *lane_op)
{
    struct enqueue_call *call = &lane_op->call;
    const struct wave_host *host = lane_op->wave->host;
    const bool enqueues = call->op == ENQUEUE_KERNEL || call->op == ENQUEUE_MARKER;
    call->result = enqueues ? ENQUEUE_FAILURE : 0;
    const bool read = read_operands(lane_op);
    if (!read)
        host->print(host->self, lane_op->wave, NULL, 0); /* out of memory */
    if (read && host->enqueue) {
        host->enqueue(host->self, lane_op->wave, call);
        hand_over(lane_op);
        note_misuse(lane_op);
    }
    free(lane_op->waits);
    free(lane_op->local_bytes);
    lane_op->waits = lane_op->local_bytes = NULL;
    return call->result;
}

bool wave_enqueue_exec(const struct insn *insn, uint8_t *frame, struct wave *wave)
{
    struct access_copy copy;
    struct enqueue_lane lane_op = {
        .wave = wave, .insn = insn, .frame = frame, .copy = &copy, .count = insn->f >> ENQUEUE_COUNT_SHIFT};
    const lane_mask active = wave->active;
    access_copy_begin(&copy, wave, insn->e);
    for (uint32_t lane = 0; lane < wave->lane_count; lane++) {
        if (!lane_mask_test(&active, lane))
            continue;
        lane_op.call =
            (struct enqueue_call){.op = (enum enqueue_op)(insn->f & 0xff), .site = insn->e, .lane = lane};
        const int64_t result = execute_lane(&lane_op);
        memcpy(frame + wave->code->operands[insn->d] + lane * sizeof result, &result, sizeof result);
    }
    if (lane_op.fault.lanes) {
        lane_op.fault.kind = FAULT_ENQUEUE;
        lane_op.fault.site = insn->e;
        lane_op.fault.continues = true;
        wave->host->fault(wave->host->self, wave, &lane_op.fault);
    }
    return access_copy_end(&copy);
}
