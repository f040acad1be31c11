/* SPDX-License-Identifier: Apache-2.0 */
/* PURPOSE  The slow paths of control, compiled once (wave_control.c): arriving at a block while lanes are
 * parked, diverging, switching, and choosing the next block. */
#ifndef ORRERY_INTERP_EXEC_CONTROL_H
#define ORRERY_INTERP_EXEC_CONTROL_H

#include "bytecode.h"
#include "wave.h"

/* The active lanes go to a block; returns the instruction that runs next: lanes parked at a lower block run
 * first. */
const struct insn *exec_arrive(struct wave *wave, uint32_t block);
/* The active lanes of cond go to block `yes`, the others to block `no`. */
const struct insn *exec_diverge(struct wave *wave, const uint64_t *cond, uint32_t yes, uint32_t no);
/* Called when no lane is active: the lanes of the lowest parked block become active. NULL and RUN_DONE: no
 * lane is parked. */
const struct insn *wave_next_block(struct wave *wave);
uint32_t exec_switch_target(const uint32_t *list, uint64_t value);
const struct insn *exec_switch(struct wave *wave, const struct insn *insn, const uint8_t *values);
/* A collective of a wave that is the whole work-group: collective.c. */
void exec_collective_alone(struct wave *wave);
void exec_report_unwaited(struct wave *wave);
void exec_wait_copies(struct wave *wave, const struct insn *insn);
/* A barrier, or a wait for copies, that concerns this wave alone. */
void exec_announce_barrier(const struct wave *wave, const struct insn *insn);
void exec_report_unreachable(struct wave *wave, uint32_t site);

#endif
