/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  How far into the buffers of a launch its accesses go, as an observer: for a scenario that asks for
 *          it.
 *
 * Interface
 *   extents_init       for so many arguments at these addresses; false: no memory
 *   extents_observer   fills it as accesses come
 *   extents_take       per argument, the bytes from its first to past the last that was accessed; the caller
 *                      frees them
 *   extents_fini
 */
#ifndef ORRERY_SIM_SCENARIO_ARGUMENT_EXTENT_H
#define ORRERY_SIM_SCENARIO_ARGUMENT_EXTENT_H

#include "orrery/device.h"
#include "orrery/observer.h"

struct extents {
    size_t count;
    struct extent {
        uint64_t address, size_bytes, bytes;
    } * of_argument;
};

bool extents_init(struct extents *extents, const struct device *device, const uint64_t *addresses,
                  size_t count);
struct observer extents_observer(struct extents *extents);
uint64_t *extents_take(const struct extents *extents);
void extents_fini(struct extents *extents);

#endif
