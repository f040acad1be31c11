/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A topology while it is built: nodes added depth first become a finished tree. For
 *          topology_parse.c, topology_import.c and topology.c only.
 *
 * Interface
 *   builder_init, builder_fini   fini after a failure; builder_finish takes the nodes
 *   builder_add                  a node below an existing one; an error gives the reason
 *   builder_finish               numbers, ranges of units, caches
 */
#ifndef ORRERY_SIM_TOPOLOGY_TOPOLOGY_BUILD_H
#define ORRERY_SIM_TOPOLOGY_TOPOLOGY_BUILD_H

#include "orrery/topology.h"

struct builder {
    struct topology_node *nodes;
    uint32_t count, room;
    uint32_t units;
};

enum add_result { ADD_OK, ADD_NO_MEMORY, ADD_MISPLACED, ADD_TOO_MANY };

/* Level, bytes, line and associativity of a node. 0 bytes of a cache: hwloc's default size for the level. */
struct node_shape {
    enum topology_level level;
    uint64_t bytes;
    uint32_t line_bytes;
    uint32_t associativity;
};
static inline bool node_has_shape_of(const struct topology_node *a, const struct topology_node *b)
{
    return a->level == b->level && a->bytes == b->bytes && a->line_bytes == b->line_bytes &&
           a->associativity == b->associativity;
}

/* The defaults of a level. */
struct node_shape node_shape_default(enum topology_level level);

bool builder_init(struct builder *builder); /* with the machine as node 0; false: out of memory */
void builder_fini(struct builder *builder);
enum add_result builder_add(struct builder *builder, uint32_t parent, const struct node_shape *shape,
                            uint32_t *out_node);
/* Why a node of that level cannot be below the parent; NULL: it can. */
const char *builder_objection(const struct builder *builder, uint32_t parent, enum topology_level level);
/* Every leaf must be a unit. text: copied. False: out of memory; the builder is finished in either case. */
bool builder_finish(struct builder *builder, const char *text, struct topology *out_topology);

/* Trees of hwloc (topology_import.c). BAD_SCENARIO without a text: hwloc does not accept the string; with a
 * text in the diagnosis: the tree is too large. */
enum status topology_import_synthetic(const char *text, struct topology *out_topology,
                                      struct diagnosis *diagnosis);

#endif
