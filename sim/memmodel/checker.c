/* SPDX-License-Identifier: Apache-2.0 */
#include "checker_state.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- accesses -------------------------------------------------------------------------- */

/* A plain access by one work-item of a group that synchronises, where the shadow is asked in any case. */
static bool take_alone(struct checker *checker, const struct access_event *event)
{
    uint64_t lane;
    if (event->shape != ADDRESS_UNIFORM || event->copy || event->image || checker->order.formal || !checker->crew.one_group ||
        !only_lane(event->mask, event->lane_count, &lane))
        return false;
    struct shadow_region *region = checker->alone.region;
    if (checker->alone.crew != checker->crew.serial || !is_in(region, event->base)) {
        region = region_at(checker, event->base);
        if (!region || !region->journal.spilt || region->space != IN_GLOBAL || is_early(checker, event))
            return false;
        checker->alone.crew = checker->crew.serial;
        checker->alone.region = region;
        checker_name_units(checker, &event->origin);
    }
    struct acting acting = {.event = event, .first = checker->crew.group * checker->order.group_items};
    struct agent *agent = actor(checker, &acting, lane);
    const struct shadow_access now = {.agent = agent, .address = event->base,
                                      .how = {.tick = (uint32_t)order_slice(agent), .site = event->origin.site, .size = event->size_bytes,
                                              .kind = (uint8_t)event->kind, .order = (uint8_t)event->order}};
    shadow_access(&checker->shadow, region, &now);
    tell_news(checker);
    return true;
}

static __attribute__((noinline)) void plain_access(struct checker *checker, const struct access_event *event)
{
    if (!checker_take_whole(checker, event) && !checker_take_reads(checker, event))
        checker_access_lanes(checker, event, event->mask);
}

static void atomic_access(struct checker *checker, const struct access_event *event)
{
    if (checker->atomics_wanted)
        misuse_access(&checker->misuse, event);
    if (!checker->races_wanted)
        return;
    checker->time++;
    man(checker, &event->origin, event->lane_count);
    if (event->failed ? !checker_take_exchanges(checker, event) : !checker_take_atomics(checker, event))
        (event->failed ? checker_access_lanes : checker_update_lanes)(checker, event, event->mask);
}

static void on_access(void *self, const struct access_event *event)
{
    struct checker *checker = self;
    if (event->kind > ACCESS_WRITE) {
        atomic_access(checker, event);
        return;
    }
    if (!checker->races_wanted)
        return;
    checker->time++;
    man(checker, &event->origin, event->lane_count);
    if (!stands_early(checker, event) && !take_alone(checker, event))
        plain_access(checker, event);
}

/* Contexts count ticks in 32 bits. */
static bool ticks_ran_out(struct checker *checker)
{
    return checker->order.failed |= checker->order.tick > UINT32_MAX;
}

static void on_race(void *self, const struct race *race, const struct shadow_access *now)
{
    struct checker *checker = self;
    struct shadow_access complete = *now;
    struct agent agent;
    if (ticks_ran_out(checker))
        return;
    order_agent(&checker->order, now->agent->unit, &agent);
    complete.agent = &agent;
    order_deliver(&checker->order, &agent);
    races_add(&checker->races, race, &complete, checker->time);
}

/* ---- launches ------------------------------------------------------------------------------ */

static void note_compute_unit(struct checker *checker, const struct launch_event *event)
{
    const uint64_t *count = event->launch->group_count, groups = count[0] * count[1] * count[2];
    if (groups > checker->unit_room) {
        free(checker->compute_units);
        checker->compute_units = calloc(groups, sizeof *checker->compute_units);
        checker->unit_room = checker->compute_units ? groups : 0;
    }
    if (checker->compute_units)
        checker->compute_units[event->group_linear] = event->compute_unit;
    checker->races.compute_units = checker->compute_units;
}

static void say_failure(struct checker *checker)
{
    if (checker->told_failure || !(checker->shadow.failed || checker->order.failed || checker->order.pool.failed || checker->races.failed))
        return;
    checker->told_failure = true;
    checker->races_wanted = false;
    fputs("orrery: race checking ends here: out of memory\n", stderr);
    if (checker->races.report)
        report_miss(checker->races.report, CHECK_RACES);
}

static void launch_ends(struct checker *checker, const struct launch_info *launch)
{
    if (checker->has_sink)
        checker_hand_over(checker, launch);
    checker->ended_count = 0; /* what they knew goes with the order */
    races_end(&checker->races);
    ticks_ran_out(checker);
    say_failure(checker);
    order_launch_end(&checker->order);
    for (uint32_t i = 0; i < checker_shadow_count(checker); i++) {
        struct shadow_region *region = checker_shadow_number(checker, i);
        if (region && !region->in_place)
            shadow_forget(region);
        if (region)
            region->atomic = false;
    }
}

static void on_launch(void *self, const struct launch_event *event)
{
    struct checker *checker = self;
    switch (event->phase) {
    case LAUNCH_BEGIN:
        checker->crew.launch = NULL;
        checker->actor.serial = 0;
        order_launch_begin(&checker->order, event->launch);
        checker->held_count = 0;
        races_begin(&checker->races, event->launch);
        misuse_begin(&checker->misuse);
        break;
    case LAUNCH_END: launch_ends(checker, event->launch); break;
    case GROUP_BEGIN: note_compute_unit(checker, event); break;
    case GROUP_END:
        if (checker->held_count)
            checker_release_held(checker, event->group_linear, true);
        checker_keep_group(checker, event);
        checker->actor.serial = 0;
        order_group_end(&checker->order, event->group_linear);
        order_rest(&checker->order);
        break;
    }
}

/* ---- life ------------------------------------------------------------------------------------- */

struct checker *checker_new(const struct memory *memory, struct report *report, const struct scenario *scenario,
                            const struct checker_host *host)
{
    struct checker *checker = calloc(1, sizeof *checker);
    if (!checker)
        return NULL;
    checker->memory = memory;
    checker->scenario = scenario;
    checker->host = *host;
    checker->races_wanted = scenario->checks[CHECK_RACES] != SEVERITY_OFF;
    checker->atomics_wanted = scenario->checks[CHECK_ATOMICS] != SEVERITY_OFF;
    order_init(&checker->order, scenario->device.scope_rule);
    checker->order.history = &checker->history;
    checker->order.ways = checker->ways;
    checker->spare.most = SPARE_BYTES;
    checker->shadow = (struct shadow){.order = &checker->order, .self = checker, .race = on_race, .tallies = checker->races.recent, .time = &checker->time,
                                      .enough = TALLY_ENOUGH};
    checker->races = (struct races){.report = report, .host = &checker->host, .memory = memory, .order = &checker->order};
    checker->misuse = (struct misuse){.report = report, .host = &checker->host, .scenario = scenario};
    return checker;
}

void checker_forgo_history(struct checker *checker)
{
    checker->history.forgone = checker->history.full = true;
}

void checker_rest(struct checker *checker)
{
    order_rest_all(&checker->order);
}

void checker_count_races(struct checker *checker, uint64_t enough)
{
    checker->shadow.enough = enough;
}

const uint64_t *checker_ways(const struct checker *checker)
{
    return checker->ways;
}

bool checker_failed(const struct checker *checker)
{
    return checker->told_failure;
}

void checker_free(struct checker *checker)
{
    if (!checker)
        return;
    for (uint32_t i = 0; i < checker->region_room; i++) {
        if (checker->regions[i])
            shadow_region_fini(checker->regions[i]);
        free(checker->regions[i]);
    }
    windows_fini(&checker->windows);
    races_end(&checker->races);
    order_fini(&checker->order);
    history_fini(&checker->history);
    misuse_fini(&checker->misuse);
    free(checker->regions);
    free(checker->compute_units);
    free(checker->ended);
    free(checker->held);
    free(checker);
}

void checker_observer(struct checker *checker, struct observer *out_observer)
{
    *out_observer = (struct observer){.self = checker, .access = on_access, .sync = checker_on_sync, .launch = on_launch};
}

void checker_set_sink(struct checker *checker, const struct footprint_sink *sink)
{
    checker->sink = *sink;
    checker->has_sink = true;
}
