/* SPDX-License-Identifier: Apache-2.0 */
/* Environment variables of Intel's driver, for the topology preset intel-pvc: they select and renumber
 * root devices. */
#include "intel.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "root.h"
#include "subdevice.h"

static enum status refuse(const char *variable, const char *text, const char *example,
                          struct diagnosis *diagnosis)
{
    return diagnose(diagnosis, STATUS_BAD_SCENARIO,
                    "environment variable %s: found '%s', expected entries such as %s", variable, text,
                    example);
}

/* Reads digits and moves *at past them. False: no digit, or more than 32 bits. */
static bool read_number(const char **at, uint32_t *out)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return false;
    errno = 0;
    const unsigned long number = strtoul(*at, &end, 10);
    *at = end;
    *out = (uint32_t)number;
    return !errno && number <= UINT32_MAX;
}

static bool is_end(const char *at)
{
    return !*at || *at == ',';
}

/* ---- ZEX_NUMBER_OF_CCS: "0:4,1:2" --------------------------------------------------- */

static bool read_mode(const char **entry, uint32_t *out_index, uint32_t *out_count)
{
    if (!read_number(entry, out_index) || *(*entry)++ != ':')
        return false;
    return read_number(entry, out_count) && *out_count && is_end(*entry);
}

static enum status apply_modes(const char *text, uint32_t root, struct topology *topology,
                               struct diagnosis *diagnosis)
{
    enum status status = STATUS_OK;
    if (!text || !*text || !strcmp(text, "default"))
        return STATUS_OK;
    for (const char *entry = text; entry && !status; entry = strchr(entry, ',')) {
        uint32_t index, count;
        entry += *entry == ',';
        if (!read_mode(&entry, &index, &count))
            return refuse("ZEX_NUMBER_OF_CCS", text, "0:4,1:2", diagnosis);
        if (index == root)
            status = topology_set_cslices(topology, UINT32_MAX, count);
    }
    return status;
}

/* ---- ZE_AFFINITY_MASK: "0.1,1", or in a flat hierarchy "1,2" ---------------------------- */

struct intel_place {
    uint32_t root, tile, flat_tile;
};

static enum status see(const char *text, bool flat, const struct intel_place *place, bool *out_visible,
                       struct diagnosis *diagnosis)
{
    *out_visible = !text || !*text;
    if (*out_visible)
        return STATUS_OK;
    for (const char *entry = text; entry; entry = strchr(entry, ',')) {
        uint32_t first, tile = place->tile;
        entry += *entry == ',';
        bool read = read_number(&entry, &first);
        if (read && *entry == '.' && !flat) {
            entry++;
            read = read_number(&entry, &tile);
        }
        if (!read || !is_end(entry))
            return refuse("ZE_AFFINITY_MASK", text, flat ? "0,1" : "0,1.0", diagnosis);
        *out_visible |= flat ? first == place->flat_tile : first == place->root && tile == place->tile;
    }
    return STATUS_OK;
}

static void add_all(struct unit_set *units, const struct unit_set *more)
{
    memcpy(units->units + units->count, more->units, more->count * sizeof *more->units);
    units->count += more->count;
}

/* The units of the tiles that the mask leaves visible. */
static enum status visible_units(const struct intel *state, bool flat, const struct partition *tiles,
                                 struct unit_set *out_units, struct diagnosis *diagnosis)
{
    const char *mask = getenv("ZE_AFFINITY_MASK");
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < tiles->count && !status; i++) {
        bool visible;
        status =
            see(mask, flat, &(struct intel_place){state->roots, i, state->tiles + i}, &visible, diagnosis);
        if (!status && visible)
            add_all(out_units, &tiles->sets[i]);
    }
    return status;
}

/* Replaces the root device by the part that the mask leaves visible. */
static enum status apply_mask(struct intel *state, bool flat, struct cl_device **root,
                              struct diagnosis *diagnosis)
{
    struct partition tiles = {0};
    struct unit_set units = {.units = malloc((*root)->units.count * sizeof *units.units)};
    enum partition_result result =
        partition_by_level((*root)->topology, &(*root)->units, TOPOLOGY_TILE, &tiles);
    enum status status = units.units && result == PARTITION_OK ? STATUS_OK : STATUS_OUT_OF_MEMORY;
    if (!status)
        status = visible_units(state, flat, &tiles, &units, diagnosis);
    if (!status && units.count < (*root)->units.count) {
        struct cl_device *part = units.count ? root_part(*root, &units) : NULL;
        status = units.count && !part ? STATUS_OUT_OF_MEMORY : STATUS_OK;
        object_unref(*root);
        *root = part;
    }
    state->roots++;
    state->tiles += tiles.count;
    unit_set_fini(&units);
    partition_fini(&tiles);
    return status;
}

/* ---- all variables ---------------------------------------------------------------------------- */

static void apply_hierarchy(enum hierarchy *hierarchy)
{
    const char *text = getenv("ZE_FLAT_DEVICE_HIERARCHY");
    if (text && (!strcmp(text, "FLAT") || !strcmp(text, "COMBINED")))
        *hierarchy = HIERARCHY_FLAT;
    if (text && !strcmp(text, "COMPOSITE"))
        *hierarchy = HIERARCHY_COMPOSITE;
}

enum status intel_apply(struct intel *state, struct cl_device **root, enum hierarchy *hierarchy,
                        struct diagnosis *diagnosis)
{
    const char *preset = (*root)->topology->text;
    if (!preset || strcmp(preset, "intel-pvc"))
        return STATUS_OK;
    apply_hierarchy(hierarchy);
    enum status status = apply_mask(state, *hierarchy == HIERARCHY_FLAT, root, diagnosis);
    if (status || !*root)
        return status;
    return apply_modes(getenv("ZEX_NUMBER_OF_CCS"), state->visible_roots++, (*root)->topology, diagnosis);
}
