/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The caches of a topology, as an observer that counts. They are set-associative, write-back and
 *          write-allocate, replace the least recently used line, and are not inclusive. A write removes the
 *          line from every cache off the writer's path; a read makes such a cache hand out its changed
 *          bytes: MESI, with M and E as one bit.
 *
 * Interface
 *   caches_new, caches_free
 *   caches_observer           receives accesses and launches; add it after pages_observer()
 *   caches_forget             an allocation ended: its lines are dropped and not counted
 *   caches_total, _of_*       the counters, for reports; NULL past the end
 *
 * Order    Lanes count one after another, in the order of the events. Host commands bypass the caches:
 *          caches first write back the bytes that a command reads, and lose those that it writes. Commands
 *          count in rows of their own, in lines of 64 bytes and at the node of each page that was touched,
 *          but not in the total. The bytes of a line are tracked in 64ths of it, so false sharing is exact
 *          for lines up to 64 bytes. A fully associative cache has at most 65536 lines.
 * Memory   Sets are allocated when they are used. Out of memory, caches_lost() becomes true, and later
 *          accesses are not counted.
 */
#ifndef ORRERY_SIM_TOPOLOGY_CACHE_MODEL_H
#define ORRERY_SIM_TOPOLOGY_CACHE_MODEL_H

#include "orrery/counters.h"
#include "orrery/memory.h"
#include "orrery/observer.h"
#include "orrery/scenario.h"
#include "pages.h"

struct caches;

/* Borrows all three. `memory` distinguishes local from global memory. */
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
/* A launch or a host command (what: "read", "write", "copy", "map", "unmap"), which has no kernel and
 * launch 0. */
struct command_counters {
    char *kernel;
    const char *what;
    uint32_t launch, command, device;
    struct counters counters;
};
/* index: among the machine's units, caches (in the topology's order, root after root) and memories. node:
 * NULL for the memory of units outside of NUMA nodes. */
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
