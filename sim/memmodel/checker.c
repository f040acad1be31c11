/* SPDX-License-Identifier: Apache-2.0 */
/* The checker as an observer of launches. Plain accesses take the first of these ways that applies: a cursor
 * of the affine filter (checker_state.h); a single lane of a group that synchronises, straight into the
 * shadow; the filters (checker_waves.c); lane by lane (checker_lanes.c). Atomics go to checker_updates.c,
 * fences and barriers to checker_sync.c. This file also begins and ends launches. */
#include "checker_state.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/memmodel/explain/wording.h"

/* ---- accesses -------------------------------------------------------------------------- */

/* A plain access by one work-item, of an allocation whose accesses are all in the shadow. */
static __attribute__((noinline)) void take_single(struct checker *checker, const struct access_event *event,
                                                  uint64_t lane)
{
    struct shadow_access *now = &checker->alone.now;
    const struct unit_state *unit_state = now->unit_state = single_actor(checker, lane);
    now->how.clock = (uint32_t)(unit_state->item ? order_member_segment(unit_state->group, unit_state->item)
                                                 : order_segment(unit_state));
    now->how.site = event->origin.site;
    now->how.size = event->size_bytes;
    now->how.kind = (uint8_t)event->kind;
    now->how.order = (uint8_t)event->order;
    now->address = event->base;
    shadow_access(&checker->shadow, checker->alone.region, now);
    report_new_races(checker, event);
}

static inline bool is_single(const struct access_event *event, uint64_t *out_lane)
{
    return event->shape == ADDRESS_UNIFORM && !event->copy && !event->image &&
           only_lane(event->mask, event->lane_count, out_lane);
}

/* Remembers wave and allocation, so that the wave's next single accesses there need not be tested again. */
static bool take_first_single(struct checker *checker, const struct access_event *event)
{
    uint64_t lane;
    if (checker->order.formal || !checker->wave_items.one_group || !checker->order.groups ||
        !is_single(event, &lane))
        return false;
    struct shadow_region *region = region_at(checker, event->base);
    if (!region || !region->affine_filter.replayed || region->space != IN_GLOBAL)
        return false;
    checker->alone.wave_items = checker->wave_items.serial;
    checker->alone.region = region;
    take_single(checker, event, lane);
    return true;
}

static __attribute__((noinline)) void plain_access(struct checker *checker, const struct access_event *event)
{
    if (!take_first_single(checker, event) && !checker_take_whole(checker, event))
        checker_access_lanes(checker, event, event->mask);
}

static __attribute__((noinline)) void access_of_single_or_wave(struct checker *checker,
                                                               const struct access_event *event)
{
    uint64_t lane;
    if (!is_in(checker->alone.region, event->base) || !is_single(event, &lane))
        plain_access(checker, event);
    else
        take_single(checker, event, lane);
}

static __attribute__((noinline)) void access_of_new_wave(struct checker *checker,
                                                         const struct access_event *event)
{
    if (!checker->races_wanted)
        return;
    checker_begin_wave(checker, &event->origin, event->lane_count);
    plain_access(checker, event);
}

static __attribute__((noinline)) void access_by_cursor_or_wave(struct checker *checker,
                                                               const struct access_event *event)
{
    if (!cursor_takes_early(checker, event))
        plain_access(checker, event);
}

static void on_access(void *self, const struct access_event *event)
{
    struct checker *checker = self;
    checker->order.event = ++checker->time;
    if (event->kind > ACCESS_WRITE)
        checker_atomic_access(checker, event);
    else if (!wave_items_spans(&checker->wave_items, &event->origin, event->lane_count))
        access_of_new_wave(checker, event);
    else if (checker->alone.wave_items == checker->wave_items.serial)
        access_of_single_or_wave(checker, event);
    else
        access_by_cursor_or_wave(checker, event);
}

/* The shadow's contexts have 32 bits for a clock value. */
static bool clocks_ran_out(struct checker *checker)
{
    return checker->order.failed |= checker->order.clock > UINT32_MAX;
}

/* Once a vector clock is missing for want of memory, accesses that it would order look like races. So nothing
 * is reported from then on. */
static bool has_failed(struct checker *checker)
{
    return clocks_ran_out(checker) || order_lacks_memory(&checker->order) || checker->shadow.failed;
}

/* A note for the user: the filters do not decide this kernel's accesses, which makes the run slow. */
void checker_note_cost(struct checker *checker, const struct access_event *event)
{
    const struct shadow_region *region = checker->shadow.heavy;
    char object[CHECKER_NAME_CHARS] = "";
    struct wording text = {.used = 0};
    checker->shadow.heavy = NULL;
    checker->host.object(checker->host.self, region->low, object, sizeof object);
    wording_add(&text,
                "kernel '%s', %s: data races are looked for access by access in %s, which makes the run "
                "slow: %s; --check-races=off leaves this check out",
                event->origin.launch->kernel, AT(&checker->host, event->origin.site),
                object[0] ? object : "memory",
                region->racer_cells ? "work-items race there"
                : region->atomic    ? "atomics and plain accesses meet there"
                                    : "several work-items touch the same bytes, one after another");
    report_note(checker->races.report, text.bytes);
}

static void on_race(void *self, const struct race *race, const struct shadow_access *now)
{
    struct checker *checker = self;
    struct shadow_access complete = *now;
    struct unit_state unit_state;
    if (has_failed(checker))
        return;
    order_unit_state(&checker->order, now->unit_state->unit, &unit_state);
    complete.unit_state = &unit_state;
    order_deliver(&checker->order, &unit_state);
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

static void report_failure(struct checker *checker)
{
    if (checker->reported_failure || !(has_failed(checker) || checker->races.failed))
        return;
    checker->reported_failure = true;
    checker->races_wanted = false;
    fputs("orrery: race checking ends here: out of memory\n", stderr);
    if (checker->races.report)
        report_miss(checker->races.report, CHECK_RACES);
}

static void launch_ends(struct checker *checker, const struct launch_info *launch)
{
    if (checker->has_sink)
        checker_hand_over(checker, launch);
    checker->ended_count = checker->clock_snapshot_count = 0; /* order_launch_end frees their vector clocks */
    if (has_failed(checker))
        memset(checker->shadow.lost, 0, sizeof checker->shadow.lost);
    races_end(&checker->races);
    report_failure(checker);
    order_launch_end(&checker->order);
    for (uint32_t i = 0; i < checker_shadow_count(checker); i++) {
        struct shadow_region *region = checker_shadow_number(checker, i);
        if (region->uncollected)
            epoch_filter_close(&region->epoch_filter);
        else
            shadow_forget(region);
        region->atomic = region->watched = false;
    }
    checker->watched_count = 0;
}

static void on_launch(void *self, const struct launch_event *event)
{
    struct checker *checker = self;
    switch (event->phase) {
    case LAUNCH_BEGIN:
        checker->wave_items.launch = NULL;
        checker->actor.serial = 0;
        order_launch_begin(&checker->order, event->launch);
        checker->apart_items = event->launch->acquires <= SCOPE_WORK_GROUP ? checker->order.group_items : 0;
        checker->held.count = 0;
        races_begin(&checker->races, event->launch);
        misuse_begin(&checker->misuse);
        break;
    case LAUNCH_END: launch_ends(checker, event->launch); break;
    case GROUP_BEGIN: note_compute_unit(checker, event); break;
    case GROUP_END:
        if (checker->held.count)
            checker_perform_deferred(checker, event->group_linear);
        checker_keep_group(checker, event);
        checker->actor.serial = 0;
        order_group_end(&checker->order, event->group_linear);
        order_pack(&checker->order);
        break;
    }
}

/* ---- life ------------------------------------------------------------------------------------- */

struct checker *checker_new(const struct memory *memory, struct report *report,
                            const struct scenario *scenario, const struct checker_host *host)
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
    checker->order.sync_log = &checker->sync_log;
    checker->order.fast_paths = checker->fast_paths;
    checker->spare.most = SPARE_BYTES;
    checker->shadow = (struct shadow){.order = &checker->order,
                                      .self = checker,
                                      .race = on_race,
                                      .counters = checker->races.recent,
                                      .time = &checker->time,
                                      .enough = COUNTER_ENOUGH,
                                      .note_after = NOTE_AFTER};
    checker->races = (struct races){.report = report,
                                    .host = &checker->host,
                                    .memory = memory,
                                    .order = &checker->order,
                                    .lost = checker->shadow.lost};
    checker->misuse = (struct misuse){.report = report, .host = &checker->host, .scenario = scenario};
    return checker;
}

void checker_want(struct checker *checker, const struct checker *other)
{
    checker->races_wanted = other->races_wanted;
    checker->atomics_wanted = other->atomics_wanted;
}

void checker_accompany(struct checker *checker)
{
    checker->races.accompanied = true;
}

void checker_set_order_queries(struct checker *checker, const struct order_queries *order_queries)
{
    checker->shadow.order_queries = order_queries;
}

uint64_t checker_clock(const struct checker *checker)
{
    return checker->order.clock;
}

void checker_forgo_sync_log(struct checker *checker)
{
    checker->sync_log.forgone = checker->sync_log.full = true;
}

void checker_run_out_of_memory(struct checker *checker)
{
    checker->order.pool.failed = true;
}

void checker_hurry(struct checker *checker, uint64_t most)
{
    checker->races.answer_most = most;
}

void checker_pack_atomics(struct checker *checker)
{
    order_pack_all(&checker->order);
}

void checker_count_races(struct checker *checker, uint64_t enough)
{
    checker->shadow.enough = enough;
}

void checker_note_after(struct checker *checker, uint64_t accesses)
{
    checker->shadow.note_after = accesses;
}

uint64_t checker_compared(const struct checker *checker)
{
    return checker->shadow.work.compared;
}

const uint64_t *checker_fast_paths(const struct checker *checker)
{
    return checker->fast_paths;
}

bool checker_failed(const struct checker *checker)
{
    return checker->reported_failure;
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
    sync_log_fini(&checker->sync_log);
    misuse_fini(&checker->misuse);
    free(checker->regions);
    free(checker->watched);
    free(checker->compute_units);
    free(checker->ended);
    free(checker->clock_snapshots);
    deferred_copy_fini(&checker->held);
    free(checker);
}

void checker_observer(struct checker *checker, struct observer *out_observer)
{
    *out_observer =
        (struct observer){.self = checker, .access = on_access, .sync = checker_on_sync, .launch = on_launch};
}

void checker_set_sink(struct checker *checker, const struct footprint_sink *sink)
{
    checker->sink = *sink;
    checker->has_sink = true;
}
