/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The caches of a topology, as an observer that counts. Set-associative, least recently used,
 *          write-back, write-allocate; not inclusive. A write takes the line away from every cache that the
 *          writer's unit does not use, a read makes such a cache hand out its changed bytes: MESI, with M and
 *          E as one bit.
 *
 * Interface
 *   caches_new, caches_free
 *   caches_observer           receives accesses and launches; after pages_observer()
 *   caches_forget             an allocation ended: its lines go without a trace
 *   caches_total, _of_*       the counters, for reports; NULL past the end
 *
 * Order    Lanes count one after another, in the order of the events. Host commands pass the caches by:
 *          caches first write back the bytes that they read, and lose those that they write. They count in
 *          rows of their own, in lines of 64 bytes, and at the node of each page that was touched; not in the
 *          total. A line's bytes are watched in 64ths of it: false sharing is exact for lines up to 64 bytes.
 *          A cache that is fully associative is so up to 65536 lines.
 * Memory   Sets are made when they are used. Without memory caches_lost() becomes true, and later accesses
 *          are not counted.
 */
#ifndef ORRERY_SIM_TOPOLOGY_CACHE_MODEL_H
#define ORRERY_SIM_TOPOLOGY_CACHE_MODEL_H

#include "orrery/counters.h"
#include "orrery/memory.h"
#include "orrery/observer.h"
#include "orrery/scenario.h"
#include "pages.h"

struct caches;

/* Borrows all three. memory distinguishes local from global memory. */
struct caches *caches_new(const struct scenario *scenario, const struct memory *memory,
                          const struct pages *pages);
void caches_free(struct caches *caches);
struct observer caches_observer(struct caches *caches);
void caches_forget(struct caches *caches, uint64_t address, uint64_t size);

struct place_counters {
    char *kernel, *file;
    uint32_t line;
    struct counters counters;
};
/* A launch, or (what: "read", "write", "copy", "map", "unmap") a command of the host, which has no kernel
 * and launch 0. */
struct command_counters {
    char *kernel;
    const char *what;
    uint32_t launch, command, device;
    struct counters counters;
};
/* index among the units, caches (the topology's order, root after root) and memories of the machine. node:
 * NULL for the memory of units that are in no NUMA node. */
struct node_counters {
    uint32_t root;
    const struct topology_node *node;
    struct counters counters;
};

bool caches_lost(const struct caches *caches);
const struct counters *caches_total(const struct caches *caches);
const struct counters *caches_of_unit(const struct caches *caches, uint32_t index);
const struct node_counters *caches_of_cache(const struct caches *caches, uint32_t index);
const struct node_counters *caches_of_memory(const struct caches *caches, uint32_t index);
const struct command_counters *caches_of_command(const struct caches *caches, size_t index);
/* in order of first use */
const struct place_counters *caches_of_place(const struct caches *caches, size_t index);

#endif
