/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A topology in the making: nodes added depth first become a finished tree.
 *          For topology_parse.c, topology_import.c and topology.c only.
 *
 * Interface
 *   builder_init, builder_fini   fini after a failure; finish takes the nodes
 *   builder_add                  a node below an existing one; an error names the reason
 *   builder_finish               numbers, unit ranges, caches
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

/* Level, bytes, line and associativity of a node; 0 bytes of a cache: hwloc's usual size of that level. */
struct node_shape {
    enum topology_level level;
    uint64_t bytes;
    uint32_t line_bytes;
    uint32_t associativity;
};
/* The defaults of a level. */
struct node_shape node_shape_default(enum topology_level level);

bool builder_init(struct builder *builder); /* with the machine as node 0; false: no memory */
void builder_fini(struct builder *builder);
enum add_result builder_add(struct builder *builder, uint32_t parent, const struct node_shape *shape,
                            uint32_t *out_node);
/* Why a node of that level cannot stand below parent, in words; NULL when it can. */
const char *builder_objection(const struct builder *builder, uint32_t parent, enum topology_level level);
/* Every leaf has to be a unit by now. text: copied. False: no memory, the builder is finished all the
 * same. */
bool builder_finish(struct builder *builder, const char *text, struct topology *out_topology);

/* Trees of hwloc (topology_import.c). BAD_SCENARIO: not a string that hwloc reads; with a text in the
 * diagnosis: one that is too large for it. */
enum status topology_import_synthetic(const char *text, struct topology *out_topology,
                                      struct diagnosis *diagnosis);

#endif
