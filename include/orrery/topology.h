/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The fake hardware as plain data: what the device says of itself.
 *          Every default stands in topology_default() (sim/topology/topology.c).
 *          Partitioning and asymmetric trees come with the topology work; the
 *          launch places work-groups on compute_units round-robin until then.
 */
#ifndef ORRERY_TOPOLOGY_H
#define ORRERY_TOPOLOGY_H

#include <stdint.h>

struct topology {
    uint32_t compute_units;
    uint64_t cache_bytes; /* the largest data cache, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE */
    uint32_t cache_line_bytes;
};

void topology_default(struct topology *topology);

#endif
