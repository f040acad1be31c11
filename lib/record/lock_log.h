/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The order in which the threads of the program got its locks: written in a recorded run, kept in a
 *          replayed one. A call that waits until it is due may hold a lock that the due call needs
 *          (host_log.h); and the order of a job queue's lock decides which thread takes which job. Part of
 *          the library that is preloaded.
 *
 * Rules    A step is an operation on a lock, a condition or a semaphore; its place is the calls of OpenCL
 *          that the thread has made, and its steps since. Noted are a step that follows another thread's on
 *          the same object, with the place of that one, and a step that failed, with its error. In a replay
 *          the first waits until the other thread has got there, and the second fails at once. A step waits
 *          only for earlier steps of the recorded run, as a due call is earlier than one that waits: the two
 *          orders cannot wait for each other. An acquire is noted after it, a release (a post, a signal)
 *          before it. Threads that synchronise through plain or atomic memory alone may take other steps than
 *          when they were recorded. If nothing moves for long the order of the locks is given up, which is
 *          reported once.
 *
 * Interface
 *   lock_log_begin    the process has a second thread: from here on steps count; the record is read in a
 *                     replay
 *   lock_log_thread   the thread of that name; NULL: no memory
 *   lock_log_self     this thread; NULL: steps do not count, or not this one, which the code at caller makes
 *   lock_log_before   waits until the step may be made; true: it fails, with this result
 *   lock_log_made     notes it; object NULL: it follows no other. Nothing follows a LOCK_ONCE
 *   lock_log_done     it is over; others may continue
 *   lock_log_follows  there is an order to keep
 *   lock_log_insist   sleeps briefly; false: the order is given up
 *   lock_log_pass     this thread's operations are no steps, or are again
 *   lock_log_abandon  gives the order up
 *   lock_log_forget   in a child: one thread, and no order
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
struct lock_thread *lock_log_thread(const char *name);
struct lock_thread *lock_log_self(const void *caller);
bool lock_log_before(struct lock_thread *self, enum lock_kind kind, int *out_result);
void lock_log_made(struct lock_thread *self, const void *object, enum lock_kind kind, int result);
void lock_log_done(struct lock_thread *self);
bool lock_log_follows(void);
bool lock_log_insist(struct lock_thread *self);
void lock_log_pass(bool pass);
void lock_log_abandon(const char *why);
void lock_log_forget(void);
#pragma GCC visibility pop
#endif
