/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The last accesses of the bytes of one allocation: segments of bytes, each with the accesses that
 *          no later one stands for. An access stands for an earlier one that happens before it if every
 *          access that races with the earlier one races with the later one too. So the map is as large as
 *          what is still open.
 *
 * Interface
 *   byte_map_new/free
 *   byte_map_add       a new access: met() receives every access in the same bytes that does not happen
 *                      before it; bytes [low, high) are those of one segment. False: out of memory, the map
 *                      is incomplete
 *   byte_map_drop      forgets the accesses that drop() names
 *   byte_map_empty     nothing is left
 *   byte_map_visit     what it holds
 *
 * Cost     logarithmic in the number of segments to find, linear in those touched.
 */
#ifndef ORRERY_SIM_MEMMODEL_ORDER_BYTE_MAP_H
#define ORRERY_SIM_MEMMODEL_ORDER_BYTE_MAP_H

#include "orrery/observer.h"

struct byte_access {
    uint32_t command;
    uint32_t site; /* the caller's number */
    enum access_kind kind;
    bool by_map;        /* by a command that maps or unmaps */
    uint32_t map;       /* an unmap: the command that mapped, or itself, if that is not known; else 0 */
    bool opens;         /* no access by itself: from here on the host may write */
    bool frees;         /* a write: the bytes are gone */
    bool of_host;       /* to memory of the host that a buffer has as its own */
    bool by_pointer;    /* to memory of the device, through the pointer of a map */
    bool unmapped;      /* through the pointer of a map, and it comes after none that gave it */
    bool packets;       /* the use of one side of a pipe, by a kernel that */
    bool reads_packets; /* ... reads */
    enum memory_scope releases, acquires; /* of a kernel: struct launch_info */
};

struct byte_map_query {
    void *self;
    bool (*is_ordered)(void *self, const struct byte_access *later, const struct byte_access *earlier);
    void (*met)(void *self, const struct byte_access *later, const struct byte_access *earlier, uint64_t low,
                uint64_t high);
};

struct byte_map;
struct byte_map *byte_map_new(void);
void byte_map_free(struct byte_map *map);
bool byte_map_add(struct byte_map *map, uint64_t low, uint64_t high, const struct byte_access *access,
                  const struct byte_map_query *query);
void byte_map_drop(struct byte_map *map, bool (*drop)(void *self, const struct byte_access *access),
                   void *self);
bool byte_map_empty(const struct byte_map *map);
/* Every access of every segment that lies in [low, high) or reaches into it, ascending. */
void byte_map_visit(const struct byte_map *map, uint64_t low, uint64_t high,
                    void (*visit)(void *self, uint64_t low, uint64_t high, const struct byte_access *access),
                    void *self);
/* Whatever conflicts with the earlier one conflicts with the later one. */
bool byte_access_stands_for(const struct byte_access *later, const struct byte_access *earlier);

#endif
