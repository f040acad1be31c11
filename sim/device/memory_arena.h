/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The device's memory as its owner sees it: one reserved range of address
 *          space, cut into granules, handed out as regions.  struct memory is the
 *          part of it that the interpreter reads.
 *
 * Interface
 *   arena_init, arena_fini
 *   arena_allocate, arena_release   one region; a freed range waits in a FIFO quarantine
 *                                   until many later ones are freed, or no other fits
 *   arena_resize                    another size within the range a region already has
 *   arena_permit                      sets which shared allocations kernels may touch
 *   arena_map, arena_unmap          host mappings: each unmap takes one map of the same bytes and flags back
 *   arena_unmap_any                 one of those that begin there, not known which
 *   arena_check                     walks everything; for tests
 *
 * Layout   A region takes whole granules and is followed by at least one free granule,
 *          so that small overruns hit nothing.  Its index in memory.regions never moves.
 *          Bytes of a new region are zero.
 *
 * Threads  Every function but arena_fini may be called from any thread.
 */
#ifndef ORRERY_SIM_DEVICE_MEMORY_ARENA_H
#define ORRERY_SIM_DEVICE_MEMORY_ARENA_H

#include <pthread.h>

#include "orrery/memory.h"
#include "orrery/status.h"

struct granule_range {
    uint32_t first, count;
};

/* The allocator's own fields of a region, beyond the contract; same index. */
struct region_record {
    struct granule_range range; /* including the gap */
    uint64_t capacity;          /* bytes from low that the range can hold */
    struct region_map *maps;    /* region.maps points here */
    uint32_t map_room;
};

struct granule_list {
    struct granule_range *items;
    uint32_t count, room;
};

struct memory_arena {
    struct memory memory; /* first: the interpreter's view */
    /* guarded by `lock`: */
    pthread_mutex_t lock;
    uint32_t *granules; /* memory.granule points here */
    struct region_record *records;
    struct granule_list free; /* ascending; no two are adjacent */
    uint32_t *quarantine;     /* region indices, a ring in order of release */
    uint32_t quarantine_first, quarantine_count, quarantine_room;
    uint32_t *spare; /* unused region indices */
    uint32_t spare_count, spare_room;
    uint8_t *committed;   /* one byte for each chunk: it is accessible */
    uint64_t used, limit; /* bytes of buffers and variables; local memory does not count */
    uint32_t next_id;
};

struct allocation {
    enum region_kind kind;
    uint64_t size, align;
    uint32_t flags;
    const char *name;
};

/* size: of the address space to reserve (a multiple of 16 MiB), 0 = the default. */
enum status arena_init(struct memory_arena *arena, uint64_t size, uint64_t limit, bool track_validity,
                       struct diagnosis *diagnosis);
void arena_fini(struct memory_arena *arena);

enum status arena_allocate(struct memory_arena *arena, const struct allocation *wanted,
                           struct region **out_region);
void arena_release(struct memory_arena *arena, struct region *region);
bool arena_resize(struct memory_arena *arena, struct region *region, uint64_t size);

/* The live region that holds all of [address, address + size), or NULL. */
struct region *arena_find(struct memory_arena *arena, uint64_t address, uint64_t size);

enum { ARENA_MAP_READ = 1, ARENA_MAP_WRITE = 2 };
bool arena_map(struct memory_arena *arena, struct region *region, uint64_t address, uint64_t size,
               uint32_t flags, uint32_t command);
void arena_unmap(struct memory_arena *arena, struct region *region, uint64_t address, uint64_t size,
                 uint32_t flags, uint32_t command);
/* Each has `least` bytes; what more it has, and that it is for writing unless all are, does not count from
 * now on. */
void arena_unmap_any(struct memory_arena *arena, struct region *region, uint64_t address, uint64_t least,
                     bool write, uint32_t command);
/* Shared allocations that hold none of the addresses are REGION_FLAG_NOT_SET from now on, and denied;
 * NULL: none is. */
void arena_permit(struct memory_arena *arena, const uint64_t *addresses, size_t count);

void arena_check(struct memory_arena *arena);

#endif
