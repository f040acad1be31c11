/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  On which compute unit a work-group runs: always one of the queue's device.
 *
 * Policies, for group g of n on the device's units u[0 .. m)
 *   round-robin  u[g mod m]
 *   block        u[g * m / n]: neighbours together
 *   numa         at the group's share of the largest buffer: byte size * g / n of it is in a page, the page
 *                was first touched by some unit, and the groups of that unit's NUMA node alternate on the
 *                units of u that are in the node. As block, if no unit touched it, or none of u is in that
 *                node.
 *   script       u[script[g mod length] mod m]
 */
#ifndef ORRERY_SIM_DEVICE_PLACEMENT_H
#define ORRERY_SIM_DEVICE_PLACEMENT_H

#include "launch.h"

uint32_t placement_unit(const struct launch *launch, uint64_t group_linear);

#endif
