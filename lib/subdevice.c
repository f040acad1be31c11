/* SPDX-License-Identifier: Apache-2.0 */
/* Sub-devices (OpenCL 3.0 API, 4.3). A request becomes sets of compute units (orrery/topology.h), and
 * each set a device object. */
#include "subdevice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "lib/diagnose/call.h"
#include "api_runtime.h"

/* ---- the object ------------------------------------------------------------------ */

void subdevice_partition_type_fini(struct partition_type *type)
{
    free(type->values);
    *type = (struct partition_type){0};
}

static bool copy_type(const struct partition_type *type, struct partition_type *out_copy)
{
    *out_copy = *type;
    out_copy->values = type->count ? malloc(type->count * sizeof *type->values) : NULL;
    if (type->count && !out_copy->values)
        return false;
    if (type->count)
        memcpy(out_copy->values, type->values, type->count * sizeof *type->values);
    return true;
}

struct cl_device *device_object_new(struct device *device, const struct device_config *config,
                                    struct cl_device *parent, struct unit_set *units)
{
    struct cl_device *object = object_new(OBJECT_DEVICE, sizeof *object);
    if (!object)
        return NULL;
    object->device = device;
    object->config = config;
    object->parent = object_ref(parent);
    if (parent) {
        object->topology = parent->topology;
        object->root = parent->root;
        object->index = parent->index;
    }
    object->units = *units;
    *units = (struct unit_set){0};
    return object;
}

/* "sub-device 1 of device 0 'big'", for findings. */
void device_report_name(const struct cl_device *device, struct report *report)
{
    char name[120] = "", *end = name;
    const struct cl_device *root = device;
    for (; root->parent; root = root->parent)
        if (end < name + 80)
            end += snprintf(end, (size_t)(name + sizeof name - end), "sub-device %u of ", root->part);
    snprintf(end, (size_t)(name + sizeof name - end), "device %u '%s'", root->index,
             root->config->name ? root->config->name : "Orrery (simulated)");
    report_name_device(report, device->base.id, name);
}

static void leave_parent(struct cl_device *device)
{
    runtime_lock();
    struct cl_device **link = &device->parent->children;
    while (*link && *link != device)
        link = &(*link)->sibling;
    if (*link)
        *link = device->sibling;
    runtime_unlock();
}

void subdevice_forget_tiles(struct cl_device *device)
{
    for (cl_uint i = 0; i < device->tile_count; i++)
        object_unref(device->tiles[i]);
    free(device->tiles);
    device->tiles = NULL;
    device->tile_count = 0;
}

void device_destroy(void *object)
{
    struct cl_device *device = object;
    if (device->parent) {
        leave_parent(device);
        report_name_device(runtime_get()->report, device->base.id, NULL);
    } else if (device->topology) {
        topology_fini(device->topology);
        free(device->topology);
    }
    subdevice_forget_tiles(device);
    unit_set_fini(&device->units);
    subdevice_partition_type_fini(&device->type);
    object_unref(device->parent);
}

/* ---- parts of a device --------------------------------------------------------------- */

bool device_is_within(const struct cl_device *device, const struct cl_device *ancestor)
{
    while (device && device != ancestor)
        device = device->parent;
    return device != NULL;
}

/* Units are sorted, and the units of a node are consecutive, so a change of node is a new part. */
uint32_t device_parts(const struct cl_device *device, enum topology_level level)
{
    uint32_t parts = 0, end = 0;
    for (uint32_t i = 0; i < device->units.count; i++) {
        if (device->units.units[i] < end)
            continue;
        const struct topology_node *node = topology_node_of(device->topology, device->units.units[i], level);
        parts += node != NULL;
        CHECKED(!node || node->unit_count > 0);
        end = node ? node->first_unit + node->unit_count : 0;
    }
    return parts;
}

bool device_has_level(const struct cl_device *device, enum topology_level level)
{
    for (uint32_t i = 0; i < device->topology->node_count; i++)
        if (device->topology->nodes[i].level == level)
            return true;
    return false;
}

/* The level of Intel's tiles: NUMA nodes, unless the topology names tiles. */
enum topology_level device_tile_level(const struct cl_device *device)
{
    return device_has_level(device, TOPOLOGY_TILE) ? TOPOLOGY_TILE : TOPOLOGY_NUMA;
}

/* ---- schemes ---------------------------------------------------------------------------- */

static bool splits_at_any_domain(const struct cl_device *device)
{
    static const enum topology_level domains[] = {TOPOLOGY_NUMA, TOPOLOGY_L4, TOPOLOGY_L3, TOPOLOGY_L2,
                                                  TOPOLOGY_L1};
    bool splits = false;
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++)
        splits |= device_parts(device, domains[i]) > 1;
    return splits;
}

/* Partition by numbers of units; PoCL offers it even for root devices of one unit. */
static bool splits_by_numbers(const struct cl_device *device)
{
    bool always = device->config->errors == ANSWERS_POCL && !device->parent;
    return device->config->errors != ANSWERS_NEO && (always || device->units.count > 1);
}

/* PoCL offers partitions by numbers only, Intel's driver by tile only. */
bool device_offers(const struct cl_device *device, enum partition_scheme scheme)
{
    enum answers answers = device->config->errors;
    switch (scheme) {
    case SCHEME_EQUALLY:
    case SCHEME_BY_COUNTS: return splits_by_numbers(device);
    case SCHEME_BY_NAMES: return answers != ANSWERS_POCL && splits_by_numbers(device);
    case SCHEME_BY_AFFINITY:
        if (answers == ANSWERS_NEO)
            return device_parts(device, device_tile_level(device)) > 1;
        return answers != ANSWERS_POCL && splits_at_any_domain(device);
    case SCHEME_BY_CSLICE:
        return device->config->cslice_partition && topology_cslices(device->topology, &device->units) > 1;
    case SCHEME_NONE:
    default: return false;
    }
}

bool device_implements(const struct cl_device *device, enum partition_scheme scheme)
{
    for (; device; device = device->parent)
        if (device_offers(device, scheme))
            return true;
    return false;
}

cl_uint device_max_sub_devices(const struct cl_device *device)
{
    if (device->config->errors != ANSWERS_NEO)
        return splits_by_numbers(device) ? device->units.count : 0;
    uint32_t tiles = device_parts(device, device_tile_level(device));
    return tiles > 1 ? tiles : 0;
}

/* ---- lists -------------------------------------------------------------------------------- */

/* Room for the longest valid list: every count is at least 1, and no name occurs twice. */
static bool values_reserve(const struct cl_device *device, struct partition_type *type)
{
    type->values = malloc(device->units.count * sizeof *type->values);
    type->count = 0;
    return type->values != NULL;
}

enum partition_result subdevice_take_counts(const struct cl_device *device, const void *list,
                                            list_value *value, struct partition_type *type, size_t *out_next)
{
    int64_t left = device->units.count, count;
    size_t at = 1;
    if (!values_reserve(device, type))
        return PARTITION_NO_MEMORY;
    for (; (count = value(list, at)) != 0; at++) {
        if (count < 0 || count > left)
            return PARTITION_BAD_COUNT;
        left -= count;
        type->values[type->count++] = count;
        CHECKED(left >= 0 && type->count <= device->units.count);
    }
    *out_next = at + 1;
    return type->count ? PARTITION_OK : PARTITION_BAD_VALUE;
}

static bool has_value(const struct partition_type *type, int64_t value)
{
    for (size_t i = 0; i < type->count; i++)
        if (type->values[i] == value)
            return true;
    return false;
}

enum partition_result subdevice_take_names(const struct cl_device *device, const void *list,
                                           list_value *value, struct partition_type *type, size_t *out_next)
{
    int64_t name;
    size_t at = 1;
    if (!values_reserve(device, type))
        return PARTITION_NO_MEMORY;
    for (; (name = value(list, at)) != CL_PARTITION_BY_NAMES_LIST_END_INTEL; at++) {
        if (name < 0 || name >= device->units.count || has_value(type, name))
            return PARTITION_BAD_VALUE;
        type->values[type->count++] = name;
        CHECKED(type->count <= device->units.count);
    }
    *out_next = at + 1;
    return type->count ? PARTITION_OK : PARTITION_BAD_COUNT;
}

/* ---- splitting -------------------------------------------------------------------------------- */

static enum partition_result split_by_affinity(const struct cl_device *device, struct partition_type *type,
                                               struct partition *out_partition)
{
    if (type->level == TOPOLOGY_MACHINE)
        return partition_next(device->topology, &device->units, &type->level, out_partition);
    return partition_by_level(device->topology, &device->units, type->level, out_partition);
}

enum partition_result subdevice_split(const struct cl_device *device, struct partition_type *type,
                                      struct partition *out_partition)
{
    switch (type->scheme) {
    case SCHEME_EQUALLY: return partition_equally(&device->units, (uint64_t)type->values[0], out_partition);
    case SCHEME_BY_COUNTS:
        return partition_by_counts(&device->units, type->values, type->count, device->units.count,
                                   out_partition);
    case SCHEME_BY_NAMES: return partition_by_names(&device->units, type->values, type->count, out_partition);
    case SCHEME_BY_AFFINITY: return split_by_affinity(device, type, out_partition);
    case SCHEME_BY_CSLICE:
        return partition_by_cslice(device->topology, &device->units, device->config->cslice_seed,
                                   out_partition);
    case SCHEME_NONE:
    default: return PARTITION_BAD_VALUE;
    }
}

static struct cl_device *part_new(struct cl_device *parent, const struct partition_type *type,
                                  const struct unit_set *units)
{
    CHECKED(units->count > 0 && units->count <= parent->units.count);
    struct unit_set copy = {.count = units->count, .units = malloc(units->count * sizeof *units->units)};
    if (!copy.units)
        return NULL;
    memcpy(copy.units, units->units, units->count * sizeof *units->units);
    struct cl_device *device = device_object_new(parent->device, parent->config, parent, &copy);
    if (device && copy_type(type, &device->type))
        return device;
    unit_set_fini(&copy);
    object_unref(device);
    return NULL;
}

/* A warning: sub-devices of one call never overlap, but those of two calls may, which programs seldom
 * intend. */
static void report_overlap(const struct cl_device *parent, const struct cl_device *added)
{
    char object[40], why[160];
    uint32_t count = 0, first = 0;
    struct call_site *made = NULL;
    if (!call_finds())
        return;
    runtime_lock();
    for (const struct cl_device *child = parent->children; child; child = child->sibling)
        if (child != added && unit_set_intersects(&child->units, &added->units)) {
            first = child->base.id;
            free(made);
            made = call_site_copy(child->base.made);
            count++;
        }
    runtime_unlock();
    if (!count)
        return;
    snprintf(object, sizeof object, "device %u", added->base.id);
    snprintf(why, sizeof why,
             "device %u has compute units of %u other sub-device%s of device %u, as of device %u",
             added->base.id, count, count > 1 ? "s" : "", parent->base.id, first);
    call_find(FINDING_UNITS_SHARED,
              &(struct call_finding){.object = object,
                                     .why = why,
                                     .other = made,
                                     .other_what = "the other one is made here",
                                     .fix = "release the sub-devices of the first call before"});
    free(made);
}

/* The child is published first, since a thread that finds it among the children reads the call that made
 * it. */
static void join_parent(struct cl_device *parent, struct cl_device *child)
{
    CHECKED(child->parent == parent && !child->sibling);
    object_publish(child);
    runtime_lock();
    child->sibling = parent->children;
    parent->children = child;
    runtime_unlock();
}

cl_int subdevice_make(struct cl_device *parent, const struct partition_type *type,
                      const struct partition *partition, cl_uint room, cl_device_id *out_devices)
{
    cl_uint count = partition->count < room ? partition->count : room, made = 0;
    while (made < count) {
        struct cl_device *device = part_new(parent, type, &partition->sets[made]);
        if (!device)
            break;
        device->part = made;
        out_devices[made++] = (cl_device_id)device;
    }
    if (made < count) {
        while (made)
            object_unref(out_devices[--made]);
        return CL_OUT_OF_HOST_MEMORY;
    }
    for (cl_uint i = 0; i < count; i++)
        report_overlap(parent, (struct cl_device *)out_devices[i]);
    for (cl_uint i = 0; i < count; i++) {
        join_parent(parent, (struct cl_device *)out_devices[i]);
        device_report_name((struct cl_device *)out_devices[i], runtime_get()->report);
    }
    return CL_SUCCESS;
}
