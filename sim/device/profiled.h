/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Counts for sim/observers/execution_profile.h what launches execute.  For the device only.
 *
 * Interface
 *   profiled_begin   a launch begins; where its instructions are counted, NULL: no memory
 *   profiled_count, profiled_way   of struct wave_host
 */
#ifndef ORRERY_SIM_DEVICE_PROFILED_H
#define ORRERY_SIM_DEVICE_PROFILED_H

#include "device_state.h"

struct profile_kernel *profiled_begin(struct device *device, struct launch *launch);
void profiled_count(void *self, struct wave *wave, uint32_t piece);
void profiled_way(void *self, struct wave *wave, uint32_t way, const uint64_t *lanes);

#endif
