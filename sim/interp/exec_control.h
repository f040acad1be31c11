/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The slow paths of control, compiled once (wave_control.c): arriving at a block
 *          while lanes are parked, parting, switching, picking the next block.
 */
#ifndef ORRERY_INTERP_EXEC_CONTROL_H
#define ORRERY_INTERP_EXEC_CONTROL_H

#include "bytecode.h"
#include "wave.h"

/* Active lanes go to block; returns what runs next: lanes parked lower go first. */
const struct insn *exec_arrive(struct wave *wave, uint32_t block);
/* Active lanes of cond go to yes, the others to no. */
const struct insn *exec_part(struct wave *wave, const uint64_t *cond, uint32_t yes, uint32_t no);
/* The lowest parked block becomes active, when nothing is; NULL and RUN_DONE when none is parked. */
const struct insn *wave_next_block(struct wave *wave);
uint32_t exec_switch_target(const uint32_t *list, uint64_t value);
const struct insn *exec_switch(struct wave *wave, const uint32_t *list, const uint8_t *values);
/* Lane 0 returns, and its asynchronous copy may still be under way. */
/* One wave that is the whole work-group: collective.c. */
void exec_collective_alone(struct wave *wave);
void exec_report_unwaited(struct wave *wave);
void exec_wait_copies(struct wave *wave, const struct insn *insn);
/* A barrier, or a wait for copies, that this wave passes by itself. */
void exec_announce_barrier(const struct wave *wave, const struct insn *insn);
void exec_report_unreachable(struct wave *wave, uint32_t site);

#endif
