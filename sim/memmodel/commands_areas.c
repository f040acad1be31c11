/* SPDX-License-Identifier: Apache-2.0 */
/* The allocations that commands touch. */
#include "commands_state.h"

#include "wording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- areas --------------------------------------------------------------------------- */

void commands_name_area(struct area *area, const struct region *region)
{
    if (!region)
        snprintf(area->name, sizeof area->name, "host memory");
    else
        wording_region(region, area->name, sizeof area->name);
}

static struct area *area_new(struct commands *commands, uint32_t id, const struct region *region)
{
    struct area *area = calloc(1, sizeof *area), *found = NULL;
    struct byte_map *map = byte_map_new();
    if (!area || !map) {
        free(area);
        byte_map_free(map);
        return NULL;
    }
    *area = (struct area){.id = id, .map = map, .high = UINT64_MAX, .guaranteed = !region, .in_order = true};
    commands_name_area(area, region);
    if (region) {
        area->low = region->low;
        area->high = region->high;
        area->guaranteed = region->kind == REGION_VARIABLE || region->flags & REGION_FLAG_SVM;
    }
    HASH_ADD(hh, commands->areas, id, sizeof area->id, area);
    HASH_FIND(hh, commands->areas, &id, sizeof id, found);
    if (!found) {
        free(area);
        byte_map_free(map);
    }
    return found;
}

/* Of a freed region too: what was done to it was done. */
const struct region *commands_region_of(const struct commands *commands, uint64_t address)
{
    const struct region *region = memory_region(commands->memory, address);
    return region->kind != REGION_NONE && address >= region->low && address < region->high ? region : NULL;
}

struct area *commands_area_of(struct commands *commands, uint64_t address)
{
    const struct region *region = commands_region_of(commands, address);
    uint32_t id = region ? region->id : 0;
    struct area *area = NULL;
    HASH_FIND(hh, commands->areas, &id, sizeof id, area);
    return area ? area : area_new(commands, id, region);
}

void commands_area_free(struct commands *commands, struct area *area)
{
    HASH_DEL(commands->areas, area);
    for (size_t i = 0; i < area->loose_count; i++)
        byte_set_fini(&area->loose[i].bytes);
    commands_several_free(area);
    byte_map_free(area->map);
    stale_fini(&area->stale);
    stale_fini(&area->stores);
    unseen_fini(&area->unseen);
    for (size_t i = 0; i < area->kept_count; i++)
        footprint_keeper_drop(area->kept[i].part.keeper);
    free(area->loose);
    free(area->kept);
    free(area);
}

void commands_areas_free(struct commands *commands)
{
    struct area *area, *following;
    HASH_ITER (hh, commands->areas, area, following)
        commands_area_free(commands, area);
}
