/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of root devices: one for each device of the scenario, or for each of its tiles if the hierarchy
 * is flat; then the selector replaces the list by the devices that it names.
 */
#include "root.h"

#include <stdlib.h>
#include <string.h>

#include "intel.h"
#include "subdevice.h"

void roots_free(struct roots *roots)
{
    for (cl_uint i = 0; i < roots->count; i++)
        object_unref(roots->devices[i]);
    free(roots->devices);
    *roots = (struct roots){0};
}

/* Takes the device, also on failure. NULL means out of memory. */
enum status roots_add(struct roots *roots, struct cl_device *device)
{
    struct cl_device **grown =
        device ? realloc(roots->devices, (roots->count + (size_t)1) * sizeof *grown) : NULL;
    if (!grown) {
        object_unref(device);
        return STATUS_OUT_OF_MEMORY;
    }
    roots->devices = grown;
    roots->devices[roots->count++] = device;
    return STATUS_OK;
}

/* ---- one device of the scenario --------------------------------------------------- */

static bool set_all_units(uint32_t count, struct unit_set *out_units)
{
    *out_units = (struct unit_set){.units = malloc(count * sizeof *out_units->units)};
    for (; out_units->units && out_units->count < count; out_units->count++)
        out_units->units[out_units->count] = out_units->count;
    return out_units->units != NULL;
}

static struct topology *copy_topology(const struct topology *topology)
{
    struct topology *copy = calloc(1, sizeof *copy);
    if (copy && topology_copy(topology, copy)) {
        free(copy);
        return NULL;
    }
    return copy;
}

static struct cl_device *root_new(struct device *device, const struct device_config *config,
                                  const struct topology *topology, uint32_t index, struct unit_set *units)
{
    struct cl_device *root = device_object_new(device, config, NULL, units);
    if (!root) {
        unit_set_fini(units);
        return NULL;
    }
    root->root = index;
    root->topology = copy_topology(topology);
    if (root->topology)
        return root;
    object_unref(root);
    return NULL;
}

struct cl_device *root_part(const struct cl_device *whole, struct unit_set *units)
{
    return root_new(whole->device, whole->config, whole->topology, whole->root, units);
}

static enum status add_tiles(struct roots *roots, struct cl_device *whole)
{
    struct partition tiles = {0};
    enum partition_result result =
        partition_by_level(whole->topology, &whole->units, device_tile_level(whole), &tiles);
    if (result == PARTITION_IMPOSSIBLE)
        return roots_add(roots, whole);
    enum status status = result == PARTITION_OK ? STATUS_OK : STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < tiles.count && !status; i++)
        status = roots_add(roots, root_part(whole, &tiles.sets[i]));
    partition_fini(&tiles);
    object_unref(whole);
    return status;
}

static enum status add_device(struct roots *roots, struct device *device, const struct device_config *config,
                              uint32_t index, struct intel *intel, struct diagnosis *diagnosis)
{
    struct unit_set units;
    struct cl_device *root = NULL;
    if (set_all_units(config->topology.compute_units, &units))
        root = root_new(device, config, &config->topology, index, &units);
    if (!root)
        return STATUS_OUT_OF_MEMORY;
    enum hierarchy hierarchy = config->hierarchy;
    enum status status = intel_apply(intel, &root, &hierarchy, diagnosis);
    if (!status && root)
        return hierarchy == HIERARCHY_FLAT ? add_tiles(roots, root) : roots_add(roots, root);
    object_unref(root);
    return status;
}

/* ---- the list --------------------------------------------------------------------- */

enum status roots_make(struct device *device, const struct scenario *scenario, struct roots *out_roots,
                       struct diagnosis *diagnosis)
{
    *out_roots = (struct roots){0};
    struct intel intel = {0};
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < scenario_root_count(scenario) && !status; i++)
        status = add_device(out_roots, device, scenario_root(scenario, i), i, &intel, diagnosis);
    if (!status && !out_roots->count)
        status = diagnose(diagnosis, STATUS_BAD_SCENARIO,
                          "environment variable ZE_AFFINITY_MASK: no device is left");
    if (!status && scenario->device_selector && *scenario->device_selector)
        status = roots_select(scenario->device_selector, out_roots, diagnosis);
    for (cl_uint i = 0; i < out_roots->count; i++)
        out_roots->devices[i]->index = i;
    if (!status)
        return STATUS_OK;
    roots_free(out_roots);
    return diagnose(diagnosis, status, "out of host memory");
}

/* Exchanges the contents of two device objects; handles, ids and reference counts stay. */
static void exchange_contents(struct cl_device *a, struct cl_device *b)
{
    struct object head_a = a->base, head_b = b->base;
    struct cl_device kept = *a;
    *a = *b;
    *b = kept;
    a->base = head_a;
    b->base = head_b;
}

enum status roots_replace(struct platform *platform, struct roots *roots, struct diagnosis *diagnosis)
{
    cl_uint old_count = platform->root_count, count = roots->count;
    cl_uint most = count > old_count ? count : old_count;
    struct cl_device **grown = realloc(platform->roots, most * sizeof *grown);
    if (!grown)
        return diagnose(diagnosis, STATUS_OUT_OF_MEMORY, "out of host memory");
    platform->roots = grown;
    platform->root_count = count;
    for (cl_uint i = 0; i < most; i++) {
        if (i >= count) {
            object_release(grown[i], OBJECT_DEVICE);
        } else if (i < old_count) {
            exchange_contents(grown[i], roots->devices[i]);
            object_unref(roots->devices[i]);
        } else {
            grown[i] = roots->devices[i];
            object_publish(grown[i]);
        }
    }
    free(roots->devices);
    *roots = (struct roots){0};
    return STATUS_OK;
}
