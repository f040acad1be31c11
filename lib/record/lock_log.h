/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The order in which the threads of the program take its locks: written in a recorded run, repeated
 *          in a replayed one. Two reasons: a call that waits until it is due may hold a lock that the due
 *          call needs (host_log.h); and the lock of a job queue decides which thread takes which job. Part
 *          of the preloaded library.
 *
 * Rules    A step is an operation on a lock, a condition or a semaphore. Its place is the number of OpenCL
 *          calls that the thread has made, and of its steps since. Two kinds of steps are recorded: a step
 *          that follows a step of another thread on the same object, with the place of that one; and a step
 *          that failed, with its error. In a replay the first waits until the other thread has passed that
 *          place, and the second fails at once. No deadlock: a step waits only for earlier steps of the
 *          recorded run, and a call only for earlier calls. For this an acquire is recorded after it, and a
 *          release (post, signal) before it. Threads that synchronise only through plain or atomic memory
 *          may take other steps than in the recorded run. If no thread moves for a long time the order of
 *          the locks is given up, which is reported once.
 *
 * Interface
 *   lock_log_begin    the process has a second thread: from now on steps count; a replay reads the record
 *   lock_log_self     this thread; NULL: steps do not count, or not those of the code at `caller`
 *   lock_log_before   waits until the step may be made; true: it fails, with this result
 *   lock_log_note     records the step; object NULL: it follows no other. No step follows a LOCK_ONCE
 *   lock_log_done     the step is made; other threads may continue
 *   lock_log_follows  a recorded order is repeated
 *   lock_log_retry    sleeps briefly; false: the order is given up
 *   lock_log_suspend  this thread's operations are no steps; or are steps again
 *   lock_log_abandon  gives the order up
 */
#ifndef ORRERY_LIB_RECORD_LOCK_LOG_H
#define ORRERY_LIB_RECORD_LOCK_LOG_H
#include <stdbool.h>

enum lock_kind {
    LOCK_MUTEX,
    LOCK_READ,
    LOCK_WRITE,
    LOCK_SPIN,
    LOCK_CONDITION,
    LOCK_SEMAPHORE,
    LOCK_BARRIER,
    LOCK_ONCE,
    LOCK_RAN
};

struct lock_thread;

#pragma GCC visibility push(hidden)
void lock_log_begin(void);
struct lock_thread *lock_log_self(const void *caller);
bool lock_log_before(struct lock_thread *self, enum lock_kind kind, int *out_result);
void lock_log_note(struct lock_thread *self, const void *object, enum lock_kind kind, int result);
void lock_log_done(struct lock_thread *self);
bool lock_log_follows(void);
bool lock_log_retry(struct lock_thread *self);
void lock_log_suspend(bool pass);
void lock_log_abandon(const char *why);
#pragma GCC visibility pop
#endif
