/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The fake hardware as plain data: a tree from the machine down to compute
 *          units, and every way to split it.
 *
 * Interface
 *   topology_default, topology_copy, topology_fini
 *   topology_parse       a synthetic string "numa:2 l3:2 l2:2 cu:2", "cu:8", branches of
 *                        different shapes "numa:1{l3:2 cu:4, cu:2}, numa:1 cu:3", the name of
 *                        a preset, or a form that only hwloc reads: "Package:2 [NUMANode] Core:4 PU:2"
 *   topology_load_xml    hwloc XML, as `lstopo export.xml` writes it
 *   topology_print       such a string, for every tree; parse(print(t)) is t
 *   topology_equal       the same trees, whatever they were made from
 *   topology_set_cslices fewer cslices in a tile: a "CCS mode"
 *   partition_*          which compute units each sub-device gets; pure functions of unit lists
 *
 * Units    Compute units are numbered from 0, depth first, so every node holds the
 *          consecutive units [first_unit, first_unit + unit_count). Sizes are bytes.
 *          No node lies in one of its own level, larger caches hold smaller ones, a cslice
 *          is in a tile, every leaf is a compute unit; other levels nest in any order.
 * Errors   BAD_SCENARIO, the text names the character ("character 8: ..."); a file: IO
 *          or BAD_SCENARIO. The struct is empty then.
 * Ownership  nodes belong to the struct; a zeroed struct is empty and may be finished.
 *          The default's nodes are constant: it may be forgotten.
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
enum { TOPOLOGY_UNITS_MAX = 4096 };
enum topology_level {
#define TOPOLOGY_LEVEL_ENUM(name, key) TOPOLOGY_##name,
    TOPOLOGY_LEVEL_LIST(TOPOLOGY_LEVEL_ENUM)
#undef TOPOLOGY_LEVEL_ENUM
        TOPOLOGY_LEVEL_COUNT
};
const char *topology_level_name(enum topology_level level);
static inline bool topology_is_cache(enum topology_level level)
{
    return level >= TOPOLOGY_L4 && level <= TOPOLOGY_L1;
}

struct topology_node {
    enum topology_level level;
    uint32_t parent;                    /* index; the machine's own for the machine */
    uint32_t first_child, next_sibling; /* index; 0 = none */
    uint32_t index;                     /* among the nodes of its level, depth first */
    uint32_t first_unit, unit_count;
    uint64_t bytes;         /* of a cache; of a NUMA node's memory, 0 = not stated */
    uint32_t line_bytes;    /* of a cache */
    uint32_t associativity; /* of a cache; 0 = full */
};

struct topology {
    uint32_t compute_units;
    /* the largest data cache, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE; 0 = no caches */
    uint64_t cache_bytes;
    uint32_t cache_line_bytes; /* of that one */
    char *text;                /* what it was made from; NULL: the default */
    uint32_t node_count;
    const struct topology_node *nodes; /* nodes[0] is the machine; parents before children, depth first */
};

void topology_default(struct topology *topology); /* eight compute units, one cache */
enum status topology_parse(const char *text, struct topology *out_topology, struct diagnosis *diagnosis);
enum status topology_load_xml(const char *path, struct topology *out_topology, struct diagnosis *diagnosis);
enum status topology_copy(const struct topology *topology, struct topology *out_copy);
void topology_fini(struct topology *topology);
bool topology_equal(const struct topology *a, const struct topology *b);
void topology_print(const struct topology *topology, FILE *stream); /* one line, no newline */
/* The names of topology_parse; NULL past the end. */
const char *topology_preset(size_t index, const char **out_text, const char **out_help);
/* The tile of that index among the tiles (UINT32_MAX: every one) has at most count cslices from now on:
 * neighbours become one. BAD_ARGUMENT when count is 0. */
enum status topology_set_cslices(struct topology *topology, uint32_t tile, uint32_t count);
/* The innermost node of that level that holds the unit, or NULL. */
const struct topology_node *topology_node_of(const struct topology *topology, uint32_t unit,
                                             enum topology_level level);

/* ---- splitting ---------------------------------------------------------------- */

/* A sorted list of compute units of one topology. */
struct unit_set {
    uint32_t count;
    uint32_t *units;
};
void unit_set_fini(struct unit_set *set);
/* Have they a unit in common? */
bool unit_set_intersects(const struct unit_set *a, const struct unit_set *b);
/* The sub-devices of one partition, in order: sets[0 .. count). */
struct partition {
    uint32_t count;
    struct unit_set *sets;
};
void partition_fini(struct partition *partition);

/* The results of a partition, beyond the statuses of memory. */
enum partition_result {
    PARTITION_OK,
    PARTITION_NO_MEMORY,
    PARTITION_BAD_VALUE,
    PARTITION_BAD_COUNT,
    PARTITION_IMPOSSIBLE
};

/* Every function leaves units of the parent unused rather than make unequal parts, and clears out_ when it
 * fails. */
/* BAD_VALUE: 0 units; BAD_COUNT: more units than the parent has. All of them in one part is no error here. */
enum partition_result partition_equally(const struct unit_set *parent, uint64_t units_each,
                                        struct partition *out_partition);
/* BAD_VALUE: no counts; BAD_COUNT: more of them than allowed, one below 1, or a sum beyond the parent's
 * units. */
enum partition_result partition_by_counts(const struct unit_set *parent, const int64_t *counts, size_t count,
                                          uint32_t max_sub_devices, struct partition *out_partition);
/* Units named by their position in the parent; one sub-device. BAD_VALUE: none, out of range or repeated. */
enum partition_result partition_by_names(const struct unit_set *parent, const int64_t *names, size_t count,
                                         struct partition *out_partition);
/* One sub-device per node of the level that shares units with the parent; IMPOSSIBLE when that is fewer
 * than two. */
enum partition_result partition_by_level(const struct topology *topology, const struct unit_set *parent,
                                         enum topology_level level, struct partition *out_partition);
/* The first of NUMA, L4, L3, L2, L1 (OpenCL's order) that gives two or more; IMPOSSIBLE when none does. */
enum partition_result partition_next(const struct topology *topology, const struct unit_set *parent,
                                     enum topology_level *out_level, struct partition *out_partition);

/* Cslices of a tile; 0: these units are no whole tile with cslices. */
uint32_t topology_cslices(const struct topology *topology, const struct unit_set *units);
/* The units of each, by the index that a process uses, which the seed permutes (0: not); IMPOSSIBLE: fewer
 * than two. */
enum partition_result partition_by_cslice(const struct topology *topology, const struct unit_set *units,
                                          uint64_t seed, struct partition *out_partition);

#endif
