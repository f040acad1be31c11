/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Mirrors a region: its pages are mapped a second time, elsewhere, and the device goes there. So the
 *          addresses that kernels and host share can be closed to the host while a command runs.
 *
 * Interface   nothing executes meanwhile; what the host stores faults until it is done, and comes through
 *             then
 *   memory_view_make    fresh: no byte was written. false: the kernel refused, and all is as it was
 *   memory_view_end     one mapping again, with the same bytes; false: the kernel refused
 *   memory_view_drop    the same for a region that is released: the bytes are zero
 */
#ifndef ORRERY_SIM_DEVICE_MEMORY_VIEW_H
#define ORRERY_SIM_DEVICE_MEMORY_VIEW_H

#include "orrery/memory.h"

bool memory_view_make(struct region *region, bool fresh);
bool memory_view_end(struct region *region);
void memory_view_drop(struct region *region);

#endif
