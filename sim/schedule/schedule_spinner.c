/* SPDX-License-Identifier: Apache-2.0 */
/* What a spinning wave reads. The wave runs for one more iteration of its loop with an observer in front
 * of its own; it spins, so this changes no state that matters. Of several reads the one with the highest
 * wait_rank is taken for the one that it waits for. */
#include <string.h>

#include "sim/device/object_name.h"
#include "schedule_livelock.h"

enum { ROUND_SLICES = 256 }; /* time slices until the wave must be back in its state */

/* ---- spinning waves and their places ----------------------------------------------------------- */

static enum wait_rank rank_of(const struct observed *observed, const struct access_event *event,
                              uint64_t address)
{
    const struct launch *launch = observed->launch;
    const struct region *region = memory_region(&launch->arena->memory, address);
    if (event->kind >= ACCESS_ATOMIC_READ)
        return WAIT_ATOMIC;
    const bool written = region->kind == REGION_NONE ||
                         object_may_be_written(&launch->info, region->low, region->high),
               controls = launch_site(launch, event->origin.site)->controls_branch;
    if (controls)
        return written ? WAIT_BRANCH_PLAIN : WAIT_BRANCH_CONSTANT;
    return written ? WAIT_PLAIN : WAIT_CONSTANT;
}

/* Are the bytes within the region, and few enough to be printed as one number? */
static bool has_value(const struct region *region, uint64_t address, uint64_t bytes)
{
    const bool inside = address >= region->low && address < region->high && bytes <= region->high - address;
    return inside && bytes <= sizeof(uint64_t);
}

static void add_read(struct observed *observed, const struct access_event *event, uint32_t lane,
                     uint64_t address)
{
    const struct memory *memory = &observed->launch->arena->memory;
    const struct region *region = memory_region(memory, address);
    if (observed->read_count == READS_MOST || !has_value(region, address, event->size_bytes))
        return;
    for (uint32_t i = 0; i < observed->read_count; i++)
        if (observed->read[i].address == address)
            return;
    observed->read[observed->read_count++] =
        (struct observed_read){.address = address,
                               .value = memory_value(memory, address, event->size_bytes),
                               .size = event->size_bytes,
                               .lane = lane,
                               .origin = event->origin,
                               .kind = event->kind};
}

static void add_reads(struct observed *observed, const struct access_event *event)
{
    for (uint32_t lane = 0; lane < event->lane_count; lane++)
        if (lane_in(event->mask, lane))
            add_read(observed, event, lane, lane_address(event, lane));
}

static void observe(void *self, const struct access_event *event)
{
    struct observed *observed = self;
    uint32_t first = 0;
    while (first < event->lane_count && !lane_in(event->mask, first))
        first++;
    if (event->kind == ACCESS_WRITE || first == event->lane_count)
        return;
    const enum wait_rank rank = rank_of(observed, event, lane_address(event, first));
    const bool better = rank > observed->rank;
    if (better) {
        observed->rank = rank;
        observed->read_count = 0;
    }
    if (rank == observed->rank)
        add_reads(observed, event);
    if (!better)
        return;
    observed->known = true;
    observed->updates = false;
    observed->event = *event;
    memset(observed->at, 0, sizeof observed->at);
    for (uint32_t lane = event->lane_count; lane-- > 0;) {
        if (!lane_in(event->mask, lane))
            continue;
        observed->lane = lane;
        observed->address = observed->at[lane] = lane_address(event, lane);
        observed->updates |= event->kind == ACCESS_ATOMIC_UPDATE && !lane_in(event->failed, lane);
    }
}

static void forward_sync(void *self, const struct sync_event *event)
{
    const struct observed *observed = self;
    if (observed->listener && observed->listener->sync)
        observed->listener->sync(observed->listener->self, event);
}

static void settle(struct group *group)
{
    if (group->ready_count || group_finished(group))
        return;
    if (group->held_count)
        group_release_held(group);
    else
        group_settle(group);
}

/* Runs the waves that this one waits for at a barrier. */
static void run_others(struct group *group, uint32_t index)
{
    for (uint32_t i = 0; i < group->wave_count && group->waves[index].state == WAVE_WAITS; i++)
        if (group->waves[i].state == WAVE_READY)
            group_run(group, i, 1);
    settle(group);
}

static void note_stop(struct observed *observed, const struct insn *resume)
{
    uint32_t i = 0;
    while (i < observed->stop_count && observed->stop[i] != resume)
        i++;
    if (i == observed->stop_count && i < STOPS_MOST)
        observed->stop[observed->stop_count++] = resume;
}

/* Runs the group until the wave is back in its state; its stops until then are all the stops of the cycle. */
static void observe_lap(struct group *group, uint32_t index, struct observed *observed)
{
    const struct group_wave *slot = &group->waves[index];
    const uint64_t before = wave_fingerprint(slot->wave);
    const bool begins_ready = slot->state == WAVE_READY;
    uint32_t slices = 0;
    do {
        if (slot->state == WAVE_READY)
            group_run(group, index, 1);
        else
            run_others(group, index);
        settle(group);
        slot = &group->waves[index];
        if (slot->state == WAVE_DONE)
            break;
        note_stop(observed, slot->wave->resume);
    } while (++slices < ROUND_SLICES &&
             ((slot->state == WAVE_READY) != begins_ready || wave_fingerprint(slot->wave) != before));
    if (slices == ROUND_SLICES || observed->stop_count == STOPS_MOST)
        observed->stop_count = 0;
}

/* An atomic is taken for what the wave waits for. Of plain reads any may be, so a wave is then observed
 * until its state returns. */
static bool has_read_enough(const struct observed *observed, const struct schedule *schedule,
                            const struct wave *wave, uint64_t stands)
{
    if (schedule || observed->rank == WAIT_ATOMIC)
        return observed->known;
    return wave_fingerprint(wave) == stands;
}

/* schedule NULL: outside the schedule's time slices, since the wave only spins. */
static void listen(struct schedule *schedule, struct group *group, uint32_t index, bool laps,
                   struct observed *out_observed)
{
    enum run_result result;
    struct wave *wave = group->waves[index].wave;
    const struct observer probe = {.self = out_observed, .access = observe, .sync = forward_sync},
                          *before = wave->observer;
    *out_observed = (struct observed){.known = false, .listener = before, .launch = group->launch};
    const uint64_t stands = wave_fingerprint(wave);
    if (!before)
        wave_begin_events(wave);
    wave->observer = &probe;
    if (laps)
        observe_lap(group, index, out_observed);
    for (int slices = 0; !laps && slices < 64 && group->waves[index].state == WAVE_READY; slices++) {
        if (slices && has_read_enough(out_observed, schedule, group->waves[index].wave, stands))
            break;
        if (!schedule)
            group_run(group, index, 1);
        else if (schedule_running(schedule, group))
            schedule_slice(schedule, group, index, 1, &result);
    }
    if (!schedule)
        settle(group);
    for (uint32_t i = 0; i < group->wave_count; i++) /* also of waves that split off this one */
        if (group->waves[i].wave && group->waves[i].wave->observer == &probe)
            group->waves[i].wave->observer = before;
}

void spinner_observe(struct group *group, uint32_t index, bool laps, struct observed *out_observed)
{
    listen(NULL, group, index, laps, out_observed);
}

void spinner_observe_in_slice(struct schedule *schedule, struct group *group, uint32_t index,
                              struct observed *out_observed)
{
    listen(schedule, group, index, false, out_observed);
}

bool spinner_observes_others(const struct launch *launch, const struct observed *observed)
{
    const struct region *region = memory_region(&launch->arena->memory, observed->address);
    return observed->known && region->kind != REGION_LOCAL_VARIABLE;
}

void spinner_set_read(struct observed *observed, const struct observed_read *read)
{
    observed->event.origin = read->origin;
    observed->event.kind = read->kind;
    observed->event.size_bytes = read->size;
    observed->lane = read->lane;
    observed->address = read->address;
}

void spinner_access(const struct launch *launch, const struct wave *wave, const struct observed *observed,
                    struct finding_access *access)
{
    uint32_t site = observed->known ? observed->event.origin.site : group_wave_place(wave);
    launch_access(launch, site, access);
    if (observed->known)
        access->kind = observed->event.kind;
    access->has_item = true;
    origin_item(observed->known ? &observed->event.origin : &wave->origin,
                observed->known ? observed->lane : group_wave_first_lane(wave), &access->item);
    const struct region *region = memory_region(&launch->arena->memory, observed->address);
    if (!observed->known || !has_value(region, observed->address, observed->event.size_bytes))
        return;
    access->size_bytes = observed->event.size_bytes;
    access->has_value = true;
    access->value = memory_value(&launch->arena->memory, observed->address, access->size_bytes);
}

/* The outermost loop around the site; false: the site is in no loop. */
static bool loop_around(const struct code *code, const struct site *site, struct code_loop *out_loop)
{
    *out_loop = (struct code_loop){.low = site->rank, .high = site->rank};
    for (uint32_t i = 0; site->loop && i < code->loop_count; i++) {
        const struct code_loop *loop = &code->loops[i];
        if (loop->low <= out_loop->low && out_loop->high <= loop->high)
            *out_loop = *loop;
    }
    return site->loop && site->rank;
}

bool spinner_may_write(const struct launch *launch, const struct observed *observed)
{
    struct code_loop loop;
    const struct code *code = launch->code;
    if (!observed->known || observed->updates ||
        !loop_around(code, launch_site(launch, observed->event.origin.site), &loop))
        return true;
    for (uint32_t i = 0; i < code->site_count; i++) {
        const struct site *site = &code->sites[i];
        const bool writes = site->access == ACCESS_WRITE || site->access >= ACCESS_ATOMIC_WRITE;
        if (i == observed->event.origin.site) /* the read itself: a compare-exchange that always fails */
            continue;
        if (writes && site->storage != STORAGE_PRIVATE && site->rank >= loop.low && site->rank <= loop.high)
            return true;
    }
    return false;
}

void spinners_count(struct schedule *schedule, struct spinners *out)
{
    *out = (struct spinners){.lowest = NULL};
    for (uint32_t g = 0; g < schedule->count; g++) {
        struct group *group = schedule->resident[g];
        if (schedule_chooses(schedule->config) && !group->stepped) /* the group has not begun */
            continue;
        out->groups++;
        for (uint32_t i = 0; i < group->wave_count; i++) {
            if (group->waves[i].state == WAVE_DONE)
                continue;
            uint64_t lanes = lane_mask_count(&group->waves[i].wave->live);
            if (group->waves[i].state == WAVE_WAITS && !group->laps.cycles)
                out->wait += lanes;
            else
                out->spin += lanes;
            if (group->waves[i].state == WAVE_READY && (!out->lowest || group->number < out->lowest->number))
                out->lowest = group;
        }
    }
}

void spinner_object(const struct launch *launch, const struct observed *observed, struct finding *finding,
                    struct sentence *object)
{
    const struct region *region = memory_region(&launch->arena->memory, observed->address);
    if (!observed->known || region->kind == REGION_NONE)
        return;
    object_name(launch, region, object);
    finding->object = object->bytes;
    finding->has_offset = true;
    finding->offset_bytes = observed->address - region->low;
}
