/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Arguments that are a part of an allocation, mostly sub-buffers: their bytes, and the accesses that
 *          leave them but stay inside the allocation, or that only the flags of the part forbid.
 *
 * Interface
 *   argument_parts_begin   finds the parts of a launch. If accesses are judged, an observer of them goes
 *                          before that of the waves. false: no memory
 *   argument_parts_end     frees them
 *   argument_part          the part that an argument is, which is counted from 0; NULL: it is none
 *
 * A launch without parts has no such observer, so its accesses cost what they did without this file.
 */
#ifndef ORRERY_SIM_DEVICE_ARGUMENT_PART_H
#define ORRERY_SIM_DEVICE_ARGUMENT_PART_H

#include "launch.h"

struct device;

struct argument_part {
    uint64_t low, high; /* its bytes; high 0: the argument is no part */
    /* together with those parts of other arguments that overlap it: there no access is judged */
    uint64_t open_low, open_high;
    uint32_t denies; /* DENY_*: what its flags forbid beyond those of the allocation */
};

bool argument_parts_begin(struct launch *launch, struct device *device);
void argument_parts_end(struct launch *launch);
const struct argument_part *argument_part(const struct launch *launch, uint32_t argument);

#endif
