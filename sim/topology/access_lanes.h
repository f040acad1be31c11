/* SPDX-License-Identifier: Apache-2.0 */
/* PURPOSE  Iterates over the lanes of an access event; for observers. */
#ifndef ORRERY_SIM_TOPOLOGY_ACCESS_LANES_H
#define ORRERY_SIM_TOPOLOGY_ACCESS_LANES_H

#include "orrery/observer.h"

static inline bool event_has_lane(const struct access_event *event, uint32_t lane)
{
    return event->mask[lane / 64] >> (lane % 64) & 1;
}

static inline uint64_t event_address(const struct access_event *event, uint32_t lane)
{
    switch (event->shape) {
    case ADDRESS_UNIFORM: return event->base;
    case ADDRESS_AFFINE:
        return event->base + (uint64_t)event->step_x * (lane % event->row) +
               (uint64_t)event->step_y * (lane / event->row);
    default: return event->address[lane];
    }
}

#endif
