/* SPDX-License-Identifier: Apache-2.0 */
/* What a wave asks of device queues, work-item after work-item. */
#include "wave_enqueue.h"

#include <stdlib.h>
#include <string.h>

#include "access.h"

/* One work-item's call. */
struct turn {
    struct wave *wave;
    const struct insn *insn;
    struct access_copy *copy;
    uint8_t *frame;
    uint32_t count; /* operands */
    struct enqueue_call call;
    uint64_t *waits, *local_bytes;
    struct fault fault; /* misuse, of all lanes */
};

static uint64_t operand(const struct turn *turn, uint32_t k)
{
    uint64_t value;
    if (k >= turn->count)
        return 0;
    memcpy(&value,
           turn->frame + turn->wave->code->operands[turn->insn->d + 1 + k] + turn->call.lane * sizeof value,
           sizeof value);
    return value;
}

/* False: no memory. A list that no queue could take is left unread. */
static bool read_waits(struct turn *turn)
{
    struct enqueue_call *call = &turn->call;
    const uint64_t list = operand(turn, OPERAND_WAITS);
    call->wait_count = operand(turn, OPERAND_WAIT_COUNT);
    call->waits_given = list != 0;
    if (!list || !call->wait_count || call->wait_count > ENQUEUE_WAITS_MOST)
        return true;
    turn->waits = calloc(call->wait_count, sizeof *turn->waits);
    call->waits = turn->waits;
    if (turn->waits)
        access_fetch(turn->copy, call->lane, list, turn->waits, call->wait_count * sizeof *turn->waits);
    return turn->waits != NULL;
}

static bool read_locals(struct turn *turn)
{
    struct enqueue_call *call = &turn->call;
    call->local_count = turn->count > OPERAND_LOCALS ? turn->count - OPERAND_LOCALS : 0;
    if (!call->local_count)
        return true;
    turn->local_bytes = malloc(call->local_count * sizeof *turn->local_bytes);
    call->local_bytes = turn->local_bytes;
    for (uint32_t i = 0; turn->local_bytes && i < call->local_count; i++)
        turn->local_bytes[i] = operand(turn, OPERAND_LOCALS + i);
    return turn->local_bytes != NULL;
}

static void read_range(struct turn *turn)
{
    struct ndrange *range = &turn->call.range;
    range->work_dim = (uint32_t)operand(turn, OPERAND_DIMENSIONS);
    for (uint32_t i = 0; i < 3; i++) {
        range->offset[i] = operand(turn, OPERAND_RANGE + i);
        range->global_size[i] = operand(turn, OPERAND_RANGE + 3 + i);
        range->local_size[i] = operand(turn, OPERAND_RANGE + 6 + i);
    }
}

static bool read_operands(struct turn *turn)
{
    struct enqueue_call *call = &turn->call;
    call->handle = operand(turn, OPERAND_HANDLE);
    call->number = (int64_t)operand(turn, OPERAND_NUMBER);
    call->kernel = (uint32_t)operand(turn, OPERAND_KERNEL);
    call->target = operand(turn, OPERAND_EVENT);
    call->event_wanted = call->target != 0;
    call->literal_size = operand(turn, OPERAND_LITERAL_SIZE);
    call->literal_align = operand(turn, OPERAND_LITERAL_ALIGN);
    read_range(turn);
    return read_waits(turn) && read_locals(turn);
}

/* What the host allocated gets its contents: those of this work-item. */
static void hand_over(struct turn *turn)
{
    const struct enqueue_call *call = &turn->call;
    if (call->literal)
        access_copy_in(turn->copy, call->lane, operand(turn, OPERAND_LITERAL), call->literal,
                       call->literal_size);
    if (call->event)
        access_hand(turn->copy, call->lane, &call->event, call->target, sizeof call->event);
}

static void note_misuse(struct turn *turn)
{
    if (!turn->call.misuse || turn->fault.lanes++)
        return;
    turn->fault.lane = turn->call.lane;
    turn->fault.misuse = turn->call.misuse;
}

static int64_t take_turn(struct turn *turn)
{
    struct enqueue_call *call = &turn->call;
    const struct wave_host *host = turn->wave->host;
    const bool enqueues = call->op == ENQUEUE_KERNEL || call->op == ENQUEUE_MARKER;
    call->result = enqueues ? ENQUEUE_FAILURE : 0;
    const bool read = read_operands(turn);
    if (!read)
        host->print(host->self, turn->wave, NULL, 0); /* memory ran out */
    if (read && host->enqueue) {
        host->enqueue(host->self, turn->wave, call);
        hand_over(turn);
        note_misuse(turn);
    }
    free(turn->waits);
    free(turn->local_bytes);
    turn->waits = turn->local_bytes = NULL;
    return call->result;
}

bool exec_enqueue(const struct insn *insn, uint8_t *frame, struct wave *wave)
{
    struct access_copy copy;
    struct turn turn = {
        .wave = wave, .insn = insn, .frame = frame, .copy = &copy, .count = insn->f >> ENQUEUE_COUNT_SHIFT};
    const lane_mask active = wave->active;
    access_copy_begin(&copy, wave, insn->e);
    for (uint32_t lane = 0; lane < wave->lane_count; lane++) {
        if (!lane_mask_test(&active, lane))
            continue;
        turn.call =
            (struct enqueue_call){.op = (enum enqueue_op)(insn->f & 0xff), .site = insn->e, .lane = lane};
        const int64_t result = take_turn(&turn);
        memcpy(frame + wave->code->operands[insn->d] + lane * sizeof result, &result, sizeof result);
    }
    if (turn.fault.lanes) {
        turn.fault.kind = FAULT_ENQUEUE;
        turn.fault.site = insn->e;
        turn.fault.goes_on = true;
        wave->host->fault(wave->host->self, wave, &turn.fault);
    }
    return access_copy_end(&copy);
}
