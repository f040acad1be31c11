/* SPDX-License-Identifier: Apache-2.0 */
#include "ready.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Twice the room, so that moving down to 0 is paid for by as many additions. */
bool ready_reserve(struct ready *ready, size_t count)
{
    if (ready->room >= 2 * count)
        return true;
    size_t room = 4 * count + 16;
    struct command **grown = realloc(ready->command, room * sizeof *grown);
    if (!grown)
        return false;
    ready->command = grown;
    ready->room = room;
    return true;
}

static void ready_compact(struct ready *ready)
{
    memmove(ready->command, ready->command + ready->first,
            (ready->last - ready->first) * sizeof *ready->command);
    ready->last -= ready->first;
    ready->first = 0;
}

void ready_add(struct ready *ready, struct command *command)
{
    if (ready->last == ready->room)
        ready_compact(ready);
    assert(ready->last < ready->room);
    size_t at = ready->last++;
    for (; at > ready->first && ready->command[at - 1]->serial > command->serial; at--)
        ready->command[at] = ready->command[at - 1];
    ready->command[at] = command;
}

/* The finalizer of splitmix64: a fixed function of seed and step, no state to share. */
static uint64_t mix(uint64_t seed, uint64_t step)
{
    uint64_t x = seed + (step + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The first command of the queue that follows the last one served, by queue id. */
static size_t round_robin(const struct ready *ready)
{
    size_t next = ready->first, lowest = ready->first;
    bool found = false;
    for (size_t i = ready->first; i < ready->last; i++) {
        uint32_t id = ready->command[i]->queue->base.id;
        if (id < ready->command[lowest]->queue->base.id)
            lowest = i;
        if (id > ready->queue_id && (!found || id < ready->command[next]->queue->base.id)) {
            next = i;
            found = true;
        }
    }
    return found ? next : lowest;
}

static size_t choose(const struct ready *ready, const struct schedule_config *schedule)
{
    switch (schedule->policy) {
    case SCHEDULE_REVERSE:
        return ready->last - 1;
    case SCHEDULE_RANDOM:
    case SCHEDULE_PCT:
        return ready->first + mix(schedule->seed, ready->taken) % (ready->last - ready->first);
    case SCHEDULE_ROUND_ROBIN:
        return round_robin(ready);
    default:
        return ready->first;
    }
}

struct command *ready_take(struct ready *ready, const struct schedule_config *schedule)
{
    if (ready->first == ready->last)
        return NULL;
    size_t at = choose(ready, schedule);
    struct command *command = ready->command[at];
    if (at == ready->first) {
        ready->first++;
    } else {
        memmove(ready->command + at, ready->command + at + 1,
                (ready->last - at - 1) * sizeof *ready->command);
        ready->last--;
    }
    ready->taken++;
    ready->queue_id = command->queue->base.id;
    return command;
}
