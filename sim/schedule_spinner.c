/* SPDX-License-Identifier: Apache-2.0 */
/* What a wave that spins reads: heard while it goes round once more. */
#include <string.h>

#include "fault.h"
#include "schedule_livelock.h"

/* ---- who spins where -------------------------------------------------------------------------- */

bool lane_takes_part(const struct access_event *event, uint32_t lane)
{
    return event->mask[lane / 64] >> lane % 64 & 1;
}

static void hear(void *self, const struct access_event *event)
{
    struct heard *heard = self;
    bool better = !heard->known || (heard->event.kind < ACCESS_ATOMIC_READ && event->kind >= ACCESS_ATOMIC_READ);
    if (!better || event->kind == ACCESS_WRITE)
        return;
    uint32_t lane = 0;
    while (!lane_takes_part(event, lane))
        lane++;
    heard->known = true;
    heard->event = *event;
    heard->address = lane_address(event, lane);
}

void spinner_listen(struct group *group, uint32_t index, struct heard *out_heard)
{
    struct wave *wave = group->waves[index].wave;
    const struct observer probe = {.self = out_heard, .access = hear}, *before = wave->observer;
    *out_heard = (struct heard){.known = false};
    wave->observer = &probe;
    for (int turns = 0; turns < 64 && !out_heard->known && group->waves[index].state == WAVE_READY; turns++)
        group_run(group, index, 1);
    for (uint32_t i = 0; i < group->wave_count; i++) /* and those split off it meanwhile */
        if (group->waves[i].wave && group->waves[i].wave->observer == &probe)
            group->waves[i].wave->observer = before;
}

void spinner_access(const struct launch *launch, const struct wave *wave, const struct heard *heard,
                        struct finding_access *access)
{
    uint32_t site = heard->known ? heard->event.origin.site : wave_place(wave);
    access->kind = heard->known ? heard->event.kind : launch_site(launch, site)->access;
    access->what = launch_site(launch, site)->what;
    access->has_item = true;
    launch_place(launch, site, &access->place);
    origin_item(&wave->origin, wave_first_lane(wave), &access->item);
    const struct region *region = memory_region(&launch->arena->memory, heard->address);
    if (!heard->known || heard->event.size_bytes > sizeof access->value || heard->address < region->low ||
        heard->address > region->high || heard->event.size_bytes > region->high - heard->address)
        return;
    access->size_bytes = heard->event.size_bytes;
    access->has_value = true;
    memcpy(&access->value, memory_byte(region, heard->address), access->size_bytes);
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

