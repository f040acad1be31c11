/* SPDX-License-Identifier: Apache-2.0 */
/* Device-side events: reference counts of kernels and of the program, freed when both are gone. */
#include "device_event.h"

#include <stdlib.h>

#include "orrery/limits.h"

static void event_free(struct device_event *event)
{
    free(event->after);
    *event = (struct device_event){.kind = EVENT_FREE};
}

void device_events_fini(struct device_events *events)
{
    for (uint32_t i = 0; i < events->count; i++)
        event_free(&events->items[i]);
    free(events->items);
    *events = (struct device_events){0};
}

static struct device_event *unused(struct device_events *events)
{
    uint32_t first = events->count, count = first ? 2 * first : HOSTILE(16, 1);
    for (uint32_t i = 0; i < first; i++)
        if (events->items[i].kind == EVENT_FREE)
            return &events->items[i];
    struct device_event *items = realloc(events->items, count * sizeof *items);
    if (!items)
        return NULL;
    for (uint32_t i = first; i < count; i++)
        items[i] = (struct device_event){0};
    events->items = items;
    events->count = count;
    return &items[first];
}

struct device_event *device_event_new(struct device_events *events, enum event_kind kind,
                                      uint64_t *out_handle)
{
    struct device_event *event = unused(events);
    if (!event)
        return NULL;
    *event = (struct device_event){
        .kind = kind, .serial = ++events->serial, .references = 1, .status = EVENT_SUBMITTED};
    *out_handle = (uint64_t)event->serial << 32 | (uint64_t)(event - events->items + 1);
    return event;
}

struct device_event *device_event_find(const struct device_events *events, uint64_t handle)
{
    uint64_t slot = (handle & UINT32_MAX) - 1;
    struct device_event *event = slot < events->count ? &events->items[slot] : NULL;
    return event && event->kind != EVENT_FREE && event->serial == handle >> 32 ? event : NULL;
}

void device_event_settle(struct device_event *event)
{
    if (!event->references && !event->waiters && device_event_done(event))
        event_free(event);
}

bool device_event_after(struct device_event *event, const struct launch_after *after, uint32_t count)
{
    struct launch_after *grown = realloc(event->after, (event->after_count + count + 1) * sizeof *grown);
    if (!grown)
        return false;
    for (uint32_t i = 0; i < count; i++)
        grown[event->after_count + i] = after[i];
    event->after = grown;
    event->after_count += count;
    return true;
}
