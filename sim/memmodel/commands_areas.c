/* SPDX-License-Identifier: Apache-2.0 */
/* The allocations that commands touch, and the instructions of kernels that did. */
#include "commands_state.h"

#include "wording.h"

#include <inttypes.h>
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
    byte_map_free(area->map);
    stale_fini(&area->stale);
    stale_fini(&area->stores);
    unseen_fini(&area->unseen);
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

/* ---- sites ---------------------------------------------------------------------------- */

static char *site_key(const char *kernel, const struct source_place *place, const char *argument)
{
    char *key = NULL;
    if (asprintf(&key, "%s\n%s\n%" PRIu32 ":%" PRIu32 "\n%s", kernel, place->file ? place->file : "", place->line,
                 place->column, argument ? argument : "") < 0)
        return NULL;
    return key;
}

static char *copy_text(const char *text, bool *lost)
{
    char *copy = text ? strdup(text) : NULL;
    *lost |= text && !copy;
    return copy;
}

static void site_free(struct site *site)
{
    free((char *)(uintptr_t)site->place.file);
    free((char *)(uintptr_t)site->place.text);
    free(site->kernel);
    free(site->argument);
    free(site->key);
    free(site);
}

static struct site *site_new(char *key, const char *kernel, const struct source_place *place, const char *argument)
{
    bool lost = false;
    struct site *site = calloc(1, sizeof *site);
    if (!site) {
        free(key);
        return NULL;
    }
    *site = (struct site){.key = key, .kernel = copy_text(kernel, &lost), .place = *place};
    site->place.file = copy_text(place->file, &lost);
    site->place.text = copy_text(place->text, &lost);
    site->argument = copy_text(argument, &lost);
    if (!lost)
        return site;
    site_free(site);
    return NULL;
}

static bool sites_reserve(struct commands *commands)
{
    if (commands->site_count < commands->site_room)
        return true;
    uint32_t room = 2 * commands->site_room + 16;
    struct site **sites = realloc(commands->sites, room * sizeof(struct site *));
    if (!sites)
        return false;
    commands->sites = sites;
    commands->site_room = room;
    return true;
}

uint32_t commands_site_number(struct commands *commands, const struct launch_info *launch, uint32_t index, const char *argument)
{
    struct source_place place = {0};
    struct site *site = NULL, *known = NULL;
    if (launch->program)
        program_site(launch->program, index, &place);
    char *key = site_key(launch->kernel, &place, argument);
    if (!key)
        return 0;
    HASH_FIND_STR(commands->sites_by_key, key, site);
    if (site) {
        free(key);
        return site->number;
    }
    site = sites_reserve(commands) ? site_new(key, launch->kernel, &place, argument) : (free(key), NULL);
    if (!site)
        return 0;
    HASH_ADD_KEYPTR(hh, commands->sites_by_key, site->key, strlen(site->key), site);
    HASH_FIND_STR(commands->sites_by_key, site->key, known);
    if (!known) {
        site_free(site);
        return 0;
    }
    commands->sites[commands->site_count++] = site;
    return site->number = commands->site_count;
}

const struct site *commands_site_of(const struct commands *commands, const struct byte_access *access)
{
    return access->site ? commands->sites[access->site - 1] : NULL;
}

void commands_sites_free(struct commands *commands)
{
    HASH_CLEAR(hh, commands->sites_by_key);
    for (uint32_t i = 0; i < commands->site_count; i++)
        site_free(commands->sites[i]);
    free(commands->sites);
}
