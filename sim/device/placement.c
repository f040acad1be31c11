/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compute unit of a work-group as a formula of its number, policy by policy (placement.h). Shares are
 * taken in 128 bits, so that the largest NDRange does not overflow.
 */
#include "placement.h"

#include "sim/topology/pages.h"

static uint32_t unit_at(const struct launch *launch, uint64_t place)
{
    return launch->compute_units ? launch->compute_units[place]
                                 : launch->config->first_unit + (uint32_t)place;
}

static uint64_t group_total(const struct launch *launch)
{
    const uint64_t *count = launch->info.group_count;
    return count[0] * count[1] * count[2];
}

/* whole * part / parts without overflow. */
static uint64_t share(uint64_t whole, uint64_t part, uint64_t parts)
{
    __extension__ unsigned __int128 product = (unsigned __int128)whole * part;
    return (uint64_t)(product / parts);
}

static uint32_t place_in_block(const struct launch *launch, uint64_t group)
{
    return unit_at(launch, share(launch->compute_unit_count, group, group_total(launch)));
}

/* The NUMA node of the unit that first touched the group's share of the largest buffer. */
static const struct topology_node *home_of(const struct launch *launch, uint64_t group)
{
    if (!launch->pages || !launch->largest.bytes)
        return NULL;
    uint64_t offset = share(launch->largest.bytes, group, group_total(launch));
    uint32_t unit = pages_toucher(launch->pages, launch->largest.address + offset);
    uint32_t first = launch->config->first_unit;
    if (unit == PAGES_UNTOUCHED || unit < first)
        return NULL;
    return topology_node_of(&launch->config->topology, unit - first, TOPOLOGY_NUMA);
}

static uint32_t place_at_home(const struct launch *launch, uint64_t group)
{
    const struct topology_node *home = home_of(launch, group);
    uint32_t first = 0, count = 0;
    for (uint32_t i = 0; home && i < launch->compute_unit_count; i++) {
        uint32_t unit = unit_at(launch, i) - launch->config->first_unit;
        bool inside = unit >= home->first_unit && unit - home->first_unit < home->unit_count;
        first = inside && !count ? i : first;
        count += inside;
    }
    return count ? unit_at(launch, first + group % count) : place_in_block(launch, group);
}

uint32_t placement_unit(const struct launch *launch, uint64_t group)
{
    const struct schedule_config *schedule = launch->schedule;
    const struct unit_list *script = &schedule->placement_script;
    switch (schedule->placement) {
    case PLACEMENT_BLOCK: return place_in_block(launch, group);
    case PLACEMENT_NUMA: return place_at_home(launch, group);
    case PLACEMENT_SCRIPT:
        if (script->count)
            return unit_at(launch, script->units[group % script->count] % launch->compute_unit_count);
        break;
    case PLACEMENT_ROUND_ROBIN: break;
    }
    return unit_at(launch, group % launch->compute_unit_count);
}
