/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The accesses of commands to one allocation: segments of bytes, each with the accesses that no
 *          later one subsumes. An access subsumes an earlier one that happens before it if every access which
 *          races with the earlier one races with the later one, too. So a segment has as many accesses as may
 *          still race with a new one. Of many that race with each other and are of one instruction only the
 *          latest are kept, so that a program with a race in a loop does not take quadratic time.
 *
 * Interface
 *   byte_map_fini      an empty map is all zeros
 *   byte_map_add       adds an access. met() receives every access to the same bytes that does not happen
 *                      before it, once for each segment, with the bytes [low, high) that are in the segment,
 *                      and says whether the two race. False: out of memory, and the map is incomplete
 *   byte_map_drop      forgets the accesses for which drop() returns true
 *   byte_map_empty     no access is left
 *   byte_map_visit     iterates over the accesses of a range
 *
 * Cost     Logarithmic in the number of segments, linear in those that the range overlaps; a new segment
 *          moves those above it.
 */
#ifndef ORRERY_SIM_MEMMODEL_ORDER_BYTE_MAP_H
#define ORRERY_SIM_MEMMODEL_ORDER_BYTE_MAP_H

#include "orrery/observer.h"
#include "sim/memmodel/common/list.h"

struct byte_access {
    uint32_t command;
    uint32_t site; /* a number of the caller's */
    enum access_kind kind;
    bool by_map; /* by a command that maps or unmaps */
    /* of an unmap: the command that mapped, or the unmap itself if that is not known; else 0 */
    uint32_t map;
    bool opens;         /* no access: the host may write from here on */
    bool frees;         /* a write: the memory is freed */
    bool of_host;       /* to host memory that a buffer uses (CL_MEM_USE_HOST_PTR) */
    bool by_pointer;    /* to device memory, through the pointer of a map */
    bool unmapped;      /* through the pointer of a map, by a command that comes after no map */
    bool packets;       /* a kernel uses one side of a pipe */
    bool reads_packets; /* it reads packets */
    enum memory_scope releases, acquires; /* of a kernel, as in struct launch_info */
};

struct byte_map_query {
    void *self;
    bool (*is_ordered)(void *self, const struct byte_access *later, const struct byte_access *earlier);
    bool (*met)(void *self, const struct byte_access *later, const struct byte_access *earlier, uint64_t low,
                uint64_t high);
};

/* Bytes [low, high) and the accesses to them. */
struct byte_segment {
    uint64_t low, high;
    uint32_t count;
    struct byte_access *accesses;
};
struct byte_map {
    LIST(struct byte_segment) segments; /* ascending, disjoint */
};
void byte_map_fini(struct byte_map *map);
bool byte_map_add(struct byte_map *map, uint64_t low, uint64_t high, const struct byte_access *access,
                  const struct byte_map_query *query);
void byte_map_drop(struct byte_map *map, bool (*drop)(void *self, const struct byte_access *access),
                   void *self);
bool byte_map_empty(const struct byte_map *map);
/* Visits every access of every segment that overlaps [low, high), ascending. */
void byte_map_visit(const struct byte_map *map, uint64_t low, uint64_t high,
                    void (*visit)(void *self, uint64_t low, uint64_t high, const struct byte_access *access),
                    void *self);
/* Does every access that conflicts with the earlier one conflict with the later one, too? */
bool byte_access_subsumes(const struct byte_access *later, const struct byte_access *earlier);

#endif
