/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The memory port: memory as the interpreter sees it.  A region is one
 *          allocation: a buffer, a program-scope variable, one local variable of a
 *          resident work-group.  Private memory is the wave's own (sim/interp).
 *
 * The port decides the value of a load. port.load == NULL means that memory
 * is flat: handlers then read and write the bytes at the address themselves after
 * one check per batch.  A weak-memory port sets the callbacks and the interpreter
 * uses the other handler table; it does not see the memory model.
 *
 * Addresses are host pointers into one reserved arena; a granule (64 KiB) belongs to
 * at most one region, so finding the region of an address is two loads.  Regions
 * start at granule start + a per-region colour (multiple of 128 bytes below 4 KiB) so
 * that streams do not alias in the cache.
 */
#ifndef ORRERY_MEMORY_H
#define ORRERY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "orrery/observer.h"
#include "orrery/status.h"

enum region_kind {
    REGION_NONE,
    REGION_BUFFER,
    REGION_VARIABLE,
    REGION_CONSTANT_DATA,
    REGION_LOCAL_VARIABLE,
    REGION_PIPE
};
/* why is in flags. PLAIN_ATOMICS: they are to be atomic for the host too; no finding. */
enum { DENY_KERNEL_READ = 1, DENY_KERNEL_WRITE = 2, DENY_PLAIN_ATOMICS = 4 };
enum {
    REGION_FLAG_READ_ONLY = 1,
    REGION_FLAG_WRITE_ONLY = 2,
    REGION_FLAG_SVM = 4,
    REGION_FLAG_FREED = 8,
    REGION_FLAG_MAPPED_READ = 16,
    REGION_FLAG_MAPPED_WRITE = 32,
    REGION_FLAG_SHARED = 64 /* the host may touch it at any time; all of it counts as initialised */,
    REGION_FLAG_SVM_ATOMICS = 128 /* SHARED, and atomics are atomic for the host too */,
    REGION_FLAG_NOT_SET = 256 /* SVM that clSetKernelExecInfo did not name for the launch that runs */
};

/* Bytes that the host has mapped; deny as below. */
struct region_map {
    uint64_t low, high;
    uint32_t deny, flags, command; /* that mapped */
};

struct region {
    uint64_t low, high; /* bytes [low, high) may be touched; a freed region keeps them with deny set */
    uint32_t deny;      /* DENY_*: a kernel access of that sort may be a finding: see memory_denied() */
    uint32_t flags;     /* REGION_FLAG_* */
    enum region_kind kind;
    uint32_t id; /* serial number of the allocation, stable across runs */
    /* the device has the byte of an address at address + view: elsewhere than the host when pages are
     * closed to that */
    int64_t view;
    const struct enqueuer *maker; /* the host's call that made it; NULL: not known */
    uint8_t *valid;               /* one bit per byte: initialised; NULL = all are */
    uint64_t invalid;             /* how many of them are not, when valid is there */
    /* bytes that became uninitialised since the region, or its work-group, began: they lie within
     * [unset_low, unset_high), high 0: there are none. unset_by: the command that did it; 0: kernels, or
     * more than one command */
    uint64_t unset_low, unset_high;
    uint32_t unset_by;
    char name[64];                 /* "buffer 3", "tile" */
    const struct region_map *maps; /* those that deny something, owned by the allocator */
    uint32_t map_count;
    uint32_t denied;  /* the part of deny that holds for every byte, with or without maps */
    bool read_mapped; /* the host has mapped bytes of it for reading alone */
};

struct memory_port {
    void *self;
    /* All NULL when memory is flat. Lanes of mask; values are lane arrays of size_bytes each. */
    void (*load)(void *self, const struct access_event *access, void *out_values);
    void (*store)(void *self, const struct access_event *access, const void *values);
    void (*update)(void *self, const struct access_event *access, uint32_t operation, const void *operands,
                   const void *comparators, void *out_old);
    /* Of the weak compare-exchange that went before, in one lane: did it fail though it read what it
     * expected? */
    bool (*refused)(void *self, uint32_t lane);
    void (*fence)(void *self, const struct sync_event *fence);
};

/* Memory of the host that kernels may touch, outside of the arena; permits NULL: none. */
struct memory_host {
    void *self;
    bool (*permits)(void *self, uint64_t address, uint64_t bytes, bool write);
};

enum { GRANULE_SHIFT = 16 };
struct memory {
    uint64_t base, size;     /* of the arena */
    const uint32_t *granule; /* granule index -> region index; 0 = none */
    struct region *regions;  /* [0] is REGION_NONE with low > high */
    uint32_t region_count;
    bool track_validity; /* the uninitialised check is on */
    struct memory_host host;
    struct memory_port port;
};

/* Regions for loops over all of them. The host may allocate while a kernel runs: a region that is not there
 * yet has no other members either. */
static inline uint32_t memory_region_count(const struct memory *memory)
{
    return __atomic_load_n(&memory->region_count, __ATOMIC_ACQUIRE);
}

static inline bool region_is_there(const struct region *region)
{
    return __atomic_load_n(&region->kind, __ATOMIC_ACQUIRE) != REGION_NONE;
}

/* The region whose granule holds address; the empty region when there is none. The caller compares low and
 * high, and deny: when that hits, memory_denied() decides whether these bytes are meant. */
static inline struct region *memory_region(const struct memory *memory, uint64_t address)
{
    uint64_t offset = address - memory->base;
    if (offset >= memory->size)
        return &memory->regions[0];
    return &memory->regions[memory->granule[offset >> GRANULE_SHIFT]];
}

/* The address at which the device reads and writes the byte of an address in the region. */
static inline uint8_t *memory_byte(const struct region *region, uint64_t address)
{
    return (uint8_t *)(uintptr_t)(address + (uint64_t)region->view);
}

/* The value of at most 8 bytes there now, all of them of one region. */
static inline uint64_t memory_value(const struct memory *memory, uint64_t address, uint32_t size)
{
    uint64_t value = 0;
    memcpy(&value, memory_byte(memory_region(memory, address), address), size);
    return value;
}

/* The region nearest to an address that no region holds, of these kinds, or NULL; for findings.
 * kinds: REGION_KIND_BIT() of each.
 * out_distance: bytes from the region's edge; negative = before its start. */
#define REGION_KIND_BIT(kind) (UINT32_C(1) << (kind))
const struct region *memory_nearest(const struct memory *memory, uint64_t address, uint32_t kinds,
                                    int64_t *out_distance);

/* DENY_* of the bytes [address, address + size); of the whole allocation or of a map that holds some of
 * them. */
uint32_t memory_denied(const struct region *region, uint64_t address, uint64_t size);
/* A map that holds some of the bytes and denies some of `deny`, or NULL. */
const struct region_map *memory_map_at(const struct region *region, uint64_t address, uint64_t size,
                                       uint32_t deny);

/* Validity, one bit per byte of the region. */
bool memory_range_valid(const struct region *region, uint64_t address, uint64_t size);
void memory_set_valid(struct region *region, uint64_t address, uint64_t size, bool valid);
/* The bytes became uninitialised by this command, 0: by a kernel. */
void memory_became_unset(struct region *region, uint64_t address, uint64_t size, uint32_t command);

#endif
