/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The commands that may run now, and which of them is next: the scenario's
 *          policy, a function of the commands' serial numbers and the seed.
 *
 * Interface
 *   ready_reserve   room for that many commands; the only call that can fail
 *   ready_add       a command is ready: submitted, and without an edge
 *   ready_check     asserts that all are ready, in serial order, each once
 *   ready_take      removes and returns the next one for which may() is true (NULL: of all); NULL: none is
 */
#ifndef ORRERY_LIB_READY_H
#define ORRERY_LIB_READY_H
#include "queue.h"

struct ready {
    struct command **command; /* [first, last) by serial number */
    size_t first, last, room;
    uint64_t taken;    /* commands taken so far */
    uint32_t queue_id; /* of the last command taken; for round-robin */
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
