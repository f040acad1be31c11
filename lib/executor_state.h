/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The executor's state and transitions, for executor.c, executor_spin.c, device_thread.c and
 *          queue_append.c alone. Everything is guarded by runtime_lock, which is released while a command
 *          runs and while a reference is dropped.
 *
 * The executor lock: who executes commands.
 *
 *            executor_lock_take(EXECUTING)              consume()
 *       +------------------------------> EXECUTING <---------------> APPLYING
 *       |                                    |             the first entry of the log takes effect
 *     FREE <---------------------------------+
 *       |       executor_lock_drop()
 *       +------------------------------> HELD             by a host call that touches device memory
 *            executor_lock_take(HELD)
 *
 * The launches that began, together. A time slice of device_run decides.
 *
 *                all only spin              nothing can release them
 *     PROGRESS ----------------> SPIN ------------------------------> END
 *       ^                         | ^                                  |
 *       |     one gets on         | |   run_launches() tries it, or    |
 *       +-------------------------+ +---- something can after all -----+
 *       |             one is over: as a livelock                       |
 *       +--------------------------------------------------------------+
 *
 * Memory that host and kernels share: NONE -> CLOSED -> OPEN, never back.
 *
 * Two facts are independent of these states: `effects_visible`, and whether threads wait to hold the executor
 * lock (`holders`). executor_check() asserts how the states depend on each other.
 */
#ifndef ORRERY_LIB_EXECUTOR_STATE_H
#define ORRERY_LIB_EXECUTOR_STATE_H
#include <time.h>

#include "blocked.h"
#include "executor.h"
#include "ready.h"

enum executor_lock { LOCK_FREE, LOCK_HELD, LOCK_EXECUTING, LOCK_APPLYING };

enum launches_state {
    LAUNCHES_PROGRESS, /* none began, or one of them can get on */
    LAUNCHES_SPIN,     /* each only spins, and no ready command can start: the host may release them */
    LAUNCHES_END       /* the same, and no thread is left to do it: the next run ends one, as a livelock */
};

enum host_sharing {
    SHARING_NONE,
    SHARING_CLOSED, /* kernels may wait for stores of the host, to memory that is closed while they run */
    SHARING_OPEN    /* host and kernels access memory at any time */
};

struct executor {
    enum executor_lock lock;
    uint32_t holders; /* threads that wait to hold the lock; no thread begins to execute meanwhile */
    const struct blocked_thread *wait; /* of the thread that executes; NULL: it waits for nothing */
    struct timespec slice;             /* until then that thread runs kernels that only spin (SHARING_OPEN) */

    enum launches_state launches;
    struct timespec spin_since; /* of the state SPIN and END: when it began */
    struct command *running; /* launches that began, the latest first; owned by the executor lock's owner */

    enum host_sharing sharing;
    bool effects_visible; /* the host may see effects of commands without a call that waits or queries */

    struct ready ready;
    uint32_t serial; /* of the last command or user event */
    size_t live;     /* commands appended and not yet complete */
};
extern struct executor executor;

enum { SLICE_NANOSECONDS = 5000000, OTHERS_WAIT_SECONDS = 5 };

/* The owner may touch all memory of the device, also what is closed to the host. */
void executor_lock_take(enum executor_lock as);
void executor_lock_drop(void);
static inline bool executor_lock_open(void) /* this thread may take it */
{
    return executor.lock == LOCK_FREE && !executor.holders;
}

/* Takes the executor lock, consumes the log up to the position, and runs what can get on. */
void executor_execute(uint64_t position, const struct blocked_thread *wait);

/* executor_spin.c */
bool executor_hopeless(void);     /* the launches only spin, and no thread is left that could release them */
void executor_launches_end(void); /* SPIN -> END */
void executor_launches_retry(void); /* END -> SPIN */
void executor_wait_briefly(void);   /* no change is announced when a thread ends, or stores */
#endif
