/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The pipe functions of a wave. OP_pipe has operands (V 64): result, pipe, pointer, number or id,
 *          index, takes part; f = enum pipe_op | bytes of a packet << PIPE_BYTES_SHIFT.
 */
#ifndef ORRERY_SIM_INTERP_WAVE_PIPE_H
#define ORRERY_SIM_INTERP_WAVE_PIPE_H

#include <stdbool.h>
#include <stdint.h>

#include "bytecode.h"

enum pipe_op {
    PIPE_READ,
    PIPE_WRITE, /* pointer; 0 or PIPE_FAILED */
    PIPE_RESERVED_READ,
    PIPE_RESERVED_WRITE, /* pointer, id, index; 0 or PIPE_FAILED */
    PIPE_RESERVE_READ,
    PIPE_RESERVE_WRITE, /* number; an id, 0 when full */
    PIPE_COMMIT_READ,
    PIPE_COMMIT_WRITE, /* id */
    PIPE_PACKETS,
    PIPE_PACKETS_MAX
};
enum { PIPE_BYTES_SHIFT = 8 };
#define PIPE_FAILED UINT64_MAX

/* True: lanes were stopped. */
bool wave_pipe_exec(const struct insn *insn, uint8_t *frame, struct wave *wave);

#endif
