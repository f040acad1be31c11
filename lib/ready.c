/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ready commands in an array sorted by serial number, so that each policy chooses by position or by queue.
 * The first ones are taken by moving `first`; the array moves down to 0 when it reaches the end of its room.
 */
#include "ready.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"

/* The room is at least twice the count. So each move down to 0 is preceded by as many additions, and its cost
 * is constant per addition. */
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
    CHECKED(ready->first > 0); /* ready_reserve has left as much room as there are commands */
    memmove(ready->command, ready->command + ready->first,
            (ready->last - ready->first) * sizeof *ready->command);
    ready->last -= ready->first;
    ready->first = 0;
}

void ready_add(struct ready *ready, struct command *command)
{
    CHECKED(command->submitted && !command->unmet && !command->running);
    if (ready->last == ready->room)
        ready_compact(ready);
    CHECKED(ready->last < ready->room);
    size_t at = ready->last++;
    for (; at > ready->first && ready->command[at - 1]->serial > command->serial; at--)
        ready->command[at] = ready->command[at - 1];
    ready->command[at] = command;
}

/* The finalizer of splitmix64 (Steele, Lea and Flood 2014): a function of seed and step, without a state. */
static uint64_t mix(uint64_t seed, uint64_t step)
{
    uint64_t x = seed + (step + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The commands from first to last for which may() is true; NULL: all. The policy chooses among them. */
struct ready_choice {
    size_t count, first, last;
    bool (*may)(const struct command *command);
};

static bool is_candidate(const struct ready_choice *choice, const struct command *command)
{
    return !choice->may || choice->may(command);
}

static struct ready_choice candidates(const struct ready *ready, bool (*may)(const struct command *command))
{
    struct ready_choice choice = {
        .count = ready->last - ready->first, .first = ready->first, .last = ready->last - 1, .may = may};
    if (!may)
        return choice;
    choice.count = 0;
    for (size_t i = ready->first; i < ready->last; i++) {
        if (!may(ready->command[i]))
            continue;
        choice.first = choice.count++ ? choice.first : i;
        choice.last = i;
    }
    return choice;
}

static size_t nth(const struct ready *ready, const struct ready_choice *choice, size_t number)
{
    size_t i = choice->first;
    if (!choice->may)
        return i + number;
    for (; number || !choice->may(ready->command[i]); i++)
        number -= choice->may(ready->command[i]);
    return i;
}

/* The first command of the next queue by id after the one that was served last; after the last id, the
 * lowest. */
static size_t round_robin(const struct ready *ready, const struct ready_choice *choice)
{
    size_t next = choice->first, lowest = choice->first;
    bool found = false;
    for (size_t i = choice->first; i <= choice->last; i++) {
        uint32_t id = ready->command[i]->queue->base.id;
        if (!is_candidate(choice, ready->command[i]))
            continue;
        if (id < ready->command[lowest]->queue->base.id)
            lowest = i;
        if (id > ready->queue_id && (!found || id < ready->command[next]->queue->base.id)) {
            next = i;
            found = true;
        }
    }
    return found ? next : lowest;
}

static size_t choose(const struct ready *ready, const struct schedule_config *schedule,
                     const struct ready_choice *choice)
{
    switch (schedule->policy) {
    case SCHEDULE_REVERSE: return choice->last;
    case SCHEDULE_RANDOM:
    case SCHEDULE_PCT: return nth(ready, choice, mix(schedule->seed, ready->taken) % choice->count);
    case SCHEDULE_ROUND_ROBIN: return round_robin(ready, choice);
    default: return choice->first;
    }
}

struct command *ready_take(struct ready *ready, const struct schedule_config *schedule,
                           bool (*may)(const struct command *command))
{
    struct ready_choice choice = candidates(ready, may);
    if (!choice.count)
        return NULL;
    size_t at = choose(ready, schedule, &choice);
    CHECKED(at >= ready->first && at < ready->last && is_candidate(&choice, ready->command[at]));
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

void ready_check(const struct ready *ready)
{
    CHECKED(ready->first <= ready->last && ready->last <= ready->room);
    for (size_t i = ready->first; i < ready->last; i++) {
        const struct command *command = ready->command[i];
        CHECKED(command->submitted && !command->unmet && !command->running && !command->live);
        CHECKED(i == ready->first || ready->command[i - 1]->serial < command->serial);
    }
}
