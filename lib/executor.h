/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The log and the executor lock, as the waiting calls need them. All under runtime_lock.
 *
 * Interface
 *   executor_position      the end of the log as it stands
 *   executor_has_begun     the log's entries below a position have taken effect, or its last entry begins to
 *   executor_drain         takes the executor lock, or waits for its owner, until the log is consumed up to a
 *                          position and what runs is over, or only spins
 *   executor_stuck         every running launch only spins, the log is consumed, and they are set aside
 *   executor_block, executor_unblock   around a wait of this thread: meanwhile it executes nothing
 *   executor_spins         every running launch only spins, and no entry of the log could release it
 *   executor_wait_help     of a blocked thread: waits until others append to the log after that position, or
 *                          a launch makes progress; true: neither will happen
 *   executor_end_spin      ends one of the launches that only spin, as a livelock: the host waits, and has
 *                          nothing to add; false: there is none. If the host may write memory of theirs, only
 *                          once it is certain that it does not
 *   executor_end_spin_polled   the same for a thread that polls: others get some time first
 *   executor_idle          nothing executes and nothing is left to consume
 *   executor_wait_change   releases the lock until something was consumed or appended
 *   executor_callback_stuck   the callback thread waits there, and nothing is left to execute; runtime_lock
 *                             not held
 *   executor_flush         appends RUN when the queue has commands to flush; false: out of memory
 *   executor_go            before a drain: makes submitted commands runnable
 *   executor_add_units     of a new queue; false: out of memory
 *   executor_watch_fork    a child has no device thread; the executor lock's owner finishes first
 *   executor_share         from now on host and kernels share memory; beside: also while both run.
 *                          executor_shares: they do
 *   executor_serial        of the last command appended
 *   executor_visit         the commands of the log that have not taken effect, and the launches that run;
 *                          those that wait in their queues are not among them
 *   executor_check         asserts all invariants of the log, of what is ready and of what runs
 *   executor_is_here       this thread runs a command
 */
#ifndef ORRERY_LIB_EXECUTOR_H
#define ORRERY_LIB_EXECUTOR_H
#include "queue.h"

uint64_t executor_position(void);
bool executor_has_begun(uint64_t position);
struct executor_wait { /* what the caller waits for */
    const void *self;
    bool (*done)(const void *self);
    bool callback;
    struct executor_wait *next; /* the list of those that rest */
};
void executor_drain(uint64_t position, const struct executor_wait *wait); /* wait NULL: for nothing */
void executor_block(struct executor_wait *wait);
void executor_unblock(const struct executor_wait *wait);
bool executor_stuck(void);
bool executor_spins(void);
bool executor_wait_help(uint64_t position, const struct executor_wait *wait);
bool executor_end_spin(const struct executor_wait *wait); /* of the blocked thread; or NULL */
bool executor_end_spin_polled(void);
bool executor_idle(void);
void executor_wait_change(void);
bool executor_callback_stuck(void);
bool executor_flush(struct queue *queue);
void executor_go(void);
void executor_watch_fork(void);
void executor_share(bool beside);
bool executor_shares(void);
bool executor_add_units(const struct unit_set *units);
uint32_t executor_serial(void);
void executor_visit(void (*visit)(void *self, const struct command *command), void *self);
bool executor_is_here(void);
void executor_check(void);
#endif
