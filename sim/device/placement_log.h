/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  On which compute unit each work-group of a launch ran, as an observer: for what a
 *          scenario expects.
 *
 * Interface
 *   placed_observer   fills a zeroed struct as launches come
 *   placed_take       units of the groups of a command's launch, in linear order; UINT32_MAX: did
 *                     not run.  The caller frees them; none when there was no such launch.
 *   placed_fini
 *
 * Without memory `lost` becomes true, and what follows is not recorded.
 */
#ifndef ORRERY_SIM_DEVICE_PLACEMENT_LOG_H
#define ORRERY_SIM_DEVICE_PLACEMENT_LOG_H

#include "orrery/observer.h"
#include "orrery/scenario.h"

struct placed_launch {
    uint32_t command;
    struct unit_list units;
};
struct placed {
    size_t count;
    struct placed_launch *launches;
    bool lost;
};

struct observer placed_observer(struct placed *placed);
struct unit_list placed_take(struct placed *placed, uint32_t command);
void placed_fini(struct placed *placed);

#endif
