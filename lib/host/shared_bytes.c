/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each watched allocation has a copy of its bytes. They are compared before a call that releases or
 * acquires, when the first command starts, and when the last one ends. A difference is a store of the host,
 * unless commands ran in between: then the device decides by what commands wrote. If a call happened while
 * commands ran, a difference cannot be dated (`unsure`); then only the copy is refreshed.
 */
#include "shared_bytes.h"

#include <stdlib.h>
#include <string.h>

#include "lib/context.h"
#include "lib/device_info.h"
#include "guard.h"
#include "lib/command_order.h"
#include "lib/api_runtime.h"

enum { CHUNK = 1 << 12 };
static const size_t WATCHED_MOST = (size_t)64 << 20;

struct shared_watch {
    struct shared_watch *next;
    const char *pointer;
    char *seen;
    size_t size;
};

/* Guarded by runtime_lock. */
static struct {
    struct shared_watch *watches;
    size_t bytes;       /* of all of them */
    uint32_t executing; /* commands that have started and not ended */
    bool unsure;        /* stores since the last comparison cannot be attributed or dated */
    bool forgone;       /* shared_bytes_forgo was called */
} shared;

/* ---- comparing ------------------------------------------------------------------------ */

static void compare_chunk(struct shared_watch *watch, size_t at, size_t size, bool ran)
{
    static char now[CHUNK]; /* one reading, since the host may store meanwhile */
    char *const then = watch->seen + at;
    memcpy(now, watch->pointer + at, size);
    for (size_t low = 0, high; low < size; low = high) {
        while (low < size && then[low] == now[low])
            low++;
        for (high = low; high < size && then[high] != now[high]; high++)
            ;
        if (low < high)
            device_host_stored(runtime_device(), (uint64_t)(uintptr_t)watch->pointer + at + low, high - low,
                               ran);
    }
    memcpy(then, now, size);
}

/* ran: commands ran since the last comparison. All pages are open. */
static void compare(bool ran)
{
    const bool matters = shared.watches && device_under_way(runtime_device());
    for (struct shared_watch *watch = shared.watches; watch; watch = watch->next) {
        for (size_t at = 0; matters && at < watch->size; at += CHUNK) {
            const size_t size = watch->size - at < CHUNK ? watch->size - at : CHUNK;
            if (memcmp(watch->seen + at, watch->pointer + at, size) != 0)
                compare_chunk(watch, at, size, ran);
        }
        if (!matters)
            memcpy(watch->seen, watch->pointer, watch->size);
    }
}

static void refresh(void)
{
    for (struct shared_watch *watch = shared.watches; watch; watch = watch->next)
        memcpy(watch->seen, watch->pointer, watch->size);
}

void shared_bytes_look(void)
{
    const bool closed = guard_active();
    if (closed)
        guard_report();
    if (!shared.watches)
        return;
    const bool paused = closed && guard_pause();
    if (shared.executing || closed != paused)
        shared.unsure = true;
    else
        compare(false);
    if (paused)
        guard_leave();
}

void shared_bytes_started(void)
{
    if (shared.executing++)
        return;
    compare(false);
    shared.unsure = false;
}

void shared_bytes_over(bool unsure)
{
    shared.unsure |= unsure;
    if (--shared.executing)
        return;
    if (shared.unsure)
        refresh();
    else
        compare(true);
}

/* ---- which allocations ------------------------------------------------------------------------------ */

static void unwatch(struct shared_watch **link)
{
    struct shared_watch *watch = *link;
    *link = watch->next;
    shared.bytes -= watch->size;
    free(watch->seen);
    free(watch);
}

void shared_bytes_begin(void *pointer, size_t size, const struct context *context)
{
    if (!order_observed() || context_any(context, device_supports_svm_system))
        return;
    struct shared_watch *watch = malloc(sizeof *watch);
    char *seen = watch ? malloc(size) : NULL;
    runtime_lock();
    if (!seen || shared.forgone || size > WATCHED_MOST - shared.bytes) {
        free(watch);
        free(seen);
    } else {
        *watch = (struct shared_watch){shared.watches, pointer, seen, size};
        memcpy(seen, pointer, size);
        shared.bytes += size;
        shared.watches = watch;
    }
    runtime_unlock();
}

void shared_bytes_end(void *pointer)
{
    runtime_lock();
    struct shared_watch **link = &shared.watches;
    while (*link && (*link)->pointer != pointer)
        link = &(*link)->next;
    if (*link)
        unwatch(link);
    runtime_unlock();
}

void shared_bytes_forgo(void)
{
    runtime_lock();
    shared.forgone = true;
    while (shared.watches)
        unwatch(&shared.watches);
    runtime_unlock();
}
