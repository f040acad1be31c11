/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees that hwloc reads: XML files of real machines, and synthetic strings in its own spelling.
 *
 * A core is a compute unit, and its hardware threads are not looked at; a hardware thread without a core is one, too.
 * Memory hangs at the side of an object in hwloc: here it becomes a level, inside of packages and groups and outside
 * of caches. Instruction caches, groups, dies, devices and memory without processors have no level.
 */
#include <hwloc.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "build.h"

struct import {
    struct builder builder;
    enum add_result result;
};

static bool add(struct import *import, uint32_t parent, const struct node_shape *shape, uint32_t *out_node)
{
    import->result = builder_add(&import->builder, parent, shape, out_node);
    return import->result == ADD_OK;
}

/* ---- what an object is ----------------------------------------------------------------- */

static bool level_of(hwloc_obj_type_t type, enum topology_level *out_level)
{
    switch (type) {
    case HWLOC_OBJ_PACKAGE:
        *out_level = TOPOLOGY_PACKAGE;
        return true;
    case HWLOC_OBJ_L4CACHE:
        *out_level = TOPOLOGY_L4;
        return true;
    case HWLOC_OBJ_L3CACHE:
        *out_level = TOPOLOGY_L3;
        return true;
    case HWLOC_OBJ_L2CACHE:
        *out_level = TOPOLOGY_L2;
        return true;
    case HWLOC_OBJ_L1CACHE:
        *out_level = TOPOLOGY_L1;
        return true;
    case HWLOC_OBJ_CORE:
    case HWLOC_OBJ_PU:
        *out_level = TOPOLOGY_UNIT;
        return true;
    default:
        return false;
    }
}

/* What hwloc does not know stays as usual; -1 ways are all. */
static struct node_shape shape_of(hwloc_obj_t object, enum topology_level level)
{
    struct node_shape shape = node_shape_default(level);
    if (!topology_is_cache(level))
        return shape;
    const struct hwloc_cache_attr_s *cache = &object->attr->cache;
    shape.bytes = cache->size ? cache->size : shape.bytes;
    shape.line_bytes = cache->linesize ? cache->linesize : shape.line_bytes;
    if (cache->associativity)
        shape.associativity = cache->associativity > 0 ? (uint32_t)cache->associativity : 0;
    return shape;
}

/* Memory without processors hangs at the machine: it is nobody's. */
static bool is_numa(hwloc_obj_t object)
{
    return object->type == HWLOC_OBJ_NUMANODE && !hwloc_bitmap_iszero(object->cpuset);
}

static bool has_numa(hwloc_obj_t object)
{
    for (hwloc_obj_t child = object->memory_first_child; child; child = child->next_sibling)
        if (is_numa(child))
            return true;
    return false;
}

/* All the memory at one place is one node: fast and slow memory serve the same units. */
static struct node_shape memory_of(hwloc_obj_t object)
{
    struct node_shape shape = node_shape_default(TOPOLOGY_NUMA);
    for (hwloc_obj_t child = object->memory_first_child; child; child = child->next_sibling)
        if (is_numa(child))
            shape.bytes += child->attr->numanode.local_memory;
    return shape;
}

static bool is_inside_memory(enum topology_level level)
{
    return topology_is_cache(level) || level == TOPOLOGY_UNIT;
}

/* The object whose memory serves just the units of a cache or core: itself, or the only object inside it. */
static hwloc_obj_t memory_place(hwloc_obj_t object)
{
    enum topology_level level;
    while (!has_numa(object) && object->arity == 1 && level_of(object->first_child->type, &level) &&
           is_inside_memory(level))
        object = object->first_child;
    return has_numa(object) ? object : NULL;
}

/* ---- the tree ------------------------------------------------------------------------------ */

static bool inside_numa(const struct import *import, uint32_t node)
{
    for (; node; node = import->builder.nodes[node].parent)
        if (import->builder.nodes[node].level == TOPOLOGY_NUMA)
            return true;
    return false;
}

static bool add_memory(struct import *import, hwloc_obj_t place, uint32_t *node)
{
    if (!place || !has_numa(place) || inside_numa(import, *node))
        return true;
    struct node_shape memory = memory_of(place);
    return add(import, *node, &memory, node);
}

static bool read_object(struct import *import, hwloc_obj_t object, uint32_t parent)
{
    enum topology_level level = TOPOLOGY_MACHINE;
    bool known = level_of(object->type, &level);
    if (is_inside_memory(level) && !add_memory(import, memory_place(object), &parent))
        return false;
    if (known) {
        struct node_shape shape = shape_of(object, level);
        if (!add(import, parent, &shape, &parent))
            return false;
    }
    if (level == TOPOLOGY_UNIT)
        return true;
    if (!is_inside_memory(level) && !add_memory(import, object, &parent))
        return false;
    for (hwloc_obj_t child = object->first_child; child; child = child->next_sibling)
        if (!read_object(import, child, parent))
            return false;
    return true;
}

static enum status convert(hwloc_topology_t source, const char *text, struct topology *out_topology,
                           struct diagnosis *diagnosis)
{
    struct import import = {.result = ADD_NO_MEMORY};
    bool fine = builder_init(&import.builder) && read_object(&import, hwloc_get_root_obj(source), 0);
    if (fine)
        fine = builder_finish(&import.builder, text, out_topology);
    builder_fini(&import.builder);
    if (fine)
        return STATUS_OK;
    if (import.result == ADD_TOO_MANY)
        return diagnose(diagnosis, STATUS_BAD_SCENARIO, "more than %d compute units", TOPOLOGY_UNITS_MAX);
    if (import.result == ADD_MISPLACED)
        return diagnose(diagnosis, STATUS_BAD_SCENARIO, "levels that lie inside themselves");
    return diagnose(diagnosis, STATUS_OUT_OF_MEMORY, "no memory for a topology");
}

/* ---- sources ----------------------------------------------------------------------------------- */

/* hwloc makes hardware threads of whatever comes last; only a string that says so is meant for it. */
static bool names_threads(const char *text)
{
    for (; *text; text++)
        if (strncasecmp(text, "pu", 2) == 0)
            return true;
    return false;
}

enum status topology_import_synthetic(const char *text, struct topology *out_topology)
{
    hwloc_topology_t source;
    if (!names_threads(text))
        return STATUS_BAD_SCENARIO;
    if (hwloc_topology_init(&source) != 0)
        return STATUS_OUT_OF_MEMORY;
    enum status status = STATUS_BAD_SCENARIO;
    if (hwloc_topology_set_synthetic(source, text) == 0 && hwloc_topology_load(source) == 0)
        status = convert(source, text, out_topology, NULL);
    hwloc_topology_destroy(source);
    return status;
}

static enum status load_xml(hwloc_topology_t source, const char *path, struct topology *out_topology,
                            struct diagnosis *diagnosis)
{
    if (hwloc_topology_set_xml(source, path) != 0 || hwloc_topology_load(source) != 0)
        return diagnose(diagnosis, STATUS_BAD_SCENARIO, "%s: hwloc does not read this file as a topology", path);
    struct diagnosis why = {0};
    enum status status = convert(source, path, out_topology, &why);
    return status == STATUS_OK ? status : diagnose(diagnosis, status, "%s: %s", path, why.text);
}

enum status topology_load_xml(const char *path, struct topology *out_topology, struct diagnosis *diagnosis)
{
    hwloc_topology_t source;
    FILE *file = fopen(path, "re");
    *out_topology = (struct topology){0};
    if (!file)
        return diagnose(diagnosis, STATUS_IO, "%s: %s", path, strerror(errno));
    fclose(file);
    if (hwloc_topology_init(&source) != 0)
        return diagnose(diagnosis, STATUS_OUT_OF_MEMORY, "no memory for a topology");
    enum status status = load_xml(source, path, out_topology, diagnosis);
    hwloc_topology_destroy(source);
    return status;
}
