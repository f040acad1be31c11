/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fine-grained shared memory while commands run: its bytes are compared with a copy at each step that the
 * host could notice.
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

struct watch {
    struct watch *next;
    const char *pointer;
    char *seen;
    size_t size;
};

/* Guarded by runtime_lock. */
static struct {
    struct watch *watches;
    size_t bytes;       /* of all of them */
    uint32_t executing; /* commands */
    bool unsure;        /* whose stores the next change is, or their time */
    bool forgone;
} shared;

/* ---- comparing ------------------------------------------------------------------------ */

static void compare_chunk(struct watch *watch, size_t at, size_t size, bool ran)
{
    static char now[CHUNK]; /* the host may store meanwhile */
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

/* ran: commands have, since they were compared last. All is open. */
static void compare(bool ran)
{
    const bool matters = shared.watches && device_under_way(runtime_device());
    for (struct watch *watch = shared.watches; watch; watch = watch->next) {
        for (size_t at = 0; matters && at < watch->size; at += CHUNK) {
            const size_t size = watch->size - at < CHUNK ? watch->size - at : CHUNK;
            if (memcmp(watch->seen + at, watch->pointer + at, size) != 0)
                compare_chunk(watch, at, size, ran);
        }
        if (!matters)
            memcpy(watch->seen, watch->pointer, watch->size);
    }
}

static void see_again(void)
{
    for (struct watch *watch = shared.watches; watch; watch = watch->next)
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
        see_again();
    else
        compare(true);
}

/* ---- which ------------------------------------------------------------------------------ */

static void unwatch(struct watch **link)
{
    struct watch *watch = *link;
    *link = watch->next;
    shared.bytes -= watch->size;
    free(watch->seen);
    free(watch);
}

void shared_bytes_begin(void *pointer, size_t size, const struct context *context)
{
    if (!order_observed() || context_any(context, device_supports_svm_system))
        return;
    struct watch *watch = malloc(sizeof *watch);
    char *seen = watch ? malloc(size) : NULL;
    runtime_lock();
    if (!seen || shared.forgone || size > WATCHED_MOST - shared.bytes) {
        free(watch);
        free(seen);
    } else {
        *watch = (struct watch){shared.watches, pointer, seen, size};
        memcpy(seen, pointer, size);
        shared.bytes += size;
        shared.watches = watch;
    }
    runtime_unlock();
}

void shared_bytes_end(void *pointer)
{
    runtime_lock();
    struct watch **link = &shared.watches;
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
