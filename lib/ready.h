/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The commands that may run now, and which of them is next: the scenario's
 *          policy, a function of the commands' serial numbers and the seed.
 *
 * Interface
 *   ready_reserve   room for that many; the only call that can fail
 *   ready_add       keeps them in serial order
 *   ready_check     asserts that they may run, and stand in order, each once
 *   ready_take      the next one of those that may (may NULL: of all); NULL when there is none
 */
#ifndef ORRERY_LIB_READY_H
#define ORRERY_LIB_READY_H
#include "queue.h"

struct ready {
    struct command **command; /* [first, last) by serial number */
    size_t first, last, room;
    uint64_t taken;
    uint32_t queue_id; /* round-robin: the queue that was last */
};

bool ready_reserve(struct ready *ready, size_t count);
void ready_add(struct ready *ready, struct command *command);
struct command *ready_take(struct ready *ready, const struct schedule_config *schedule,
                           bool (*may)(const struct command *command));
void ready_check(const struct ready *ready);
static inline bool ready_empty(const struct ready *ready)
{
    return ready->first == ready->last;
}
#endif
