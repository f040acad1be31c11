/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The callback thread: calls what it is given, one after the other, in order,
 *          with no lock held. Started at the first post.
 *
 * Interface
 *   callback_post        (queue.h) copies function and data
 *   callback_post_item   the same without an allocation: the item is the caller's until called
 *   callback_thread      is this the callback thread?
 *   callback_drain       waits until all posted so far were called; not on the callback thread
 *   callback_wait        the same, but only while the callback thread can get on: a callback may wait for
 *                        what this thread does next, and one that was found so is not waited for again before
 *                        it has moved. True: all returned. Neither runtime_lock nor the executor lock is held
 *   callback_none        all that were posted have returned
 *   callback_inside      the callback thread goes into a call of ours (+1) or leaves it (-1); others: nothing
 *   callback_stop        drops what was not called yet, and waits a while for a callback that runs
 *   callback_fork_*      around fork: the child starts its own thread at its first post
 */
#ifndef ORRERY_LIB_CALLBACK_H
#define ORRERY_LIB_CALLBACK_H
#include <pthread.h>

#include "queue.h"

struct callback_item {
    struct callback_item *next;
    void (*function)(void *data);
    void *data;
};

enum { EXIT_PATIENCE_SECONDS = 5 }; /* for what still runs when the program ends */

void callback_post_item(struct callback_item *item);
bool callback_thread(void);
void callback_drain(void);
bool callback_none(void);
bool callback_wait(void);
void callback_inside(int step);
void callback_stop(void);
void callback_fork_prepare(void);
void callback_fork_parent(void);
void callback_fork_child(void);

/* A thread of the runtime: signals stay with the program's own threads. */
bool runtime_thread_start(pthread_t *out_thread, void *(*run)(void *));
void runtime_thread_join(pthread_t thread);
/* The process has only callback threads and this many others, by proc(5). */
bool runtime_is_alone(uint32_t waiting);
#endif
