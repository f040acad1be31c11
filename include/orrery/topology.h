/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The fake hardware as plain data: a tree from the machine down to compute
 *          units, and every way to split it.
 *
 * Interface
 *   topology_default, topology_copy, topology_fini
 *   topology_parse       a synthetic string "numa:2 l3:2 l2:2 cu:2", "cu:8", or the name of a preset
 *   topology_load_xml    hwloc XML, as `lstopo export.xml` writes it
 *   topology_print       the synthetic string, when the tree has one; parse(print(t)) is t
 *   topology_equal
 *   partition_*          which compute units each sub-device gets; pure functions of unit lists
 *
 * Units    Compute units are numbered from 0, depth first, so every node holds the
 *          consecutive units [first_unit, first_unit + unit_count). Sizes are bytes.
 * Ownership  nodes belong to the struct; a zeroed struct is empty and may be finished.
 */
#ifndef ORRERY_TOPOLOGY_H
#define ORRERY_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "orrery/status.h"

/* LEVEL(ENUM, "key in a synthetic string"): from the outside in. */
#define TOPOLOGY_LEVEL_LIST(LEVEL) \
    LEVEL(MACHINE, "machine")      \
    LEVEL(PACKAGE, "package")      \
    LEVEL(NUMA, "numa")            \
    LEVEL(TILE, "tile")            \
    LEVEL(CSLICE, "cslice")        \
    LEVEL(L4, "l4")                \
    LEVEL(L3, "l3")                \
    LEVEL(L2, "l2")                \
    LEVEL(L1, "l1")                \
    LEVEL(UNIT, "cu")
enum topology_level {
#define TOPOLOGY_LEVEL_ENUM(name, key) TOPOLOGY_##name,
    TOPOLOGY_LEVEL_LIST(TOPOLOGY_LEVEL_ENUM)
#undef TOPOLOGY_LEVEL_ENUM
    TOPOLOGY_LEVEL_COUNT
};
const char *topology_level_name(enum topology_level level);

struct topology_node {
    enum topology_level level;
    uint32_t parent;                 /* index; the machine's own for the machine */
    uint32_t first_child, next_sibling; /* index; 0 = none */
    uint32_t index;                  /* among the nodes of its level, depth first */
    uint32_t first_unit, unit_count;
    uint64_t bytes;                  /* of a cache, or of a NUMA node's memory; 0 = not stated */
    uint32_t line_bytes, associativity; /* of a cache */
};

struct topology {
    uint32_t compute_units;
    uint64_t cache_bytes;            /* the largest data cache, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE */
    uint32_t cache_line_bytes;
    char *text;                      /* what it was made from, for printing; NULL: the default */
    uint32_t node_count;
    struct topology_node *nodes;     /* nodes[0] is the machine; parents before children, depth first */
};

void topology_default(struct topology *topology); /* eight compute units, one cache */
enum status topology_parse(const char *text, struct topology *out_topology, struct diagnosis *diagnosis);
enum status topology_load_xml(const char *path, struct topology *out_topology, struct diagnosis *diagnosis);
enum status topology_copy(const struct topology *topology, struct topology *out_copy);
void topology_fini(struct topology *topology);
bool topology_equal(const struct topology *a, const struct topology *b);
void topology_print(const struct topology *topology, FILE *stream); /* one line, no newline */
/* The names that topology_parse knows; NULL past the end. */
const char *topology_preset(size_t index, const char **out_text, const char **out_help);
/* The innermost node of that level that holds the unit, or NULL. */
const struct topology_node *topology_node_of(const struct topology *topology, uint32_t unit, enum topology_level level);

/* ---- splitting ---------------------------------------------------------------- */

/* A sorted list of compute units of one topology. */
struct unit_set { uint32_t count; uint32_t *units; };
void unit_set_fini(struct unit_set *set);
/* The sub-devices of one partition, in order: sets[0 .. count). */
struct partition { uint32_t count; struct unit_set *sets; };
void partition_fini(struct partition *partition);

/* What a partition may come to, beyond the statuses of memory. */
enum partition_result { PARTITION_OK, PARTITION_NO_MEMORY, PARTITION_BAD_VALUE, PARTITION_BAD_COUNT, PARTITION_IMPOSSIBLE };

/* Every function leaves units of the parent unused rather than make unequal parts, and clears out_ when it fails. */
enum partition_result partition_equally(const struct unit_set *parent, uint64_t units_each, struct partition *out_partition);
enum partition_result partition_by_counts(const struct unit_set *parent, const int64_t *counts, size_t count, uint32_t max_sub_devices, struct partition *out_partition);
/* Units named by their position in the parent; one sub-device. BAD_VALUE: out of range or repeated. */
enum partition_result partition_by_names(const struct unit_set *parent, const int64_t *names, size_t count, struct partition *out_partition);
/* One sub-device per node of the level that shares units with the parent; IMPOSSIBLE when that is fewer than two. */
enum partition_result partition_by_level(const struct topology *topology, const struct unit_set *parent, enum topology_level level, struct partition *out_partition);
/* The first of NUMA, L4, L3, L2, L1 (OpenCL's order) that gives two or more; IMPOSSIBLE when none does. */
enum partition_result partition_next(const struct topology *topology, const struct unit_set *parent, enum topology_level *out_level, struct partition *out_partition);

#endif
