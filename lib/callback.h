/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The callback thread calls functions of the program one after the other, in the order in which they
 *          were posted, without a lock. It starts at the first post.
 *
 * Interface
 *   callback_post        posts a call of function(data)
 *   callback_post_item   the same without an allocation: the caller keeps the item until it is called
 *   callback_thread      this is the callback thread
 *   callback_drain       waits until all posted callbacks have returned; no effect on the callback thread
 *   callback_wait        the same, but only while the callback thread makes progress: a callback may wait for
 *                        the next step of this thread. One that was found stuck is not waited for again
 *                        before it has moved. True: all returned. Neither runtime_lock nor the executor lock
 *                        is held
 *   callback_none        all posted callbacks have returned
 *   callback_inside      the callback thread enters a call of the API (+1) or leaves it (-1); no effect on
 *                        other threads
 *   callback_watch       calls look() on the callback thread after each CALLBACK_WATCH_SECONDS without a
 *                        callback, until it returns false
 *   callback_stop        drops the callbacks that were not called, and waits a while for one that runs
 *   callback_fork_*      around fork(2): the child starts its own thread at its first post
 */
#ifndef ORRERY_LIB_CALLBACK_H
#define ORRERY_LIB_CALLBACK_H
#include <stdbool.h>

struct callback_item {
    struct callback_item *next;
    void (*function)(void *data);
    void *data;
};

enum { EXIT_WAIT_SECONDS = 5 }; /* for commands and callbacks that run when the program ends */
enum { CALLBACK_WATCH_SECONDS = 5 };

void callback_post(void (*function)(void *), void *data);
void callback_post_item(struct callback_item *item);
bool callback_thread(void);
void callback_drain(void);
bool callback_none(void);
bool callback_wait(void);
void callback_inside(int step);
void callback_watch(bool (*look)(void));
void callback_stop(void);
void callback_fork_prepare(void);
void callback_fork_parent(void);
void callback_fork_child(void);
#endif
