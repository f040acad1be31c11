/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Waits of threads for a change of what the executor or the log holds: an eventcount beside
 *          runtime_lock. A waiting thread checks its own condition again after each change.
 *
 * Interface
 *   change_announce          wakes all waiting threads
 *   change_wait              waits for the next change
 *   change_wait_until        the same, at most until the deadline (CLOCK_REALTIME); false: it passed
 *   change_waiters           threads that wait
 *   change_callback_asleep   the callback thread waits, and no change was announced since it began
 *   change_fork_*            around fork(2); no thread waits in the child. prepared: change_fork_prepare was
 *                            called before
 *
 * Locks    runtime_lock is held at every call; the waits release it while they sleep. A child of an executing
 *          thread is the exception: it has no lock.
 */
#ifndef ORRERY_LIB_CHANGE_H
#define ORRERY_LIB_CHANGE_H
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

void change_announce(void);
void change_wait(void);
bool change_wait_until(const struct timespec *deadline);
uint32_t change_waiters(void);
bool change_callback_asleep(void);
void change_fork_prepare(void);
void change_fork_parent(void);
void change_fork_child(bool prepared);
#endif
