/* SPDX-License-Identifier: Apache-2.0 */
/* Partition schemes over a topology: equally, by counts, by names, by level. A part is a list of units from
 * the parent's list, in order. Units are numbered depth first, so the units of a node are consecutive, and
 * a part by level is a run of the list. Results for counts that do not divide are those of OpenCL 3.0 API,
 * 4.3. */
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "orrery/topology.h"

void unit_set_fini(struct unit_set *set)
{
    free(set->units);
    *set = (struct unit_set){0};
}

bool unit_set_intersects(const struct unit_set *a, const struct unit_set *b)
{
    for (uint32_t i = 0, k = 0; i < a->count && k < b->count;) {
        if (a->units[i] == b->units[k])
            return true;
        if (a->units[i] < b->units[k])
            i++;
        else
            k++;
    }
    return false;
}

void partition_fini(struct partition *partition)
{
    for (uint32_t i = 0; i < partition->count; i++)
        unit_set_fini(&partition->sets[i]);
    free(partition->sets);
    *partition = (struct partition){0};
}

static enum partition_result partition_init(struct partition *partition, size_t count)
{
    *partition = (struct partition){.sets = calloc(count, sizeof *partition->sets)};
    if (!partition->sets)
        return PARTITION_NO_MEMORY;
    partition->count = (uint32_t)count;
    return PARTITION_OK;
}

/* Allocates room for `count` units; the set is empty. */
static bool set_init(struct unit_set *set, uint32_t count)
{
    *set = (struct unit_set){.units = malloc(count * sizeof *set->units)};
    return set->units != NULL;
}

/* Makes the parent's units [first, first + count) set number `index`. */
static enum partition_result take(const struct unit_set *parent, uint32_t first, uint32_t count,
                                  struct partition *partition, uint32_t index)
{
    struct unit_set *set = &partition->sets[index];
    CHECKED(index < partition->count && count > 0 && count <= parent->count - first);
    if (!set_init(set, count)) {
        partition_fini(partition);
        return PARTITION_NO_MEMORY;
    }
    memcpy(set->units, parent->units + first, count * sizeof *set->units);
    set->count = count;
    return PARTITION_OK;
}

/* ---- by numbers --------------------------------------------------------------------- */

enum partition_result partition_equally(const struct unit_set *parent, uint64_t units_each,
                                        struct partition *out_partition)
{
    *out_partition = (struct partition){0};
    if (units_each == 0)
        return PARTITION_BAD_VALUE;
    if (units_each > parent->count)
        return PARTITION_BAD_COUNT;
    uint32_t each = (uint32_t)units_each;
    enum partition_result result = partition_init(out_partition, parent->count / each);
    for (uint32_t i = 0; result == PARTITION_OK && i < out_partition->count; i++)
        result = take(parent, i * each, each, out_partition, i);
    return result;
}

static bool counts_fit(const struct unit_set *parent, const int64_t *counts, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (counts[i] < 1 || (uint64_t)counts[i] > parent->count - sum)
            return false;
        sum += (uint64_t)counts[i];
    }
    return true;
}

enum partition_result partition_by_counts(const struct unit_set *parent, const int64_t *counts, size_t count,
                                          uint32_t max_sub_devices, struct partition *out_partition)
{
    *out_partition = (struct partition){0};
    if (count == 0)
        return PARTITION_BAD_VALUE;
    if (count > max_sub_devices || !counts_fit(parent, counts, count))
        return PARTITION_BAD_COUNT;
    enum partition_result result = partition_init(out_partition, count);
    uint32_t first = 0;
    for (uint32_t i = 0; result == PARTITION_OK && i < out_partition->count; i++) {
        result = take(parent, first, (uint32_t)counts[i], out_partition, i);
        first += (uint32_t)counts[i];
    }
    return result;
}

/* ---- by names -------------------------------------------------------------------------- */

static int compare_units(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool repeats(const struct unit_set *set)
{
    for (uint32_t i = 1; i < set->count; i++)
        if (set->units[i] == set->units[i - 1])
            return true;
    return false;
}

enum partition_result partition_by_names(const struct unit_set *parent, const int64_t *names, size_t count,
                                         struct partition *out_partition)
{
    *out_partition = (struct partition){0};
    if (count == 0 || count > parent->count)
        return PARTITION_BAD_VALUE;
    for (size_t i = 0; i < count; i++)
        if (names[i] < 0 || names[i] >= (int64_t)parent->count)
            return PARTITION_BAD_VALUE;
    enum partition_result result = partition_init(out_partition, 1);
    struct unit_set *set = out_partition->sets;
    if (result == PARTITION_OK && !set_init(set, (uint32_t)count))
        result = PARTITION_NO_MEMORY;
    for (size_t i = 0; result == PARTITION_OK && i < count; i++)
        set->units[set->count++] = parent->units[names[i]];
    if (result == PARTITION_OK) {
        qsort(set->units, set->count, sizeof *set->units, compare_units);
        result = repeats(set) ? PARTITION_BAD_VALUE : PARTITION_OK;
    }
    if (result != PARTITION_OK)
        partition_fini(out_partition);
    return result;
}

/* ---- by level ------------------------------------------------------------------------------ */

/* Lemma: the units of a node are consecutive, since units are numbered depth first. */
static uint32_t run_length(const struct topology *topology, const struct unit_set *parent, uint32_t first,
                           enum topology_level level, const struct topology_node **out_node)
{
    uint32_t count = 1;
    *out_node = topology_node_of(topology, parent->units[first], level);
    while (first + count < parent->count &&
           (!*out_node || parent->units[first + count] < (*out_node)->first_unit + (*out_node)->unit_count) &&
           topology_node_of(topology, parent->units[first + count], level) == *out_node)
        count++;
    CHECKED(first + count <= parent->count);
    return count;
}

static uint32_t nodes_touched(const struct topology *topology, const struct unit_set *parent,
                              enum topology_level level)
{
    uint32_t nodes = 0;
    const struct topology_node *node;
    for (uint32_t first = 0; first < parent->count;
         first += run_length(topology, parent, first, level, &node))
        nodes += topology_node_of(topology, parent->units[first], level) != NULL;
    return nodes;
}

enum partition_result partition_by_level(const struct topology *topology, const struct unit_set *parent,
                                         enum topology_level level, struct partition *out_partition)
{
    *out_partition = (struct partition){0};
    uint32_t nodes = nodes_touched(topology, parent, level), index = 0, length;
    if (nodes < 2)
        return PARTITION_IMPOSSIBLE;
    enum partition_result result = partition_init(out_partition, nodes);
    for (uint32_t first = 0; result == PARTITION_OK && first < parent->count; first += length) {
        const struct topology_node *node;
        length = run_length(topology, parent, first, level, &node);
        CHECKED(!node || index < nodes);
        if (node)
            result = take(parent, first, length, out_partition, index++);
    }
    return result;
}

enum partition_result partition_next(const struct topology *topology, const struct unit_set *parent,
                                     enum topology_level *out_level, struct partition *out_partition)
{
    static const enum topology_level order[] = {TOPOLOGY_NUMA, TOPOLOGY_L4, TOPOLOGY_L3, TOPOLOGY_L2,
                                                TOPOLOGY_L1};
    enum partition_result result = PARTITION_IMPOSSIBLE;
    *out_partition = (struct partition){0};
    for (size_t i = 0; i < sizeof order / sizeof order[0] && result == PARTITION_IMPOSSIBLE; i++) {
        *out_level = order[i];
        result = partition_by_level(topology, parent, order[i], out_partition);
    }
    return result;
}
