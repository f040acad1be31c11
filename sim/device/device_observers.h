/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The observers that the scenario enables: first touch of pages, counters of caches and memory, a
 *          timeline, a trace, a page.  For device.c only.
 *
 * Interface
 *   books_init     attaches the observers; false: no memory
 *   books_forget   an allocation ends
 *   books_fini
 */
#ifndef ORRERY_SIM_DEVICE_DEVICE_OBSERVERS_H
#define ORRERY_SIM_DEVICE_DEVICE_OBSERVERS_H

#include "device_state.h"

bool books_init(struct device *device);
void books_forget(struct device *device, const struct region *region);
void books_fini(struct device *device);

#endif
