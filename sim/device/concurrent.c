/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that run at the same time: selects the launch of the next time slice, by policy, seed and
 * simulated time. */
#include "concurrent.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "device_state.h"
#include "device_program.h"
#include "launch_schedule.h"

/* ---- launches ------------------------------------------------------------------------ */

struct live_launch *live_launch_take(struct device *device)
{
    struct live_launch *live = device->concurrent.idle;
    if (live)
        device->concurrent.idle = live->next;
    else
        live = calloc(1, sizeof *live);
    if (!live)
        return NULL;
    live->device = device;
    live->schedule = NULL;
    live->diagnosis.status = STATUS_OK;
    live->diagnosis.text[0] = '\0';
    live->changes = 0;
    return live;
}

static bool room(void **bytes, size_t *size, size_t wanted)
{
    if (*bytes && wanted <= *size)
        return true;
    void *grown = realloc(*bytes, wanted);
    if (!grown)
        return false;
    *bytes = grown;
    *size = wanted;
    return true;
}

bool live_launch_room(struct live_launch *live, size_t args_size, uint32_t local_count)
{
    bool fine =
        room((void **)&live->args, &live->args_room, args_size + 8) &&
        room((void **)&live->local_bytes, &live->locals_room, (local_count + 1) * sizeof *live->local_bytes);
    if (fine)
        memset(live->args, 0, args_size + 8);
    return fine;
}

void live_launch_give(struct live_launch *live)
{
    struct concurrent *concurrent = &live->device->concurrent;
    live->next = concurrent->idle;
    concurrent->idle = live;
}

void concurrent_fini(struct concurrent *concurrent)
{
    CHECKED(concurrent->count == 0);
    for (struct live_launch *live = concurrent->idle, *next; live; live = next) {
        next = live->next;
        free(live->args);
        free(live->local_bytes);
        free(live);
    }
    free(concurrent->live);
}

/* ---- the running launches -------------------------------------------------------------- */

static bool more_room(struct concurrent *concurrent)
{
    if (concurrent->count < concurrent->room)
        return true;
    uint32_t wanted = concurrent->room ? 2 * concurrent->room : 4;
    struct live_launch **live = realloc(concurrent->live, wanted * sizeof(struct live_launch *));
    if (!live)
        return false;
    concurrent->live = live;
    concurrent->room = wanted;
    return true;
}

/* Launches began or ended: the detection of livelocks starts again. */
static void restart_cycle_detection(struct concurrent *concurrent)
{
    concurrent->cycle.rounds = 0;
    concurrent->round = 0;
    for (uint32_t i = 0; i < concurrent->count; i++)
        if (concurrent->live[i]->schedule)
            schedule_company_changed(concurrent->live[i]->schedule);
}

bool concurrent_add(struct concurrent *concurrent, struct live_launch *live)
{
    const struct launch *launch = &live->launch;
    struct rng rng;
    if (!more_room(concurrent))
        return false;
    if (concurrent->count == 1)
        rng_init(&concurrent->rng, launch->schedule->seed, RNG_LAUNCHES, launch->info.launch);
    rng_init(&rng, launch->schedule->seed, RNG_SCHEDULE_PRIORITIES, UINT64_MAX - launch->info.launch);
    live->priority = (int64_t)(rng_next(&rng) >> 1);
    CHECKED(concurrent->count < concurrent->room);
    concurrent->live[concurrent->count++] = live;
    restart_cycle_detection(concurrent);
    return true;
}

/* Permits the shared allocations of the launch that runs next; reported NULL: all. */
static void permit_shared(struct device *device, const uint64_t *reported, size_t count)
{
    if (reported || device->concurrent.reported)
        arena_permit(&device->arena, reported, count);
    device->concurrent.reported = reported != NULL;
}

void concurrent_remove(struct concurrent *concurrent, const struct live_launch *live)
{
    uint32_t at = 0;
    while (concurrent->live[at] != live)
        at++;
    CHECKED(at < concurrent->count);
    concurrent->count--;
    memmove(concurrent->live + at, concurrent->live + at + 1,
            (concurrent->count - at) * sizeof concurrent->live[0]);
    restart_cycle_detection(concurrent);
    live->device->launch = NULL;
    permit_shared(live->device, NULL, 0);
}

void concurrent_focus(struct live_launch *live)
{
    struct launch *launch = &live->launch;
    if (live->device->launch == launch)
        return;
    live->device->launch = launch;
    permit_shared(live->device, launch->reported, launch->reported_count);
    if (launch->code)
        program_running((struct program *)(uintptr_t)launch->info.program, launch->code);
}

/* ---- a signal ------------------------------------------------------------------------------ */

void concurrent_interrupted(struct concurrent *concurrent, const struct schedule_watch *watch)
{
    if (concurrent->noted)
        return;
    concurrent->noted = true;
    positions_note(concurrent, watch);
}

bool concurrent_is_interrupted(struct device *device)
{
    const struct concurrent *concurrent = &device->concurrent;
    for (uint32_t i = 0; i < concurrent->count; i++)
        if (&concurrent->live[i]->launch == device->launch)
            return concurrent->live[i]->schedule && schedule_interrupted(concurrent->live[i]->schedule);
    return false;
}

/* ---- the launch that runs next ----------------------------------------------------------- */

static bool all_stuck(const struct concurrent *concurrent)
{
    for (uint32_t i = 0; i < concurrent->count; i++)
        if (!schedule_is_stuck(concurrent->live[i]->schedule))
            return false;
    return true;
}

static struct live_launch *earliest(const struct concurrent *concurrent, bool last_of_equals)
{
    CHECKED(concurrent->count > 0);
    struct live_launch *best = concurrent->live[0];
    for (uint32_t i = 1; i < concurrent->count; i++) {
        uint64_t time = launch_time(&concurrent->live[i]->launch), least = launch_time(&best->launch);
        if (time < least || (time == least && last_of_equals))
            best = concurrent->live[i];
    }
    return best;
}

static struct live_launch *highest(const struct concurrent *concurrent)
{
    struct live_launch *best = NULL;
    for (uint32_t i = 0; i < concurrent->count; i++) {
        struct live_launch *live = concurrent->live[i];
        if (!schedule_is_stuck(live->schedule) && (!best || live->priority > best->priority))
            best = live;
    }
    return best;
}

static struct live_launch *first_not_stuck(const struct concurrent *concurrent)
{
    uint32_t i = 0;
    while (schedule_is_stuck(concurrent->live[i]->schedule))
        i++;
    return concurrent->live[i];
}

static struct live_launch *choose(struct concurrent *concurrent)
{
    CHECKED(concurrent->count > 1);
    const struct schedule_config *config = concurrent->live[0]->launch.schedule;
    if (config->oracle)
        return first_not_stuck(concurrent);
    switch (config->policy) {
    case SCHEDULE_RANDOM: return concurrent->live[rng_below(&concurrent->rng, concurrent->count)];
    case SCHEDULE_PCT: return highest(concurrent);
    case SCHEDULE_SCRIPT:
    case SCHEDULE_REPLAY: return first_not_stuck(concurrent);
    default: return earliest(concurrent, config->policy == SCHEDULE_REVERSE);
    }
}

/* pct: a launch falls below all others when a priority of one of its work-items dropped. */
static void follow_changes(struct concurrent *concurrent, struct live_launch *live)
{
    uint32_t changes = schedule_priority_changes(live->schedule);
    if (changes != live->changes)
        live->priority = --concurrent->lowest;
    live->changes = changes;
}

static bool run_slice(struct concurrent *concurrent, struct live_launch *live)
{
    concurrent_focus(live);
    bool continues = schedule_pass(live->schedule);
    follow_changes(concurrent, live);
    return continues;
}

/* Gives the next launch a time slice; after each round of all launches a livelock is looked for. Returns
 * the launch that is over; NULL: none. */
static struct live_launch *spin_together(struct concurrent *concurrent)
{
    CHECKED(concurrent->round < concurrent->count);
    struct live_launch *live = concurrent->live[concurrent->round];
    if (!run_slice(concurrent, live))
        return live;
    if (++concurrent->round == concurrent->count) {
        concurrent->round = 0;
        if (concurrent->count > 1)
            schedule_check_all_stuck(concurrent);
    }
    return NULL;
}

static struct live_launch *without_schedule(const struct concurrent *concurrent)
{
    for (uint32_t i = 0; i < concurrent->count; i++)
        if (!concurrent->live[i]->schedule)
            return concurrent->live[i];
    return NULL;
}

enum { LOOK_ROUNDS = 1024 };

/* When the host begins to wait, states from before do not count: it may have written memory since. */
static void let_host_wait(struct concurrent *concurrent, bool waits)
{
    if (waits && !concurrent->host_waits && concurrent->count &&
        cycle_host_may_write(&concurrent->live[0]->launch.arena->memory)) {
        restart_cycle_detection(concurrent);
        concurrent->epoch++;
    }
    concurrent->host_waits = waits;
}

struct live_launch *concurrent_run(struct device *device, enum device_help help)
{
    struct concurrent *concurrent = &device->concurrent;
    struct live_launch *over = without_schedule(concurrent);
    concurrent->others_wait = help == HELP_COMMANDS;
    concurrent->host_helps = help == HELP_HOST;
    concurrent->cycles = false;
    let_host_wait(concurrent, help == HELP_NONE || help == HELP_LOOK);
    uint32_t rounds = 0;
    while (!over && !concurrent->cycles) {
        if (all_stuck(concurrent)) {
            over = spin_together(concurrent);
            rounds += concurrent->round == 0;
            /* another command may be ready by now */
            if (!over && concurrent->others_wait && concurrent->round == 0)
                return NULL;
            if (!over && help == HELP_LOOK && rounds >= LOOK_ROUNDS && concurrent->round == 0)
                return NULL;
            continue;
        }
        concurrent->round = 0;
        concurrent->cycle.rounds = 0;
        struct live_launch *live = concurrent->count == 1 ? concurrent->live[0] : choose(concurrent);
        if (!run_slice(concurrent, live))
            over = live;
    }
    return over;
}
