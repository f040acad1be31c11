/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The executor, as the waiting calls see it. All under runtime_lock, unless it says otherwise.
 *
 * Interface
 *   executor_has_begun     the log's entries below a position have taken effect, or the last of them begins
 *                          to
 *   executor_drain         takes the executor lock, or waits for its owner, until the log is consumed up to a
 *                          position and the launches are over, or only spin. wait: what the calling thread
 *                          waits for; NULL: nothing
 *   executor_stuck         every launch only spins, the log is consumed, and nothing runs: see executor_spins
 *   executor_spins         every launch only spins, and no entry of the log could release it
 *   executor_wait_help     of a blocked thread: waits until others append to the log after that position, or
 *                          a launch makes progress; true: neither will happen
 *   executor_end_spin      ends one of the launches that only spin, as a livelock, since the host waits and
 *                          has nothing to add; false: there is none. If the host may store into memory that
 *                          it shares with them, it does so only once no thread is left that could
 *   executor_end_spin_polled   the same for a thread that polls: other threads get some time first
 *   executor_idle          the log is consumed, and no launch has begun
 *   executor_callback_stuck   the callback thread waits for a change, and no thread executes; runtime_lock
 *                             not held
 *   executor_share         from now on host and kernels share memory; open: also while both run. runtime_lock
 *                          not held
 *   executor_shares        they share memory
 *   executor_serial        serial number of the last command or user event
 *   executor_visit         the commands of the log that have not taken effect, and the launches that run;
 *                          commands that wait in their queues are not among them
 *   executor_check         asserts the invariants of the log, of the ready commands and of the launches; for
 *                          the executing thread, as it stops
 *   executor_release_memory   device_release of that address, as soon as no command runs; runtime_lock not
 *                          held
 *   executor_is_here       this thread executes a command; any lock
 */
#ifndef ORRERY_LIB_EXECUTOR_H
#define ORRERY_LIB_EXECUTOR_H
#include "queue.h"

struct blocked_thread;

bool executor_has_begun(uint64_t position);
void executor_drain(uint64_t position, const struct blocked_thread *wait);
bool executor_stuck(void);
bool executor_spins(void);
bool executor_wait_help(uint64_t position, const struct blocked_thread *wait);
bool executor_end_spin(const struct blocked_thread *wait);
bool executor_end_spin_polled(void);
bool executor_idle(void);
bool executor_callback_stuck(void);
void executor_share(bool open);
bool executor_shares(void);
uint32_t executor_serial(void);
void executor_visit(void (*visit)(void *self, const struct command *command), void *self);
void executor_release_memory(uint64_t address);
bool executor_is_here(void);
void executor_check(void);
#endif
