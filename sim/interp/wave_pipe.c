/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pipe functions, lane by lane in ascending order (OpenCL C 3.0, 6.15.16). Packets are stored in a ring.
 * Reservations may be committed in any order and take effect in the order in which they were made. A misuse
 * is a finding, and the call fails as if there were no packet.
 */
#include "wave_pipe.h"

#include <string.h>

#include "access.h"
#include "orrery/pipe.h"

/* ---- reservations ---------------------------------------------------------------- */

static struct pipe_side *side_of(struct pipe *pipe, bool writes)
{
    return writes ? &pipe->write : &pipe->read;
}

/* The number of packets that can be reserved now. */
static uint64_t room(const struct pipe *pipe, bool writes)
{
    return writes ? pipe->read.done + pipe->packet_count - pipe->write.next
                  : pipe->write.done - pipe->read.next;
}

static struct pipe_record *record_at(struct pipe *pipe, bool writes, uint64_t first)
{
    for (uint32_t i = 0; i < PIPE_RESERVATIONS; i++) {
        struct pipe_record *record = &pipe->record[i];
        if (record->state != PIPE_FREE && record->writes == writes && record->first == first)
            return record;
    }
    return NULL;
}

static void settle(struct pipe *pipe, bool writes)
{
    struct pipe_side *side = side_of(pipe, writes);
    struct pipe_record *record;
    while (side->done < side->next && (record = record_at(pipe, writes, side->done)) &&
           record->state == PIPE_CLOSED) {
        side->done += record->count;
        record->state = PIPE_FREE;
        pipe->records--;
    }
}

/* ---- which packets were written ------------------------------------------------------ */

static uint8_t *bits_of(struct pipe *pipe)
{
    return (uint8_t *)(pipe + 1) + (uint64_t)pipe->packet_bytes * pipe->packet_count;
}

static bool is_written(struct pipe *pipe, uint64_t number)
{
    const uint64_t slot = number % pipe->packet_count;
    return bits_of(pipe)[slot / 8] >> slot % 8 & 1;
}

static void set_written(struct pipe *pipe, uint64_t number, bool written)
{
    const uint64_t slot = number % pipe->packet_count;
    const uint8_t bit = (uint8_t)(1u << slot % 8);
    if (written)
        bits_of(pipe)[slot / 8] |= bit;
    else
        bits_of(pipe)[slot / 8] &= (uint8_t)~bit;
}

/* NULL: not enough packets, or no free record. */
static struct pipe_record *reserve(struct pipe *pipe, bool writes, uint64_t count)
{
    struct pipe_side *side = side_of(pipe, writes);
    if (count == 0 || count > room(pipe, writes) || pipe->records == PIPE_RESERVATIONS)
        return NULL;
    for (uint32_t i = 0; i < PIPE_RESERVATIONS; i++) {
        struct pipe_record *record = &pipe->record[i];
        if (record->state != PIPE_FREE)
            continue;
        *record = (struct pipe_record){.first = side->next,
                                       .count = (uint32_t)count,
                                       .serial = (uint16_t)++pipe->serial,
                                       .state = PIPE_OPEN,
                                       .writes = writes};
        for (uint64_t k = 0; writes && k < count; k++)
            set_written(pipe, side->next + k, false);
        side->next += count;
        pipe->records++;
        return record;
    }
    return NULL;
}

/* 0 is never a valid id. */
static uint64_t id_of(const struct pipe *pipe, const struct pipe_record *record)
{
    return record ? (uint64_t)record->serial << 16 | (uint64_t)(record - pipe->record + 1) : 0;
}

static struct pipe_record *record_of(struct pipe *pipe, uint64_t id, bool writes)
{
    const uint64_t index = (id & 0xffff) - 1;
    if (index >= PIPE_RESERVATIONS)
        return NULL;
    struct pipe_record *record = &pipe->record[index];
    return record->state == PIPE_OPEN && record->writes == writes && record->serial == id >> 16 ? record
                                                                                                : NULL;
}

static void close_record(struct pipe *pipe, struct pipe_record *record, bool writes)
{
    record->state = PIPE_CLOSED;
    settle(pipe, writes);
}

static uint64_t packet_address(const struct pipe *pipe, uint64_t number)
{
    return (uint64_t)(uintptr_t)(pipe + 1) + number % pipe->packet_count * pipe->packet_bytes;
}

/* ---- one work-item ----------------------------------------------------------------- */

struct pipe_lane {
    struct wave *wave;
    const struct insn *insn;
    struct access_copy *copy;
    struct pipe *pipe;
    uint32_t lane, fault_lane;
    uint64_t faults, address, first; /* of this pipe, of that of the first fault */
    uint64_t a, b, c;                /* as in pipe_op */
    const char *misuse;              /* of the first misuse */
};

/* Misuse is undefined by the specification: the call fails, and the work-item continues. */
static uint64_t misused(struct pipe_lane *lane_op, const char *why)
{
    if (!lane_op->faults++) {
        lane_op->fault_lane = lane_op->lane;
        lane_op->misuse = why;
        lane_op->first = lane_op->address;
    }
    return PIPE_FAILED;
}

static void announce(const struct pipe_lane *lane_op, bool writes, bool moves)
{
    const struct wave_host *host = lane_op->wave->host;
    const uint32_t launch = lane_op->wave->origin.launch->launch;
    struct pipe_user *user = &lane_op->pipe->user[writes];
    struct item item;
    origin_item(&lane_op->wave->origin, lane_op->lane, &item);
    const struct packets_use use = {.side = (uint64_t)(uintptr_t)side_of(lane_op->pipe, writes),
                                    .writes = writes,
                                    .other = user->launch != launch,
                                    .others = user->launch != launch || user->group != item.group_linear,
                                    .moves = moves,
                                    .lane = lane_op->lane,
                                    .group = item.group_linear,
                                    .site = lane_op->insn->e};
    if ((use.others || moves) && host->packets)
        host->packets(host->self, lane_op->wave, &use);
    *user = (struct pipe_user){launch, use.group};
}

/* A misuse that is reported, while the call still takes effect. */
static void enter(struct pipe_lane *lane_op, bool writes, bool moves)
{
    announce(lane_op, writes, moves);
    if (lane_op->pipe->user[!writes].launch == lane_op->wave->origin.launch->launch)
        misused(lane_op, "the same kernel reads from and writes to this pipe");
}

static void move_packet(struct pipe_lane *lane_op, uint64_t number, bool writes)
{
    const uint64_t packet = packet_address(lane_op->pipe, number);
    if (writes)
        set_written(lane_op->pipe, number, true);
    else if (!is_written(lane_op->pipe, number))
        misused(lane_op,
                "the packet was reserved and committed, but never written: its contents are undefined");
    if (writes)
        access_copy_in(lane_op->copy, lane_op->lane, lane_op->a, packet, lane_op->pipe->packet_bytes);
    else
        access_copy_out(lane_op->copy, lane_op->lane, packet, lane_op->a, lane_op->pipe->packet_bytes);
}

static uint64_t move_one(struct pipe_lane *lane_op, bool writes)
{
    enter(lane_op, writes, true);
    struct pipe_record *record = reserve(lane_op->pipe, writes, 1);
    if (!record)
        return PIPE_FAILED;
    move_packet(lane_op, record->first, writes);
    close_record(lane_op->pipe, record, writes);
    return 0;
}

static const char not_open[] =
    "the reservation is not valid, was committed already, or is of the other side or of another pipe";

static uint64_t reserve_for(struct pipe_lane *lane_op, bool writes)
{
    struct pipe_record *record = reserve(lane_op->pipe, writes, lane_op->b);
    enter(lane_op, writes, false);
    if (record) {
        record->launch = lane_op->wave->origin.launch->launch;
        record->site = lane_op->insn->e;
        origin_item(&lane_op->wave->origin, lane_op->lane, &record->item);
    }
    return id_of(lane_op->pipe, record);
}

static uint64_t move_reserved(struct pipe_lane *lane_op, bool writes)
{
    const struct pipe_record *record = record_of(lane_op->pipe, lane_op->b, writes);
    if (!record)
        return misused(lane_op, not_open);
    if (lane_op->c >= record->count)
        return misused(lane_op, "the index is not below the number of packets that was reserved");
    announce(lane_op, writes, true);
    move_packet(lane_op, record->first + lane_op->c, writes);
    return 0;
}

static uint64_t commit(struct pipe_lane *lane_op, bool writes)
{
    struct pipe_record *record = record_of(lane_op->pipe, lane_op->b, writes);
    if (!record)
        return misused(lane_op, not_open);
    close_record(lane_op->pipe, record, writes);
    return 0;
}

static uint64_t execute_lane(struct pipe_lane *lane_op, enum pipe_op op)
{
    switch (op) {
    case PIPE_READ:
    case PIPE_WRITE: return move_one(lane_op, op == PIPE_WRITE);
    case PIPE_RESERVED_READ:
    case PIPE_RESERVED_WRITE: return move_reserved(lane_op, op == PIPE_RESERVED_WRITE);
    case PIPE_RESERVE_READ:
    case PIPE_RESERVE_WRITE: return reserve_for(lane_op, op == PIPE_RESERVE_WRITE);
    case PIPE_COMMIT_READ:
    case PIPE_COMMIT_WRITE: return commit(lane_op, op == PIPE_COMMIT_WRITE);
    case PIPE_PACKETS: return lane_op->pipe->write.done - lane_op->pipe->read.next;
    case PIPE_PACKETS_MAX: return lane_op->pipe->packet_count;
    }
    return 0;
}

/* ---- a wave -------------------------------------------------------------------------- */

static uint64_t operand(const struct pipe_lane *lane_op, const uint8_t *frame, uint32_t k)
{
    uint64_t value;
    memcpy(&value, frame + lane_op->wave->code->operands[lane_op->insn->d + k] + lane_op->lane * sizeof value,
           sizeof value);
    return value;
}

/* The host passes the address of a pipe; a hand-written module may pass anything. */
static bool pipe_at(struct pipe_lane *lane_op, uint64_t address)
{
    const struct region *region = memory_region(lane_op->wave->memory, address);
    lane_op->address = address;
    const bool is_pipe =
        region->kind == REGION_PIPE && region->low == address && !(region->flags & REGION_FLAG_FREED);
    lane_op->pipe = is_pipe ? (struct pipe *)(uintptr_t)address : NULL;
    if (!is_pipe)
        misused(lane_op, "there is no pipe");
    else if (lane_op->pipe->packet_bytes != lane_op->insn->f >> PIPE_BYTES_SHIFT)
        misused(lane_op, NULL); /* the sentence about the sizes is made by the device */
    return is_pipe && lane_op->pipe->packet_bytes == lane_op->insn->f >> PIPE_BYTES_SHIFT;
}

bool wave_pipe_exec(const struct insn *insn, uint8_t *frame, struct wave *wave)
{
    struct access_copy copy;
    struct pipe_lane lane_op = {.wave = wave, .insn = insn, .copy = &copy};
    const lane_mask active = wave->active;
    access_copy_begin(&copy, wave, insn->e);
    for (lane_op.lane = 0; lane_op.lane < wave->lane_count; lane_op.lane++) {
        uint64_t result = PIPE_FAILED;
        if (!lane_mask_test(&active, lane_op.lane))
            continue;
        lane_op.a = operand(&lane_op, frame, 2);
        lane_op.b = operand(&lane_op, frame, 3);
        lane_op.c = operand(&lane_op, frame, 4);
        if (!operand(&lane_op, frame, 5))
            result = 0;
        else if (pipe_at(&lane_op, operand(&lane_op, frame, 1)))
            result = execute_lane(&lane_op, (enum pipe_op)(insn->f & 0xff));
        memcpy(frame + wave->code->operands[insn->d] + lane_op.lane * sizeof result, &result, sizeof result);
    }
    if (lane_op.faults) {
        struct fault fault = {.kind = FAULT_PIPE,
                              .site = insn->e,
                              .address = lane_op.first,
                              .lane = lane_op.fault_lane,
                              .size = insn->f >> PIPE_BYTES_SHIFT,
                              .lanes = lane_op.faults,
                              .continues = true,
                              .misuse = lane_op.misuse};
        wave->host->fault(wave->host->self, wave, &fault);
    }
    return access_copy_end(&copy);
}
