/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The scenario key save_launch: one launch of the program is written as a scenario.
 *
 * Interface
 *   launch_saver_begun   a launch has begun, and has not run: saves it if the scenario names it
 *   launch_saver_end     the program ends: warns if it did not reach that launch
 */
#ifndef ORRERY_LIB_RECORD_LAUNCH_SAVER_H
#define ORRERY_LIB_RECORD_LAUNCH_SAVER_H

#include "orrery/device.h"

void launch_saver_begun(const struct device *device, const struct launch_request *request);
void launch_saver_end(const struct device *device);

#endif
