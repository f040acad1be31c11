/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waves that wait at barriers and group functions. Waves wait together if they wait at one site, in one
 * iteration of the loops around it, for the same kind of group. A wait within a sub-group is completed as
 * soon as all lanes of the sub-group have arrived; a wait of the work-group when no wave is ready
 * (barrier_settle). If some work-items have not arrived then, that is a finding, and the waiting ones
 * continue.
 */
#include "barrier.h"
#include "orrery/checked.h"

#include "divergence.h"
#include "orrery/rule.h"

/* ---- what a wave waits for ----------------------------------------------------- */

static bool barrier_waits_in_sub_group(const struct wave *wave)
{
    CHECKED(wave->stop == RUN_BARRIER || wave->stop == RUN_COLLECTIVE);
    if (wave->stop == RUN_COLLECTIVE)
        return collective_scope(wave->wait->f) == SCOPE_SUB_GROUP;
    return wave->wait && wave->wait->f == 1;
}

static uint32_t sub_groups_of(uint64_t named)
{
    return (uint32_t)(named >> 32);
}

/* Non-uniform group functions (OpenCL C 3.0, 6.15.19): the active lanes take part, and no other is
 * missing. */
static bool is_non_uniform(const struct wave *wave)
{
    return wave->stop == RUN_COLLECTIVE && wave->wait->f & COLLECTIVE_NON_UNIFORM;
}

bool barrier_waits_with(const struct wave *a, const struct wave *b)
{
    return a->stop == b->stop && a->site == b->site && wave_iteration(a) == wave_iteration(b) &&
           barrier_waits_in_sub_group(a) == barrier_waits_in_sub_group(b);
}

/* ---- continuing ------------------------------------------------------------------ */

static enum sync_kind kind_of(const struct wave *wave)
{
    if (wave->stop == RUN_COLLECTIVE)
        return SYNC_COLLECTIVE;
    if (barrier_waits_in_sub_group(wave))
        return SYNC_SUB_GROUP_BARRIER;
    if (wave_at_named_barrier(wave))
        return SYNC_NAMED_BARRIER;
    return wave->wait && wave->wait->f == 2 ? SYNC_COPY_WAIT : SYNC_WORK_GROUP_BARRIER;
}

bool barrier_waits_in_work_group(const struct wave *wave)
{
    return kind_of(wave) == SYNC_WORK_GROUP_BARRIER;
}

static void announce(const struct group *group, const struct wave *wave, bool last, bool parted)
{
    const struct observer *observer = group->launch->observer;
    if (!observer || !observer->sync)
        return;
    if (kind_of(wave) == SYNC_COPY_WAIT) {
        wave_announce_wait(wave, wave->wait, last);
        return;
    }
    const struct site *site = launch_site(group->launch, wave->site);
    struct sync_event event = {.origin = wave->origin,
                               .kind = kind_of(wave),
                               .regions = site->regions,
                               .order = site->order,
                               .scope = site->scope,
                               .lane_count = wave->lane_count,
                               .mask = wave->active.word,
                               .last = last,
                               .parted = parted};
    event.origin.site = wave->site;
    observer->sync(observer->self, &event);
}

/* Completes the wait of the waves at `indices`; parted: other waves of the work-group wait elsewhere. */
static void pass(struct group *group, const uint32_t *indices, uint32_t count, bool parted)
{
    CHECKED(count > 0 && count <= group->wave_count);
    struct wave **stopped = group->stopped;
    for (uint32_t i = 0; i < count; i++) {
        stopped[i] = group->waves[indices[i]].wave;
        announce(group, stopped[i], i + 1 == count, parted);
    }
    if (stopped[0]->stop == RUN_COLLECTIVE)
        collective_perform(stopped, count,
                           barrier_waits_in_sub_group(stopped[0]) ? group->launch->info.sub_group_size : 0);
    group->fresh = true;
    for (uint32_t i = 0; i < count; i++) {
        if (group->waves[indices[i]].state != WAVE_WAITS)
            continue;
        group->waves[indices[i]].state = WAVE_READY;
        group->waves[indices[i]].reported = (lane_mask){{0}};
        group->waves[indices[i]].watched.epoch = 0;
        if (!group->laps.cycles)
            group->waves[indices[i]].unchanged_steps = 0;
        if (!group->laps.cycles && !barrier_waits_in_sub_group(stopped[i])) /* other sub-groups go on */
            group->waves[indices[i]].priority_steps = 0;
        CHECKED(group->ready_count < group->alive_count);
        group->ready_count++;
    }
}

void barrier_pass(struct group *group, const uint32_t *indices, uint32_t count)
{
    pass(group, indices, count, false);
}

/* Appends to group->picked the waves of [from, to) that wait together with the lead; returns the new
 * count. */
static uint32_t pick_same(struct group *group, uint32_t lead, uint32_t from, uint32_t to, uint32_t count)
{
    const struct wave *wave = group->waves[lead].wave;
    for (uint32_t i = from; i < to; i++)
        if (i != lead && group->waves[i].state == WAVE_WAITS &&
            barrier_waits_with(group->waves[i].wave, wave))
            group->picked[count++] = i;
    return count;
}

/* ---- sub-groups -------------------------------------------------------------------- */

/* A cluster: the lanes of a wave that holds whole sub-groups, or of a sub-group that needs several waves. */
static uint32_t cluster_lanes(const struct group *group)
{
    uint32_t sub_group = group->launch->info.sub_group_size, lanes = group->launch->tiling.wave_lanes;
    return sub_group > lanes ? sub_group : lanes;
}

static uint32_t first_lane_of(const struct wave *wave)
{
    return wave->origin.first_lane + lane_mask_next(&wave->active, 0);
}

static uint32_t sub_group_items(const struct group *group, uint32_t sub_group)
{
    CHECKED(sub_group * group->launch->info.sub_group_size < group->tile.lane_count);
    uint32_t size = group->launch->info.sub_group_size, left = group->tile.lane_count - sub_group * size;
    return left < size ? left : size;
}

/* The number of waiting lanes of each sub-group of the cluster that starts at lane `base`. */
struct arrival_counter {
    uint32_t base, count[WAVE_LANES_MAX];
};

static void arrival_counter_add(struct arrival_counter *arrival_counter, const struct group *group,
                                const struct wave *wave)
{
    uint32_t size = group->launch->info.sub_group_size;
    for (uint32_t lane = lane_mask_next(&wave->active, 0); lane < WAVE_LANES_MAX;
         lane = lane_mask_next(&wave->active, lane + 1))
        arrival_counter->count[(wave->origin.first_lane + lane - arrival_counter->base) / size]++;
}

/* The first sub-group from `from` on of which some lanes wait and some do not; UINT32_MAX: none. */
static uint32_t arrival_counter_partial_from(const struct arrival_counter *arrival_counter,
                                             const struct group *group, uint32_t from)
{
    uint32_t first = arrival_counter->base / group->launch->info.sub_group_size;
    for (uint32_t i = from > first ? from - first : 0; i < WAVE_LANES_MAX; i++)
        if (arrival_counter->count[i] && arrival_counter->count[i] < sub_group_items(group, first + i))
            return first + i;
    return UINT32_MAX;
}

static uint32_t arrival_counter_partial(const struct arrival_counter *arrival_counter,
                                        const struct group *group)
{
    return arrival_counter_partial_from(arrival_counter, group, 0);
}

static uint32_t cluster_base(const struct group *group, const struct wave *wave)
{
    uint32_t lanes = cluster_lanes(group);
    return first_lane_of(wave) / lanes * lanes;
}

static bool holds_whole_sub_groups(const struct group *group, const struct wave *wave)
{
    struct arrival_counter arrival_counter = {.base = cluster_base(group, wave)};
    arrival_counter_add(&arrival_counter, group, wave);
    return arrival_counter_partial(&arrival_counter, group) == UINT32_MAX;
}

/* Picks the waves of the lead's cluster that wait together with it. */
static uint32_t pick_cluster(struct group *group, uint32_t lead, struct arrival_counter *arrival_counter)
{
    uint32_t lanes = group->launch->tiling.wave_lanes, base = cluster_base(group, group->waves[lead].wave);
    uint32_t from = base / lanes, to = (base + cluster_lanes(group) - 1) / lanes + 1;
    if (to > group->base_count)
        to = group->base_count;
    group->picked[0] = lead;
    uint32_t found = pick_same(group, lead, from, to, 1);
    found = pick_same(group, lead, group->base_count, group->wave_count, found);

    uint32_t count = 0;
    *arrival_counter = (struct arrival_counter){.base = base};
    for (uint32_t i = 0; i < found; i++) {
        const struct wave *wave = group->waves[group->picked[i]].wave;
        if (cluster_base(group, wave) != base)
            continue;
        arrival_counter_add(arrival_counter, group, wave);
        group->picked[count++] = group->picked[i];
    }
    return count;
}

static uint32_t sub_group_of_lane(const struct group *group, const struct wave *wave, uint32_t lane)
{
    return (wave->origin.first_lane + lane) / group->launch->info.sub_group_size;
}

static lane_mask lanes_of_sub_group(const struct group *group, const struct wave *wave, uint32_t sub_group)
{
    lane_mask lanes = {{0}};
    for (uint32_t lane = lane_mask_next(&wave->active, 0); lane < WAVE_LANES_MAX;
         lane = lane_mask_next(&wave->active, lane + 1))
        if (sub_group_of_lane(group, wave, lane) == sub_group)
            lanes.word[lane / 64] |= UINT64_C(1) << lane % 64;
    return lanes;
}

/* An earlier finding of this wait named all these lanes of the sub-group. */
static bool were_reported(const struct group *group, uint32_t count, uint32_t sub_group)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct group_wave *waiting = &group->waves[group->picked[i]];
        const lane_mask lanes = lanes_of_sub_group(group, waiting->wave, sub_group),
                        unreported = lane_mask_minus(&lanes, &waiting->reported);
        if (!lane_mask_empty(&unreported))
            return false;
    }
    return true;
}

static void report_waiting(struct group *group, uint32_t sub_group)
{
    for (uint32_t i = 0; i < group->wave_count; i++) {
        if (group->waves[i].state != WAVE_WAITS || !barrier_waits_in_sub_group(group->waves[i].wave))
            continue;
        const lane_mask lanes = lanes_of_sub_group(group, group->waves[i].wave, sub_group);
        for (int k = 0; k < LANE_MASK_WORDS; k++)
            group->waves[i].reported.word[k] |= lanes.word[k];
    }
}

/* Reports, once for each incomplete sub-group, which work-items wait at which place. Then the lead's waves
 * continue, and may reach the place at which the others wait. */
static void settle_cluster(struct group *group, uint32_t lead)
{
    struct arrival_counter arrival_counter;
    const uint32_t count = pick_cluster(group, lead, &arrival_counter);
    uint32_t partial = arrival_counter_partial(&arrival_counter, group);
    if (group->faulted || is_non_uniform(group->waves[lead].wave))
        partial = UINT32_MAX;
    for (; partial != UINT32_MAX;
         partial = arrival_counter_partial_from(&arrival_counter, group, partial + 1)) {
        if (were_reported(group, count, partial))
            continue;
        divergence_report(group, group->picked, count, partial);
        report_waiting(group, partial);
    }
    barrier_pass(group, group->picked, count);
}

/* ---- named barriers: waves of one sub-group each, and one barrier ------------------------ */

static uint64_t named_of(const struct wave *wave)
{
    return wave_named_barrier(wave, lane_mask_next(&wave->active, 0));
}

/* The lanes of another sub-group than the first lane's, or at another named barrier. */
static lane_mask lanes_apart(const struct group *group, const struct wave *wave)
{
    const uint32_t first = lane_mask_next(&wave->active, 0),
                   sub_group = sub_group_of_lane(group, wave, first);
    const uint64_t named = wave_named_barrier(wave, first);
    lane_mask apart = {{0}};
    for (uint32_t lane = first; lane < WAVE_LANES_MAX; lane = lane_mask_next(&wave->active, lane + 1))
        if (sub_group_of_lane(group, wave, lane) != sub_group || wave_named_barrier(wave, lane) != named)
            apart.word[lane / 64] |= UINT64_C(1) << lane % 64;
    return apart;
}

/* Picks the waves that wait at the named barrier; whole: only those whose whole sub-group has arrived. */
static uint32_t pick_named(struct group *group, uint64_t named, bool whole, uint32_t *out_sub_groups)
{
    uint32_t count = 0;
    *out_sub_groups = 0;
    for (uint32_t i = 0; i < group->wave_count; i++) {
        const struct wave *wave = group->waves[i].wave;
        if (group->waves[i].state != WAVE_WAITS || !wave_at_named_barrier(wave) || named_of(wave) != named)
            continue;
        const uint32_t sub_group = sub_group_of_lane(group, wave, lane_mask_next(&wave->active, 0));
        uint32_t lanes = 0;
        bool first = true;
        for (uint32_t k = 0; k < group->wave_count; k++) {
            const struct wave *other = group->waves[k].wave;
            if (group->waves[k].state != WAVE_WAITS || !wave_at_named_barrier(other) ||
                named_of(other) != named ||
                sub_group_of_lane(group, other, lane_mask_next(&other->active, 0)) != sub_group)
                continue;
            lanes += lane_mask_count(&other->active);
            first &= k >= i;
        }
        const bool complete = lanes == sub_group_items(group, sub_group);
        *out_sub_groups += first && complete;
        if (complete || !whole)
            group->picked[count++] = i;
    }
    return count;
}

static void try_named(struct group *group, uint32_t index)
{
    const uint64_t named = named_of(group->waves[index].wave);
    uint32_t sub_groups, count = pick_named(group, named, true, &sub_groups);
    if (count && sub_groups >= sub_groups_of(named) && sub_groups_of(named))
        barrier_pass(group, group->picked, count);
}

static void named_arrived(struct group *group, uint32_t index)
{
    for (;;) {
        const lane_mask apart = lanes_apart(group, group->waves[index].wave);
        const uint32_t rest =
            lane_mask_empty(&apart) ? UINT32_MAX : group_split_waiting(group, index, &apart);
        try_named(group, index);
        if (rest == UINT32_MAX)
            return;
        index = rest;
    }
}

static uint32_t first_named(const struct group *group)
{
    for (uint32_t i = 0; i < group->wave_count; i++)
        if (group->waves[i].state == WAVE_WAITS && wave_at_named_barrier(group->waves[i].wave))
            return i;
    return UINT32_MAX;
}

static void settle_named(struct group *group, uint32_t lead)
{
    const uint64_t named = named_of(group->waves[lead].wave);
    uint32_t sub_groups, count = pick_named(group, named, false, &sub_groups);
    CHECKED(count > 0); /* the lead waits there */
    if (group->faulted == 0)
        divergence_report_named(group, group->picked[0], sub_groups, sub_groups_of(named));
    barrier_pass(group, group->picked, count);
}

/* The wave's waiting lanes whose sub-group has arrived as a whole; if not whole: only in part. */
static lane_mask lanes_counted(const struct group *group, const struct wave *wave,
                               const struct arrival_counter *arrival_counter, bool whole)
{
    const uint32_t first = arrival_counter->base / group->launch->info.sub_group_size;
    lane_mask lanes = {{0}};
    for (uint32_t lane = lane_mask_next(&wave->active, 0); lane < WAVE_LANES_MAX;
         lane = lane_mask_next(&wave->active, lane + 1)) {
        const uint32_t sub_group = sub_group_of_lane(group, wave, lane);
        if ((arrival_counter->count[sub_group - first] == sub_group_items(group, sub_group)) == whole)
            lanes.word[lane / 64] |= UINT64_C(1) << lane % 64;
    }
    return lanes;
}

/*
 * Of the waves that wait together, those with whole sub-groups alone, into group->picked. Sub-groups do not
 * wait for each other, so a wave of several is split where some are whole; without memory for that its lanes
 * wait on.
 */
static uint32_t pick_whole(struct group *group, uint32_t count, const struct arrival_counter *arrival_counter)
{
    uint32_t complete = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t index = group->picked[i];
        const lane_mask whole = lanes_counted(group, group->waves[index].wave, arrival_counter, true);
        const lane_mask part = lanes_counted(group, group->waves[index].wave, arrival_counter, false);
        if (lane_mask_empty(&whole))
            continue;
        const uint32_t own = lane_mask_empty(&part) ? index : group_split_waiting(group, index, &whole);
        if (own != UINT32_MAX)
            group->picked[complete++] = own;
    }
    return complete;
}

/* ---- called by group.c ------------------------------------------------------------------- */

bool barrier_passes_alone(const struct group *group, const struct wave *wave)
{
    if (barrier_waits_in_sub_group(wave))
        return holds_whole_sub_groups(group, wave);
    if (wave_at_named_barrier(wave))
        return false;
    return lane_mask_count(&wave->active) == group->tile.lane_count;
}

void barrier_arrived(struct group *group, uint32_t index)
{
    CHECKED(group->waves[index].state == WAVE_WAITS);
    if (wave_at_named_barrier(group->waves[index].wave)) {
        named_arrived(group, index);
        return;
    }
    if (!barrier_waits_in_sub_group(group->waves[index].wave))
        return;
    struct arrival_counter arrival_counter;
    uint32_t count = pick_cluster(group, index, &arrival_counter);
    if (arrival_counter_partial(&arrival_counter, group) != UINT32_MAX)
        count = pick_whole(group, count, &arrival_counter);
    if (count)
        barrier_pass(group, group->picked, count);
}

static uint32_t waiting_lanes(const struct group *group, uint32_t count)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < count; i++)
        lanes += lane_mask_count(&group->waves[group->picked[i]].wave->active);
    return lanes;
}

static uint32_t first_waiting(const struct group *group)
{
    for (uint32_t i = 0; i < group->wave_count; i++)
        if (group->waves[i].state == WAVE_WAITS && !barrier_waits_in_sub_group(group->waves[i].wave))
            return i;
    return UINT32_MAX;
}

static uint32_t pick_place(struct group *group, uint32_t lead)
{
    group->picked[0] = lead;
    return pick_same(group, lead, 0, group->wave_count, 1);
}

static bool waits_elsewhere(const struct group *group, uint32_t lead)
{
    for (uint32_t i = 0; i < group->wave_count; i++)
        if (group->waves[i].state == WAVE_WAITS && !barrier_waits_in_sub_group(group->waves[i].wave) &&
            !barrier_waits_with(group->waves[i].wave, group->waves[lead].wave))
            return true;
    return false;
}

/* Reports which work-items wait at which place; then the waves of each place continue. */
static void settle_work_group(struct group *group)
{
    uint32_t lead = first_waiting(group);
    CHECKED(lead != UINT32_MAX); /* no wave is ready, and some are alive */
    uint32_t count = pick_place(group, lead);
    const bool parted = waits_elsewhere(group, lead);
    if (waiting_lanes(group, count) + group->faulted < group->tile.lane_count && RULE(18))
        divergence_report(group, group->picked, count, DIVERGENCE_WORK_GROUP);
    for (; lead != UINT32_MAX; lead = first_waiting(group)) {
        count = pick_place(group, lead);
        pass(group, group->picked, count, parted);
    }
}

/* Of the waves that wait within their sub-group, the one whose next instruction comes first in the code:
 * it may still reach the place of the others. */
static uint32_t earliest_in_code(const struct group *group)
{
    uint32_t lead = UINT32_MAX;
    for (uint32_t i = 0; i < group->wave_count; i++)
        if (group->waves[i].state == WAVE_WAITS && barrier_waits_in_sub_group(group->waves[i].wave) &&
            (lead == UINT32_MAX || group->waves[i].wave->resume < group->waves[lead].wave->resume))
            lead = i;
    return lead;
}

void barrier_settle(struct group *group)
{
    uint32_t lead = earliest_in_code(group);
    if (lead != UINT32_MAX)
        settle_cluster(group, lead);
    else if ((lead = first_named(group)) != UINT32_MAX)
        settle_named(group, lead);
    else
        settle_work_group(group);
}
