/* SPDX-License-Identifier: Apache-2.0 */
/* Plain accesses announce themselves before they take effect, and atomics afterwards, with what each lane
 * found. */
#include <string.h>

#include "orrery/memory.h"
#include "orrery/observer.h"

static uint64_t in_frame(const struct access_event *event, uint32_t lane)
{
    uint64_t value = 0;
    const uint32_t size = event->component_bytes;
    for (uint32_t c = 0; c * size < event->size_bytes; c++)
        memcpy((uint8_t *)&value + c * size, event->frame + event->slots[c] + (size_t)lane * size, size);
    return value;
}

/* Lanes were one after another: what one left the next one of its address found, and of the last one memory
 * has it, unless the host may have written since. */
static void find_written(const struct memory *memory, const struct access_event *event, uint32_t lane,
                         struct lane_values *out)
{
    const uint64_t address = lane_address(event, lane);
    uint32_t next = lane + 1;
    while (next < event->lane_count && !(lane_in(event->mask, next) && lane_address(event, next) == address))
        next++;
    out->has_written = !(memory_region(memory, address)->flags & REGION_FLAG_SHARED);
    out->written =
        next < event->lane_count ? in_frame(event, next) : memory_value(memory, address, event->size_bytes);
}

void lane_values(const struct memory *memory, const struct access_event *event, uint32_t lane,
                 struct lane_values *out_values)
{
    const uint32_t size = event->size_bytes;
    *out_values = (struct lane_values){.has_read = false};
    const bool fits = size == 1 || size == 2 || size == 4 || size == 8;
    if (!fits || event->image || event->copy || memory->port.load)
        return;
    out_values->has_read = event->kind == ACCESS_READ || (event->kind != ACCESS_WRITE && event->slots);
    out_values->has_written = event->kind == ACCESS_WRITE && event->slots;
    if (event->kind == ACCESS_READ)
        out_values->read = memory_value(memory, lane_address(event, lane), size);
    else if (event->kind == ACCESS_WRITE && event->slots)
        out_values->written = in_frame(event, lane);
    else if (event->slots)
        out_values->read = in_frame(event, lane);
    if (event->kind >= ACCESS_ATOMIC_WRITE && event->slots && !lane_in(event->failed, lane))
        find_written(memory, event, lane, out_values);
}
