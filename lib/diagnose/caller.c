/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interns call stacks: a hash table from return addresses, and lines of Python, to places, with the latest
 * place in front of it.
 */
#include "caller.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lib/host/host_place.h"
#include "lib/command_order.h"

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

enum { CALLERS_MOST = 1 << 16, FRAMES = 12 }; /* FRAMES includes frames of this library and of the loader */

struct caller_key {
    void *frame[FRAMES]; /* unused ones are NULL */
    const struct script_place *script;
};
struct caller {
    struct enqueuer as_seen; /* the first member: callers get a pointer to it */
    struct caller_key key;
    struct host_place *found; /* NULL: not looked up yet */
    UT_hash_handle hh;
};

static struct {
    pthread_mutex_t lock;
    struct caller *all;
    struct caller *latest;
    bool always; /* atomic */
} callers = {.lock = PTHREAD_MUTEX_INITIALIZER};

const struct host_place *caller_place(const struct enqueuer *enqueuer)
{
    struct caller *caller = (struct caller *)(uintptr_t)enqueuer;
    struct host_trace trace = {.count = 0, .script = caller->key.script};
    pthread_mutex_lock(&callers.lock);
    if (!caller->found && (caller->found = malloc(sizeof *caller->found))) {
        while (trace.count < FRAMES && caller->key.frame[trace.count]) {
            trace.frame[trace.count] = caller->key.frame[trace.count];
            trace.count++;
        }
        host_place_find(&trace, caller->found);
    }
    const struct host_place *found = caller->found;
    pthread_mutex_unlock(&callers.lock);
    return found;
}

const struct script_place *caller_script(const struct enqueuer *enqueuer)
{
    return enqueuer ? ((const struct caller *)enqueuer)->key.script : NULL;
}

static bool find(const struct enqueuer *self, struct source_place *out_place)
{
    const struct host_place *found = caller_place(self);
    if (!found || !found->place.line)
        return false;
    *out_place = found->place;
    return true;
}

static struct caller *caller_new(const struct caller_key *key)
{
    struct caller *caller = HASH_COUNT(callers.all) < CALLERS_MOST ? calloc(1, sizeof *caller) : NULL,
                  *added = NULL;
    if (!caller)
        return NULL;
    caller->as_seen.find = find;
    caller->key = *key;
    HASH_ADD(hh, callers.all, key, sizeof caller->key, caller);
    HASH_FIND(hh, callers.all, key, sizeof caller->key, added);
    if (!added)
        free(caller);
    return added;
}

const struct enqueuer *caller_here(void)
{
    return order_observed() || __atomic_load_n(&callers.always, __ATOMIC_RELAXED) ? caller_of_source() : NULL;
}

void caller_always(void)
{
    __atomic_store_n(&callers.always, true, __ATOMIC_RELAXED);
}

const struct enqueuer *caller_of_source(void)
{
    struct host_trace trace;
    struct caller_key key = {.script = NULL};
    struct caller *caller = NULL;
    host_place_of_call(&trace, FRAMES);
    memcpy(key.frame, trace.frame, (size_t)trace.count * sizeof *trace.frame);
    key.script = trace.script;
    pthread_mutex_lock(&callers.lock);
    if (callers.latest && memcmp(&callers.latest->key, &key, sizeof key) == 0)
        caller = callers.latest;
    else
        HASH_FIND(hh, callers.all, &key, sizeof key, caller);
    if (!caller)
        caller = caller_new(&key);
    callers.latest = caller;
    pthread_mutex_unlock(&callers.lock);
    return caller ? &caller->as_seen : NULL;
}
