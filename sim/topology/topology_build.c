/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a tree of nodes, which are added depth first: a parent precedes its children, and the units of a
 * node are consecutive. Levels in an impossible place are refused, such as a cache inside of a smaller
 * level of cache. A backward pass links siblings and counts units. */
#include "topology_build.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/limits.h"

struct node_shape node_shape_default(enum topology_level level)
{
    /* The sizes of hwloc's synthetic topologies, so that lstopo shows the same. */
    switch (level) {
    case TOPOLOGY_L4: return (struct node_shape){level, UINT64_C(64) << 20, 64, 16};
    case TOPOLOGY_L3: return (struct node_shape){level, UINT64_C(16) << 20, 64, 16};
    case TOPOLOGY_L2: return (struct node_shape){level, UINT64_C(4) << 20, 64, 16};
    case TOPOLOGY_L1: return (struct node_shape){level, UINT64_C(32) << 10, 64, 8};
    default: return (struct node_shape){.level = level};
    }
}

/* ---- nodes ----------------------------------------------------------------------- */

static bool has_room(struct builder *builder)
{
    if (builder->count < builder->room)
        return true;
    uint32_t room = builder->room ? builder->room * 2 : HOSTILE(64, 1);
    struct topology_node *nodes = realloc(builder->nodes, room * sizeof *nodes);
    if (!nodes)
        return false;
    builder->nodes = nodes;
    builder->room = room;
    return true;
}

static uint32_t append(struct builder *builder, uint32_t parent, const struct node_shape *shape)
{
    builder->nodes[builder->count] = (struct topology_node){
        .level = shape->level,
        .parent = parent,
        .bytes = shape->bytes,
        .line_bytes = shape->line_bytes,
        .associativity = shape->associativity,
    };
    return builder->count++;
}

bool builder_init(struct builder *builder)
{
    struct node_shape machine = {.level = TOPOLOGY_MACHINE};
    *builder = (struct builder){0};
    return has_room(builder) && append(builder, 0, &machine) == 0;
}

void builder_fini(struct builder *builder)
{
    free(builder->nodes);
    *builder = (struct builder){0};
}

static bool inside(const struct builder *builder, uint32_t node, enum topology_level level)
{
    for (; node; node = builder->nodes[node].parent)
        if (builder->nodes[node].level == level)
            return true;
    return false;
}

/* Is a cache inside of a cache of a smaller level? */
static bool inside_smaller(const struct builder *builder, uint32_t node, enum topology_level level)
{
    for (; node; node = builder->nodes[node].parent)
        if (topology_is_cache(level) && topology_is_cache(builder->nodes[node].level) &&
            builder->nodes[node].level > level)
            return true;
    return false;
}

const char *builder_objection(const struct builder *builder, uint32_t parent, enum topology_level level)
{
    if (level == TOPOLOGY_MACHINE)
        return "the machine is the root";
    if (builder->nodes[parent].level == TOPOLOGY_UNIT)
        return "nothing is inside a compute unit";
    if (inside(builder, parent, level))
        return "a level is inside itself";
    if (inside_smaller(builder, parent, level))
        return "a larger cache is inside a smaller one";
    if (level == TOPOLOGY_CSLICE && !inside(builder, parent, TOPOLOGY_TILE))
        return "a cslice is outside of every tile";
    return NULL;
}

enum add_result builder_add(struct builder *builder, uint32_t parent, const struct node_shape *shape,
                            uint32_t *out_node)
{
    if (builder_objection(builder, parent, shape->level))
        return ADD_MISPLACED;
    if (shape->level == TOPOLOGY_UNIT && builder->units == TOPOLOGY_UNITS_MAX)
        return ADD_TOO_MANY;
    if (!has_room(builder))
        return ADD_NO_MEMORY;
    builder->units += shape->level == TOPOLOGY_UNIT;
    *out_node = append(builder, parent, shape);
    return ADD_OK;
}

/* ---- a finished tree ------------------------------------------------------------------ */

/* Children follow their parents, so a backward pass links siblings in order. */
static void link_children(struct builder *builder)
{
    for (uint32_t i = builder->count; i-- > 1;) {
        struct topology_node *node = &builder->nodes[i], *parent = &builder->nodes[node->parent];
        node->next_sibling = parent->first_child;
        parent->first_child = i;
    }
}

static void count_units(struct builder *builder)
{
    uint32_t of_level[TOPOLOGY_LEVEL_COUNT] = {0};
    for (uint32_t i = 0; i < builder->count; i++) {
        struct topology_node *node = &builder->nodes[i];
        node->first_unit = of_level[TOPOLOGY_UNIT]; /* the units so far */
        node->index = of_level[node->level]++;
        node->unit_count = node->level == TOPOLOGY_UNIT;
    }
    for (uint32_t i = builder->count; i-- > 1;)
        builder->nodes[builder->nodes[i].parent].unit_count += builder->nodes[i].unit_count;
}

static const struct topology_node *largest_cache(const struct topology *topology)
{
    const struct topology_node *largest = NULL;
    for (uint32_t i = 0; i < topology->node_count; i++) {
        const struct topology_node *node = &topology->nodes[i];
        if (topology_is_cache(node->level) && (!largest || node->bytes > largest->bytes))
            largest = node;
    }
    return largest;
}

bool builder_finish(struct builder *builder, const char *text, struct topology *out_topology)
{
    char *copy = strdup(text);
    if (!copy) {
        builder_fini(builder);
        return false;
    }
    link_children(builder);
    count_units(builder);
    *out_topology = (struct topology){
        .compute_units = builder->units, .text = copy, .node_count = builder->count, .nodes = builder->nodes};
    const struct topology_node *cache = largest_cache(out_topology);
    if (cache) {
        out_topology->cache_bytes = cache->bytes;
        out_topology->cache_line_bytes = cache->line_bytes;
    }
    *builder = (struct builder){0};
    return true;
}
