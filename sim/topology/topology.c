/* SPDX-License-Identifier: Apache-2.0 */
#include "orrery/topology.h"

void topology_default(struct topology *topology)
{
    *topology = (struct topology){
        .compute_units = 8,
        .cache_bytes = UINT64_C(1) << 20,
        .cache_line_bytes = 64,
    };
}
