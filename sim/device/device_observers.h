/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The observers that the scenario enables: first touch of pages, counters of caches and memory, a
 *          timeline, a trace, a page.  For device.c only.
 *
 * Interface
 *   device_observers_init     attaches the observers; false: no memory
 *   device_observers_forget   an allocation ends
 *   device_observers_fini
 */
#ifndef ORRERY_SIM_DEVICE_DEVICE_OBSERVERS_H
#define ORRERY_SIM_DEVICE_DEVICE_OBSERVERS_H

#include "device_state.h"

bool device_observers_init(struct device *device);
void device_observers_forget(struct device *device, const struct region *region);
void device_observers_fini(struct device *device);

#endif
