/* SPDX-License-Identifier: Apache-2.0 */
/* What a wave that spins reads: heard while it goes round once more. */
#include "fault.h"
#include "schedule_livelock.h"

/* ---- who spins where -------------------------------------------------------------------------- */

static void hear(void *self, const struct access_event *event)
{
    struct heard *heard = self;
    bool better = !heard->known || (heard->event.kind < ACCESS_ATOMIC_READ && event->kind >= ACCESS_ATOMIC_READ);
    if (!better || event->kind == ACCESS_WRITE)
        return;
    *heard = (struct heard){.known = true, .event = *event};
    for (uint32_t lane = event->lane_count; lane-- > 0;) {
        if (!lane_in(event->mask, lane))
            continue;
        heard->lane = lane;
        heard->address = heard->at[lane] = lane_address(event, lane);
        heard->updates |= event->kind == ACCESS_ATOMIC_UPDATE && !lane_in(event->failed, lane);
    }
}

/* schedule NULL: it only spins. */
static void listen(struct schedule *schedule, struct group *group, uint32_t index, struct heard *out_heard)
{
    struct wave *wave = group->waves[index].wave;
    enum run_result result;
    const struct observer probe = {.self = out_heard, .access = hear}, *before = wave->observer;
    *out_heard = (struct heard){.known = false};
    if (!before)
        wave_begin_events(wave);
    wave->observer = &probe;
    for (int turns = 0; turns < 64 && !out_heard->known && group->waves[index].state == WAVE_READY; turns++) {
        if (!schedule)
            group_run(group, index, 1);
        else if (schedule_running(schedule, group))
            schedule_turn(schedule, group, index, 1, &result);
    }
    for (uint32_t i = 0; i < group->wave_count; i++) /* and those split off it meanwhile */
        if (group->waves[i].wave && group->waves[i].wave->observer == &probe)
            group->waves[i].wave->observer = before;
}

void spinner_listen(struct group *group, uint32_t index, struct heard *out_heard)
{
    listen(NULL, group, index, out_heard);
}

void spinner_overhear(struct schedule *schedule, struct group *group, uint32_t index, struct heard *out_heard)
{
    listen(schedule, group, index, out_heard);
}

void spinner_access(const struct launch *launch, const struct wave *wave, const struct heard *heard,
                    struct finding_access *access)
{
    uint32_t site = heard->known ? heard->event.origin.site : wave_place(wave);
    launch_access(launch, site, access);
    if (heard->known)
        access->kind = heard->event.kind;
    access->has_item = true;
    origin_item(heard->known ? &heard->event.origin : &wave->origin, heard->known ? heard->lane : wave_first_lane(wave), &access->item);
    const struct region *region = memory_region(&launch->arena->memory, heard->address);
    if (!heard->known || heard->event.size_bytes > sizeof access->value || heard->address < region->low ||
        heard->address > region->high || heard->event.size_bytes > region->high - heard->address)
        return;
    access->size_bytes = heard->event.size_bytes;
    access->has_value = true;
    access->value = memory_value(&launch->arena->memory, heard->address, access->size_bytes);
}

/* The outermost loop around it; where it stands in none, nothing is known. */
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

bool spinner_may_write(const struct launch *launch, const struct heard *heard)
{
    struct code_loop loop;
    const struct code *code = launch->code;
    if (!heard->known || heard->updates || !loop_around(code, launch_site(launch, heard->event.origin.site), &loop))
        return true;
    for (uint32_t i = 0; i < code->site_count; i++) {
        const struct site *site = &code->sites[i];
        const bool writes = site->access == ACCESS_WRITE || site->access >= ACCESS_ATOMIC_WRITE;
        if (i == heard->event.origin.site) /* a compare-exchange that fails in each turn */
            continue;
        if (writes && site->storage != STORAGE_PRIVATE && site->rank >= loop.low && site->rank <= loop.high)
            return true;
    }
    return false;
}

void spinners_count(struct schedule *schedule, struct spinners *out)
{
    *out = (struct spinners){.count = 0};
    for (uint32_t g = 0; g < schedule->count; g++) {
        struct group *group = schedule->resident[g];
        for (uint32_t i = 0; i < group->wave_count; i++) {
            if (group->waves[i].state == WAVE_DONE)
                continue;
            uint64_t lanes = lane_mask_count(&group->waves[i].wave->live);
            if (group->waves[i].state == WAVE_WAITS)
                out->wait += lanes;
            else
                out->spin += lanes;
            if (group->waves[i].state != WAVE_READY || out->count == 2)
                continue;
            out->group[out->count] = group;
            out->index[out->count++] = i;
        }
    }
}

void spinner_object(const struct launch *launch, const struct heard *heard, struct finding *finding,
                    struct sentence *object)
{
    const struct region *region = memory_region(&launch->arena->memory, heard->address);
    if (!heard->known || region->kind == REGION_NONE)
        return;
    object_name(launch, region, object);
    finding->object = object->bytes;
    finding->has_offset = true;
    finding->offset_bytes = heard->address - region->low;
}

