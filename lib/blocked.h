/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The host threads that wait for commands in a call of the API, and what each waits for. A kernel
 *          that spins can be released only by a thread that is not among them.
 *
 * Interface
 *   blocked_add       this thread waits from now on; the caller keeps the object until blocked_remove
 *   blocked_remove    it no longer does
 *   blocked_over      the thread's condition holds; NULL: false
 *   blocked_all       the process has no other threads than those that wait and `own` more; the condition of
 *                     none that waits holds; and no callback is due. A signal handler counts as a thread if
 *                     `stores`: it may store, but it does not enqueue
 *   blocked_fork      the child has none
 *
 * Locks    runtime_lock is held at every call; conditions are evaluated under it.
 */
#ifndef ORRERY_LIB_BLOCKED_H
#define ORRERY_LIB_BLOCKED_H
#include <stdbool.h>
#include <stdint.h>

struct blocked_thread {
    const void *self;
    bool (*done)(const void *self); /* the condition that it waits for */
    /* blocked.c's */
    bool callback; /* it is the callback thread */
    struct blocked_thread *next;
};

void blocked_add(struct blocked_thread *thread);
void blocked_remove(const struct blocked_thread *thread);
bool blocked_over(const struct blocked_thread *thread);
bool blocked_all(uint32_t own, bool stores);
void blocked_fork(void);
#endif
