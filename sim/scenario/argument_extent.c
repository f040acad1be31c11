/* SPDX-License-Identifier: Apache-2.0 */
/* An observer that keeps the last byte that was accessed of each buffer. */
#include "argument_extent.h"

#include <stdlib.h>

bool extents_init(struct extents *extents, const struct device *device, const uint64_t *addresses,
                  size_t count)
{
    *extents = (struct extents){.count = count, .of_argument = calloc(count + 1, sizeof(struct extent))};
    for (size_t i = 0; i < count && extents->of_argument; i++) {
        struct extent *extent = &extents->of_argument[i];
        if (!device_allocation(device, addresses[i], &extent->address, &extent->size_bytes))
            *extent = (struct extent){.bytes = 0};
    }
    return extents->of_argument != NULL;
}

static void add(struct extents *extents, uint64_t address, uint32_t size_bytes)
{
    for (size_t i = 0; i < extents->count; i++) {
        struct extent *extent = &extents->of_argument[i];
        const uint64_t offset = address - extent->address;
        if (offset >= extent->size_bytes)
            continue;
        if (offset + size_bytes > extent->bytes)
            extent->bytes = offset + size_bytes;
        return;
    }
}

static void take_access(void *self, const struct access_event *event)
{
    for (uint32_t lane = 0; lane < event->lane_count; lane++)
        if (lane_in(event->mask, lane))
            add(self, lane_address(event, lane), event->size_bytes);
}

struct observer extents_observer(struct extents *extents)
{
    return (struct observer){.self = extents, .access = take_access};
}

uint64_t *extents_take(const struct extents *extents)
{
    uint64_t *bytes = calloc(extents->count + 1, sizeof *bytes);
    for (size_t i = 0; i < extents->count && bytes; i++)
        bytes[i] = extents->of_argument[i].bytes;
    return bytes;
}

void extents_fini(struct extents *extents)
{
    free(extents->of_argument);
    *extents = (struct extents){0};
}
