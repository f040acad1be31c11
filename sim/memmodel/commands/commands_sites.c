/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instructions of kernels that accessed allocations, as numbers that outlive the launch: equal kernel,
 * place and argument have one number, found by a hash of a text of the three. An access of a footprint may
 * be by several instructions. Then each one's bytes are kept in a list, and a finding looks up the
 * instruction of its first byte.
 */
#include "commands_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "orrery/limits.h"

enum { SEVERAL_FEW_BYTES = HOSTILE(1 << 16, 1) };

/* ---- one instruction ------------------------------------------------------------------------------- */

/* place NULL: one of several instructions, not known which. */
static char *site_key(const char *kernel, const struct source_place *place, const char *argument)
{
    char *key = NULL;
    if (asprintf(&key, "%s\n%s\n%" PRIu32 ":%" PRIu32 "\n%s%s", kernel,
                 place && place->file ? place->file : "", place ? place->line : 0, place ? place->column : 0,
                 argument ? argument : "", place ? "" : "\n") < 0)
        return NULL;
    return key;
}

static char *copy_text(const char *text, bool *lost)
{
    char *copy = text ? strdup(text) : NULL;
    *lost |= text && !copy;
    return copy;
}

static void site_free(struct command_site *site)
{
    free((char *)(uintptr_t)site->place.file);
    free((char *)(uintptr_t)site->place.text);
    free(site->kernel);
    free(site->argument);
    free(site->key);
    free(site);
}

static struct command_site *site_new(char *key, const char *kernel, const struct source_place *place,
                                     const char *argument)
{
    bool lost = false;
    struct command_site *site = calloc(1, sizeof *site);
    if (!site) {
        free(key);
        return NULL;
    }
    *site = (struct command_site){.key = key, .kernel = copy_text(kernel, &lost), .one_of_several = !place};
    if (place)
        site->place = *place;
    site->place.file = copy_text(site->place.file, &lost);
    site->place.text = copy_text(site->place.text, &lost);
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
    struct command_site **sites = realloc(commands->sites, room * sizeof(struct command_site *));
    if (!sites)
        return false;
    commands->sites = sites;
    commands->site_room = room;
    return true;
}

static uint32_t number_of(struct commands *commands, const char *kernel, const struct source_place *place,
                          const char *argument)
{
    struct command_site *site = NULL, *known = NULL;
    char *key = site_key(kernel, place, argument);
    if (!key)
        return 0;
    HASH_FIND_STR(commands->sites_by_key, key, site);
    if (site) {
        free(key);
        return site->number;
    }
    site = sites_reserve(commands) ? site_new(key, kernel, place, argument) : (free(key), NULL);
    if (!site)
        return 0;
    HASH_ADD_KEYPTR(hh, commands->sites_by_key, site->key, strlen(site->key), site);
    HASH_FIND_STR(commands->sites_by_key, site->key, known);
    if (!known) {
        site_free(site);
        return 0;
    }
    CHECKED(commands->site_count < commands->site_room && !site->number);
    commands->sites[commands->site_count++] = site;
    return site->number = commands->site_count;
}

void commands_number_sites(struct commands *commands, const struct launch_info *launch,
                           const struct footprint_part *part, const char *argument,
                           struct site_numbers out[FOOTPRINT_USES])
{
    for (int use = 0; use < FOOTPRINT_USES; use++) {
        const struct footprint_sites *sites = &part->sites[use];
        for (uint32_t i = 0; i < sites->count; i++) {
            struct source_place place = {0};
            if (launch->program)
                program_site(launch->program, sites->site[i], &place);
            out[use].of[i] = number_of(commands, launch->kernel, &place, argument);
        }
        if (sites->count && footprint_sites_several(sites))
            out[use].of[FOOTPRINT_SITES] = number_of(commands, launch->kernel, NULL, argument);
    }
}

uint32_t commands_number_site(struct commands *commands, const struct launch_info *launch, uint32_t site,
                              const struct command_area *area)
{
    struct source_place place = {0};
    char name[ARGUMENT_CHARS];
    const char *argument =
        launch->argument && launch->argument(launch, area->low, area->high, name, sizeof name) ? name : NULL;
    if (launch->program)
        program_site(launch->program, site, &place);
    return number_of(commands, launch->kernel, &place, argument);
}

const struct command_site *commands_site_of(const struct commands *commands, const struct byte_access *access)
{
    CHECKED(!(access->site & SITE_SEVERAL));
    CHECKED(access->site <= commands->site_count);
    return access->site ? commands->sites[access->site - 1] : NULL;
}

void commands_sites_free(struct commands *commands)
{
    HASH_CLEAR(hh, commands->sites_by_key);
    for (uint32_t i = 0; i < commands->site_count; i++)
        site_free(commands->sites[i]);
    free(commands->sites);
}

bool commands_same_line(const struct commands *commands, const struct byte_access *a,
                        const struct byte_access *b)
{
    const struct command_site *x = commands_site_of(commands, a), *y = commands_site_of(commands, b);
    if (x == y || !x || !y)
        return x == y;
    const char *file[2] = {x->place.file ? x->place.file : "", y->place.file ? y->place.file : ""};
    const char *argument[2] = {x->argument ? x->argument : "", y->argument ? y->argument : ""};
    const bool one_line = x->place.line && x->place.line == y->place.line && !strcmp(file[0], file[1]);
    return one_line && a->kind == b->kind && !strcmp(argument[0], argument[1]) &&
           !strcmp(x->kernel, y->kernel);
}

/* ---- several instructions ---------------------------------------------------------------------------- */

static struct several_sites *several_of(const struct command_area *area, uint32_t site)
{
    size_t from = 0, to = area->several_count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (area->several[middle].id < site)
            from = middle + 1;
        else
            to = middle;
    }
    CHECKED(from < area->several_count && area->several[from].id == site);
    return &area->several[from];
}

static void want(const struct command_area *area, const struct byte_access *access)
{
    if (access->site & SITE_SEVERAL)
        several_of(area, access->site)->wanted = true;
}

static void want_visited(void *self, uint64_t low, uint64_t high, const struct byte_access *access)
{
    (void)low, (void)high;
    want(self, access);
}

void commands_drop_several(struct command_area *area)
{
    const uint64_t size = area->id ? area->high - area->low : 0;
    size_t kept = 0;
    byte_map_visit(area->map, area->low, area->high, want_visited, area);
    for (size_t i = 0; i < area->scattered_count; i++)
        want(area, &area->scattered[i].access);
    for (uint32_t i = 0; i < area->device_dirty.count; i++)
        want(area, &area->device_dirty.parts[i].writer);
    area->several_bytes = 0;
    for (size_t i = 0; i < area->several_count; i++) {
        struct several_sites *several = &area->several[i];
        if (!several->wanted) {
            footprint_sites_fini(&several->sites);
            continue;
        }
        several->wanted = false;
        area->several_bytes += footprint_sites_room(&several->sites);
        area->several[kept++] = *several;
    }
    area->several_count = kept;
    area->several_most =
        2 * area->several_bytes + (size / 2 > SEVERAL_FEW_BYTES ? size / 2 : SEVERAL_FEW_BYTES);
}

void commands_several_free(struct command_area *area)
{
    for (size_t i = 0; i < area->several_count; i++)
        footprint_sites_fini(&area->several[i].sites);
    free(area->several);
}

/* Takes ownership of the bytes of each instruction. The result is an instruction's number, or with
 * SITE_SEVERAL the id of a list. */
static uint32_t add_several(struct commands *commands, struct command_area *area, struct footprint_part *part,
                            enum footprint_use use, const struct site_numbers *numbers)
{
    struct footprint_sites *sites = &part->sites[use];
    if (!footprint_sites_several(sites))
        return numbers->of[0];
    if (!sites->bytes || commands->several_latest == SITE_SEVERAL - 1 ||
        !commands_reserve((void **)&area->several, &area->several_room, area->several_count,
                          sizeof *area->several))
        return numbers->of[FOOTPRINT_SITES];
    const uint32_t id = SITE_SEVERAL | ++commands->several_latest;
    area->several_bytes += footprint_sites_room(sites);
    CHECKED(!area->several_count ||
            area->several[area->several_count - 1].id < id); /* several_of() searches the ids by halves */
    area->several[area->several_count++] =
        (struct several_sites){.id = id, .low = part->low, .numbers = *numbers, .sites = *sites};
    sites->bytes = NULL;
    return id;
}

void commands_take_sites(struct commands *commands, struct command_area *area, struct footprint_part *part,
                         const struct site_numbers numbers[FOOTPRINT_USES], uint32_t out_site[FOOTPRINT_USES])
{
    if (area->several_count && area->several_bytes >= area->several_most)
        commands_drop_several(area);
    for (enum footprint_use use = 0; use < FOOTPRINT_USES; use++)
        out_site[use] = add_several(commands, area, part, use, &numbers[use]);
}

struct byte_access commands_access_at(const struct command_area *area, const struct byte_access *access,
                                      uint64_t address, uint64_t *high)
{
    struct byte_access one = *access;
    uint64_t end;
    if (!(access->site & SITE_SEVERAL))
        return one;
    const struct several_sites *several = several_of(area, access->site);
    one.site = several->numbers.of[footprint_sites_at(&several->sites, address - several->low, &end)];
    if (end < *high - several->low)
        *high = several->low + end;
    return one;
}
