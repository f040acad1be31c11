/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instructions of kernels that accessed allocations, as numbers that outlive the launch: equal kernel,
 * place and argument have one number, found by a search from the latest, since a program has few. An access
 * of a footprint may be by several instructions. Then each one's bytes are kept in a list, and a finding
 * looks up the instruction of its first byte.
 */
#include "commands_state.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "orrery/limits.h"

enum { SEVERAL_FEW = HOSTILE(4, 1) };

/* ---- one instruction ------------------------------------------------------------------------------- */

/* NULL counts as an empty text. */
static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static void site_fini(struct command_site *site)
{
    launch_names_free(&site->place);
    free(site->kernel);
    free(site->argument);
}

/* place: all zeros of one of several instructions, not known which. */
static uint32_t number_of(struct commands *commands, const char *kernel, const struct source_place *place,
                          const char *argument, bool one_of_several)
{
    for (uint32_t number = commands->sites.count; number > 0; number--) {
        const struct command_site *site = &commands->sites.items[number - 1];
        const bool same_place = site->place.line == place->line && site->place.column == place->column &&
                                same_text(site->place.file, place->file);
        if (site->one_of_several == one_of_several && same_place && same_text(site->argument, argument) &&
            same_text(site->kernel, kernel))
            return number;
    }
    struct command_site site = {.kernel = strdup(kernel),
                                .argument = argument ? strdup(argument) : NULL,
                                .place = *place,
                                .one_of_several = one_of_several};
    const bool whole = launch_names_keep(&site.place) && site.kernel && !site.argument == !argument;
    if (whole && list_add(&commands->sites, site))
        return commands->sites.count;
    site_fini(&site);
    return 0;
}

void commands_number_sites(struct commands *commands, const struct launch_info *launch,
                           const struct footprint_part *part, const char *argument,
                           struct site_numbers out[FOOTPRINT_USES])
{
    for (int use = 0; use < FOOTPRINT_USES; use++) {
        const struct footprint_sites *sites = &part->sites[use];
        for (uint32_t i = 0; i < sites->count; i++) {
            const struct source_place place = launch_names_place(launch, sites->site[i]);
            out[use].of[i] = number_of(commands, launch->kernel, &place, argument, false);
        }
        if (sites->count && footprint_sites_several(sites))
            out[use].of[FOOTPRINT_SITES] =
                number_of(commands, launch->kernel, &(struct source_place){0}, argument, true);
    }
}

uint32_t commands_number_site(struct commands *commands, const struct launch_info *launch, uint32_t site,
                              const struct command_area *area)
{
    const struct source_place place = launch_names_place(launch, site);
    char name[ARGUMENT_CHARS];
    return number_of(commands, launch->kernel, &place,
                     launch_names_argument(launch, area->low, area->high, name), false);
}

const struct command_site *commands_site_of(const struct commands *commands, const struct byte_access *access)
{
    CHECKED(!(access->site & SITE_SEVERAL));
    CHECKED(access->site <= commands->sites.count);
    return access->site ? &commands->sites.items[access->site - 1] : NULL;
}

void commands_sites_free(struct commands *commands)
{
    for (uint32_t i = 0; i < commands->sites.count; i++)
        site_fini(&commands->sites.items[i]);
    list_fini(&commands->sites);
}

bool commands_same_line(const struct commands *commands, const struct byte_access *a,
                        const struct byte_access *b)
{
    const struct command_site *x = commands_site_of(commands, a), *y = commands_site_of(commands, b);
    if (x == y || !x || !y)
        return x == y;
    const bool one_line =
        x->place.line && x->place.line == y->place.line && same_text(x->place.file, y->place.file);
    return one_line && a->kind == b->kind && same_text(x->argument, y->argument) &&
           same_text(x->kernel, y->kernel);
}

/* ---- several instructions ---------------------------------------------------------------------------- */

static struct several_sites *several_of(const struct command_area *area, uint32_t site)
{
    uint32_t at;
    bisect(area->several.count, at, area->several.items[at].id >= site);
    CHECKED(at < area->several.count && area->several.items[at].id == site);
    return &area->several.items[at];
}

static void want(const struct command_area *area, const struct byte_access *access)
{
    if (access->site & SITE_SEVERAL)
        several_of(area, access->site)->wanted = true;
}

static void want_visited(void *self, const struct byte_set *bytes, const struct byte_access *access)
{
    (void)bytes;
    want(self, access);
}

static bool keep_wanted(struct several_sites *several)
{
    const bool wanted = several->wanted;
    several->wanted = false;
    if (!wanted)
        footprint_sites_fini(&several->sites);
    return wanted;
}

void commands_drop_several(struct command_area *area)
{
    commands_visit(area, area->low, area->high, want_visited, area);
    for (uint32_t i = 0; i < area->device_dirty.count; i++)
        want(area, &area->device_dirty.parts[i].writer);
    list_keep(&area->several, several, keep_wanted(several));
    area->several_most = 2 * area->several.count + SEVERAL_FEW;
}

void commands_several_free(struct command_area *area)
{
    for (size_t i = 0; i < area->several.count; i++)
        footprint_sites_fini(&area->several.items[i].sites);
    list_fini(&area->several);
}

/* Takes ownership of the bytes of each instruction. The result is an instruction's number, or with
 * SITE_SEVERAL the id of a list. */
static uint32_t add_several(struct commands *commands, struct command_area *area, struct footprint_part *part,
                            enum footprint_use use, const struct site_numbers *numbers)
{
    struct footprint_sites *sites = &part->sites[use];
    if (!footprint_sites_several(sites))
        return numbers->of[0];
    const uint32_t id = SITE_SEVERAL | (commands->several_latest + 1);
    if (!sites->bytes || commands->several_latest == SITE_SEVERAL - 1 ||
        !list_add(&area->several,
                  (struct several_sites){.id = id, .low = part->low, .numbers = *numbers, .sites = *sites}))
        return numbers->of[FOOTPRINT_SITES];
    CHECKED(area->several.count == 1 || area->several.items[area->several.count - 2].id <
                                            id); /* several_of() searches the ids by halves */
    commands->several_latest++;
    sites->bytes = NULL;
    return id;
}

struct command_uses commands_part_uses(struct commands *commands, struct command_area *area,
                                       struct footprint_part *part, const struct byte_access *by,
                                       const struct site_numbers numbers[FOOTPRINT_USES])
{
    uint32_t site[FOOTPRINT_USES];
    CHECKED(part->low >= area->low && part->high <= area->high);
    if (area->several.count && area->several.count >= area->several_most)
        commands_drop_several(area);
    for (enum footprint_use use = 0; use < FOOTPRINT_USES; use++)
        site[use] = add_several(commands, area, part, use, &numbers[use]);
    return commands_uses(part->low, part->bytes, by, site);
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
