/* SPDX-License-Identifier: Apache-2.0 */
/* Topologies: presets, copies, comparison, cslices. The default topology is constant data that copies
 * share. Presets are texts in topology.def. To have fewer cslices, neighbouring slices are merged: slice k
 * of n belongs to part k * wanted / n, and the tree is built again. */
#include "orrery/topology.h"

#include <stdlib.h>
#include <string.h>

#include "topology_build.h"

const char *topology_level_name(enum topology_level level)
{
    static const char *const names[] = {
#define LEVEL_NAME(name, key) key,
        TOPOLOGY_LEVEL_LIST(LEVEL_NAME)
#undef LEVEL_NAME
    };
    return level < TOPOLOGY_LEVEL_COUNT ? names[level] : "unknown";
}

static const struct {
    const char *name, *text, *help;
} presets[] = {
#define PRESET(name, text, help) {name, text, help},
#include "topology.def"
#undef PRESET
};

const char *topology_preset(size_t index, const char **out_text, const char **out_help)
{
    if (index >= sizeof presets / sizeof presets[0])
        return NULL;
    *out_text = presets[index].text;
    *out_help = presets[index].help;
    return presets[index].name;
}

/* ---- life --------------------------------------------------------------------------- */

/* The tree of "l3:1(size=1MiB) cu:8". */
#define DEFAULT_UNIT(n, sibling)                                                                   \
    {                                                                                              \
        .level = TOPOLOGY_UNIT, .parent = 1, .next_sibling = sibling, .index = n, .first_unit = n, \
        .unit_count = 1                                                                            \
    }
static const struct topology_node default_nodes[] = {
    {.level = TOPOLOGY_MACHINE, .first_child = 1, .unit_count = 8},
    {.level = TOPOLOGY_L3,
     .first_child = 2,
     .unit_count = 8,
     .bytes = UINT64_C(1) << 20,
     .line_bytes = 64,
     .associativity = 16},
    DEFAULT_UNIT(0, 3),
    DEFAULT_UNIT(1, 4),
    DEFAULT_UNIT(2, 5),
    DEFAULT_UNIT(3, 6),
    DEFAULT_UNIT(4, 7),
    DEFAULT_UNIT(5, 8),
    DEFAULT_UNIT(6, 9),
    DEFAULT_UNIT(7, 0),
};

void topology_default(struct topology *topology)
{
    *topology = (struct topology){
        .compute_units = 8,
        .cache_bytes = UINT64_C(1) << 20,
        .cache_line_bytes = 64,
        .node_count = sizeof default_nodes / sizeof default_nodes[0],
        .nodes = default_nodes,
    };
}

void topology_fini(struct topology *topology)
{
    if (topology->nodes != default_nodes)
        free((void *)(uintptr_t)topology->nodes);
    free(topology->text);
    *topology = (struct topology){0};
}

enum status topology_copy(const struct topology *topology, struct topology *out_copy)
{
    struct topology copy = *topology;
    bool shared = topology->nodes == default_nodes || !topology->nodes;
    size_t size = topology->node_count * sizeof *topology->nodes;
    struct topology_node *nodes = shared ? NULL : malloc(size);
    copy.text = topology->text ? strdup(topology->text) : NULL;
    if ((!shared && !nodes) || (topology->text && !copy.text)) {
        free(nodes);
        free(copy.text);
        *out_copy = (struct topology){0};
        return STATUS_OUT_OF_MEMORY;
    }
    if (!shared)
        copy.nodes = memcpy(nodes, topology->nodes, size);
    *out_copy = copy;
    return STATUS_OK;
}

/* ---- comparison ------------------------------------------------------------------------- */

bool topology_equal(const struct topology *a, const struct topology *b)
{
    if (a->node_count != b->node_count || a->compute_units != b->compute_units)
        return false;
    for (uint32_t i = 0; i < a->node_count; i++)
        if (a->nodes[i].parent != b->nodes[i].parent || !node_has_shape_of(&a->nodes[i], &b->nodes[i]))
            return false;
    return true;
}

const struct topology_node *topology_node_of(const struct topology *topology, uint32_t unit,
                                             enum topology_level level)
{
    uint32_t at = 0;
    if (unit >= topology->compute_units)
        return NULL;
    do {
        const struct topology_node *node = &topology->nodes[at];
        if (node->level == level)
            return node;
        at = node->first_child;
        while (at && unit >= topology->nodes[at].first_unit + topology->nodes[at].unit_count)
            at = topology->nodes[at].next_sibling;
    } while (at);
    return NULL;
}

/* ---- cslices ------------------------------------------------------------------------------- */

static const struct topology_node *ancestor(const struct topology *topology, const struct topology_node *node,
                                            enum topology_level level)
{
    while (node->level != level && node->level != TOPOLOGY_MACHINE)
        node = &topology->nodes[node->parent];
    return node->level == level ? node : NULL;
}

static uint32_t cslices_in(const struct topology *topology, const struct topology_node *tile)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < topology->node_count; i++) {
        const struct topology_node *node = &topology->nodes[i];
        count += node->level == TOPOLOGY_CSLICE && ancestor(topology, node, TOPOLOGY_TILE) == tile;
    }
    return count;
}

struct merging {
    const struct topology *topology;
    uint32_t tile, wanted;
    struct builder builder;
    uint32_t *became; /* node of the topology -> node of the builder */
    /* of the current tile */
    const struct topology_node *at;
    uint32_t count, seen, last;
};

static bool follows_cslice(const struct topology *topology, const struct topology_node *node)
{
    uint32_t index = (uint32_t)(node - topology->nodes), before = topology->nodes[node->parent].first_child;
    while (before != index && topology->nodes[before].next_sibling != index)
        before = topology->nodes[before].next_sibling;
    return before != index && topology->nodes[before].level == TOPOLOGY_CSLICE;
}

/* The cslice of the builder into which a node is merged; 0: the node begins a new one. Slice k of n belongs
 * to part k * wanted / n, if the slices are neighbours. */
static uint32_t merged_into(struct merging *merging, const struct topology_node *node)
{
    const struct topology_node *tile = ancestor(merging->topology, node, TOPOLOGY_TILE);
    if (tile != merging->at) {
        merging->at = tile;
        merging->count = cslices_in(merging->topology, tile);
        merging->seen = merging->last = 0;
    }
    uint32_t number = merging->seen++, wanted = merging->wanted, count = merging->count;
    bool chosen = merging->tile == UINT32_MAX || merging->tile == tile->index;
    if (!chosen || wanted >= count || number == 0)
        return 0;
    bool starts = (uint64_t)number * wanted / count != (uint64_t)(number - 1) * wanted / count;
    return starts || !follows_cslice(merging->topology, node) ? 0 : merging->last;
}

static bool merge_node(struct merging *merging, uint32_t index)
{
    const struct topology_node *node = &merging->topology->nodes[index];
    uint32_t *became = &merging->became[index];
    if (node->level == TOPOLOGY_CSLICE && (*became = merged_into(merging, node)) != 0)
        return true;
    struct node_shape shape = {node->level, node->bytes, node->line_bytes, node->associativity};
    if (builder_add(&merging->builder, merging->became[node->parent], &shape, became) != ADD_OK)
        return false;
    if (node->level == TOPOLOGY_CSLICE)
        merging->last = *became;
    return true;
}

enum status topology_set_cslices(struct topology *topology, uint32_t tile, uint32_t count)
{
    struct merging merging = {.topology = topology, .tile = tile, .wanted = count};
    struct topology merged;
    if (count == 0)
        return STATUS_BAD_ARGUMENT;
    merging.became = calloc(topology->node_count, sizeof *merging.became);
    bool fine = merging.became && builder_init(&merging.builder);
    for (uint32_t i = 1; fine && i < topology->node_count; i++)
        fine = merge_node(&merging, i);
    fine = fine && builder_finish(&merging.builder, topology->text ? topology->text : "", &merged);
    builder_fini(&merging.builder);
    free(merging.became);
    if (!fine)
        return STATUS_OUT_OF_MEMORY;
    merged.cache_bytes = topology->cache_bytes;
    merged.cache_line_bytes = topology->cache_line_bytes;
    topology_fini(topology);
    *topology = merged;
    return STATUS_OK;
}
