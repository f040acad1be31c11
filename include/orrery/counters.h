/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The counters of the cache and memory model: exact numbers of accesses by place, no times.
 *
 * Interface
 *   struct counters   of a compute unit, a cache, a NUMA node, a source line, a launch or all
 *   counter_name      "remote_bytes"
 *
 * Meaning  An access is one work-item's load, store or atomic of global memory; one that
 *          crosses lines counts once for each.  Local and private memory are at the unit
 *          and are not counted.  Of a cache, the accesses are those that reached it; of
 *          anything else, a hit was served by some cache and a miss by memory, and
 *          evictions, write-backs and invalidations are those that the accesses caused.
 *          Commands of the host pass the caches by, in lines of 64 bytes, all misses.
 */
#ifndef ORRERY_COUNTERS_H
#define ORRERY_COUNTERS_H

#include <stdint.h>

/* COUNTER(ENUM, "name in reports") */
/* clang-format off */
#define COUNTER_LIST(COUNTER)                                                                                 \
    COUNTER(ACCESSES,        "accesses")                                                                      \
    COUNTER(WRITES,          "writes")          /* of the accesses; atomics that write, too */                \
    COUNTER(BYTES,           "bytes")           /* loaded and stored by work-items */                         \
    COUNTER(HITS,            "hits")                                                                          \
    COUNTER(MISSES,          "misses")                                                                        \
    COUNTER(EVICTIONS,       "evictions")       /* lines that gave way to others */                           \
    COUNTER(WRITE_BACKS,     "write_backs")     /* changed lines handed outwards */                           \
    COUNTER(INVALIDATIONS,   "invalidations")   /* lines lost since another cache's unit wrote to them */     \
    COUNTER(FALSE_SHARING,   "false_sharing")   /* ... to bytes that the losing cache's units never used */   \
    COUNTER(MEMORY_ACCESSES, "memory_accesses") /* lines, or parts, that came from memory or went there */    \
    COUNTER(REMOTE_ACCESSES, "remote_accesses") /* ... of another NUMA node than the unit's */                \
    COUNTER(REMOTE_BYTES,    "remote_bytes")
/* clang-format on */

enum counter {
#define COUNTER_ENUM(name, text) COUNTER_##name,
    COUNTER_LIST(COUNTER_ENUM)
#undef COUNTER_ENUM
    COUNTER_COUNT
};
struct counters { uint64_t value[COUNTER_COUNT]; };
const char *counter_name(enum counter counter);

#endif
