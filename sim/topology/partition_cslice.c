/* SPDX-License-Identifier: Apache-2.0 */
/* Compute slices: the units of a tile, in an order that a seed permutes. */
#include "orrery/topology.h"

#include <stdlib.h>

#include "orrery/device.h"

/* The tile that begins with the first unit, if the set has all its units: a node's units are consecutive,
 * so their number decides. */
static const struct topology_node *whole_tile(const struct topology *topology, const struct unit_set *units)
{
    const struct topology_node *tile = topology_node_of(topology, units->units[0], TOPOLOGY_TILE);
    bool whole = tile && units->units[0] == tile->first_unit && units->count == tile->unit_count &&
                 units->units[units->count - 1] == tile->first_unit + tile->unit_count - 1;
    return whole ? tile : NULL;
}

uint32_t topology_cslices(const struct topology *topology, const struct unit_set *units)
{
    const struct topology_node *tile = whole_tile(topology, units);
    uint32_t count = 0;
    for (uint32_t i = 0; tile && i < topology->node_count; i++) {
        const struct topology_node *node = &topology->nodes[i];
        count += node->level == TOPOLOGY_CSLICE && node->first_unit >= tile->first_unit &&
                 node->first_unit < tile->first_unit + tile->unit_count;
    }
    return count;
}

/* Each tile has its own permutation. */
static bool permute(uint64_t seed, uint32_t tile, struct partition *partition)
{
    uint32_t *order = malloc(partition->count * sizeof *order);
    struct unit_set *sets = malloc(partition->count * sizeof *sets);
    bool room = order && sets;
    if (room) {
        device_permutation(seed, tile, partition->count, order);
        for (uint32_t i = 0; i < partition->count; i++)
            sets[i] = partition->sets[order[i]];
        free(partition->sets);
        partition->sets = sets;
    } else {
        free(sets);
    }
    free(order);
    return room;
}

enum partition_result partition_by_cslice(const struct topology *topology, const struct unit_set *units,
                                          uint64_t seed, struct partition *out_partition)
{
    *out_partition = (struct partition){0};
    if (topology_cslices(topology, units) < 2)
        return PARTITION_IMPOSSIBLE;
    enum partition_result result = partition_by_level(topology, units, TOPOLOGY_CSLICE, out_partition);
    if (result != PARTITION_OK || permute(seed, whole_tile(topology, units)->index, out_partition))
        return result;
    partition_fini(out_partition);
    return PARTITION_NO_MEMORY;
}
