/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The log and the executor lock, as the waiting calls need them. All under runtime_lock.
 *
 * Interface
 *   executor_position      the end of the log as it stands
 *   executor_has_begun     what stands in the log below a position has taken effect, or its last entry begins
 *                          to
 *   executor_drain         takes the executor lock, or waits for who has it, until the log is consumed up to
 *                          a position and what runs is over, or only spins
 *   executor_stuck         what runs only spins, the log is consumed, and it is set aside
 *   executor_rest, executor_rise   around a wait of this thread: meanwhile it does nothing of the program's
 *   executor_spins         what runs only spins, and nothing in the log could let it go on
 *   executor_wait_help     of a thread that rests: until others have put something into the log after that
 *                          position, or what runs gets on; true: that will not come
 *   executor_insist        one of those that only spin is over, as a livelock: the host waits, and has
 *                          nothing to add; false: there is none. Where the host may write memory of theirs,
 *                          only once it is certain that it does not
 *   executor_insist_polled   the same for a thread that asks again and again: others have some time
 *   executor_idle          nothing executes and nothing is left to consume
 *   executor_wait_change   lets go of the lock until something was consumed or appended
 *   executor_callback_stuck   the callback thread waits there, and nothing is left to execute; runtime_lock
 *                             not held
 *   executor_flush         appends RUN when the queue has commands to flush; false: out of memory
 *   executor_go            what was submitted and not yet let run is: before a drain
 *   executor_know_units    of a new queue; false: out of memory
 *   executor_watch_fork    a child has no device thread, whoever has the executor lock is done first
 *   executor_share         from now on host and kernels share memory; beside: also while both run.
 *                          executor_shares: they do
 *   executor_serial        of the last command appended
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
void executor_rest(struct executor_wait *wait);
void executor_rise(const struct executor_wait *wait);
bool executor_stuck(void);
bool executor_spins(void);
bool executor_wait_help(uint64_t position, const struct executor_wait *wait);
bool executor_insist(const struct executor_wait *wait); /* of who rests; or NULL */
bool executor_insist_polled(void);
bool executor_idle(void);
void executor_wait_change(void);
bool executor_callback_stuck(void);
bool executor_flush(struct queue *queue);
void executor_go(void);
void executor_watch_fork(void);
void executor_share(bool beside);
bool executor_shares(void);
bool executor_know_units(const struct unit_set *units);
uint32_t executor_serial(void);
bool executor_is_here(void);
#endif
