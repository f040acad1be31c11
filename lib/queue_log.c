/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring whose size is a power of two and doubles when it is full. Invariant: after queue_log_reserve there
 * is room for a GO besides the reserved entry, so queue_log_go cannot fail.
 */
#include "queue_log.h"

#include <stdlib.h>

#include "orrery/checked.h"
#include "api_runtime.h"
#include "change.h"

static struct {
    struct queue_log_entry *entries; /* a ring of `room` entries, a power of two */
    size_t room;
    uint64_t begin, end;
    bool submitted; /* a SUBMIT, and after it no entry that lets submitted commands run */
} queue_log;

bool queue_log_reserve(void)
{
    if (queue_log.end - queue_log.begin + 1 < queue_log.room)
        return true;
    size_t room = queue_log.room ? 2 * queue_log.room : 64;
    struct queue_log_entry *entries = calloc(room, sizeof *entries);
    if (!entries)
        return false;
    for (uint64_t i = queue_log.begin; i < queue_log.end; i++)
        entries[i & (room - 1)] = queue_log.entries[i & (queue_log.room - 1)];
    free(queue_log.entries);
    queue_log.entries = entries;
    CHECKED((room & (room - 1)) == 0 && queue_log.end - queue_log.begin < room);
    queue_log.room = room;
    return true;
}

bool queue_log_append(enum log_kind kind, void *subject, struct event_callback *callback)
{
    CHECKED(runtime_lock_held());
    CHECKED(!subject == (kind == LOG_GO) && !callback == (kind != LOG_CALLBACK));
    if (!queue_log_reserve())
        return false;
    queue_log.entries[queue_log.end++ & (queue_log.room - 1)] =
        (struct queue_log_entry){kind, subject, callback};
    if (kind == LOG_SUBMIT)
        queue_log.submitted = true;
    else if (kind == LOG_RUN || kind == LOG_USER || kind == LOG_GO)
        queue_log.submitted = false;
    if (kind != LOG_ENQUEUE)
        change_announce();
    return true;
}

void queue_log_go(void)
{
    if (queue_log.submitted)
        queue_log_append(LOG_GO, NULL, NULL);
}

bool queue_log_submitted(void)
{
    return queue_log.submitted;
}

uint64_t queue_log_begin(void)
{
    return queue_log.begin;
}

uint64_t queue_log_end(void)
{
    return queue_log.end;
}

const struct queue_log_entry *queue_log_entry(uint64_t position)
{
    CHECKED(position >= queue_log.begin && position < queue_log.end);
    return &queue_log.entries[position & (queue_log.room - 1)];
}

void queue_log_consume(void)
{
    CHECKED(queue_log.begin < queue_log.end);
    queue_log.begin++;
}

void queue_log_check(void)
{
    CHECKED((queue_log.room & (queue_log.room - 1)) == 0);
    CHECKED(queue_log.begin <= queue_log.end);
    CHECKED(queue_log.end - queue_log.begin <= queue_log.room);
    for (uint64_t i = queue_log.begin; i < queue_log.end; i++) {
        const struct queue_log_entry *entry = queue_log_entry(i);
        CHECKED(!entry->subject == (entry->kind == LOG_GO));
        CHECKED(!entry->callback == (entry->kind != LOG_CALLBACK));
    }
}
