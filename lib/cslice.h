/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Compute slices of a tile, as the process sees them: the driver may give it others
 *          than it names (cslice_seed), always the same ones.
 *
 * Interface
 *   cslice_count       slices of a tile; 0: these units are no whole tile with slices
 *   cslice_partition   the units of each, by the index that the process uses; IMPOSSIBLE
 *                      where there are fewer than two
 */
#ifndef ORRERY_LIB_CSLICE_H
#define ORRERY_LIB_CSLICE_H
#include "object.h"

uint32_t cslice_count(const struct topology *topology, const struct unit_set *units);
enum partition_result cslice_partition(const struct topology *topology, const struct unit_set *units,
                                       uint64_t seed, struct partition *out_partition);
#endif
