/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  How often the instructions of kernels were executed, by source line and class; how many lanes of
 *          their sub-groups took part; and the cost of their accesses to local and global memory.
 *
 * Interface
 *   profile_new, profile_free
 *   profile_add                  the kernel of some code; the same kernel again gives the same entry. NULL:
 *                                out of memory
 *   profile_launch               a launch of so many work-items begins
 *   profile_count                lanes begin a straight piece
 *   profile_count_way            lanes leave a branch by one of its ways
 *   profile_observer             accesses of launches, which belong to the kernel of profile_launch of that
 *                                number
 *   profile_print                tables, the most expensive first
 *   profile_write_json, profile_write_lcov   false: out of memory
 *
 * Meaning  executed: instructions, once for each work-item that executes them. issued: the same for all
 *          work-items of each sub-group in which one does; executed / issued is the efficiency under
 *          divergence. The schedule decides which lanes run together, so issued depends on it; executed does
 *          not. A request is one instruction of one sub-group. On local memory it takes as many passes as
 *          the bank with the most different words has; each but the first is a conflict. On global memory it
 *          takes sectors.
 * Threads  the one that executes commands.
 */
#ifndef ORRERY_SIM_OBSERVERS_EXECUTION_PROFILE_H
#define ORRERY_SIM_OBSERVERS_EXECUTION_PROFILE_H

#include <stdio.h>

#include "orrery/memory.h"
#include "orrery/profile.h"
#include "orrery/scenario.h"

/* MEMORY_COUNTER(ENUM, "name in reports") */
/* clang-format off */
#define PROFILE_MEMORY_LIST(MEMORY_COUNTER)                                                            \
    MEMORY_COUNTER(LOCAL_REQUESTS,  "local_requests")                                                  \
    MEMORY_COUNTER(BANK_CONFLICTS,  "bank_conflicts")                                                  \
    MEMORY_COUNTER(GLOBAL_REQUESTS, "global_requests")                                                 \
    MEMORY_COUNTER(GLOBAL_SECTORS,  "global_sectors")  /* that requests access */                      \
    MEMORY_COUNTER(GLOBAL_BYTES,    "global_bytes")    /* used bytes of them, each once per request */
/* clang-format on */
enum profile_memory {
#define PROFILE_MEMORY_ENUM(name, text) PROFILE_##name,
    PROFILE_MEMORY_LIST(PROFILE_MEMORY_ENUM)
#undef PROFILE_MEMORY_ENUM
        PROFILE_MEMORY_COUNT
};

/* The accesses of one line. */
struct profile_line {
    const char *file;
    uint32_t line;
    uint64_t memory[PROFILE_MEMORY_COUNT];
};

/* A kernel that was launched, or whose program had a kernel launched. */
struct profile_kernel {
    char *name;
    struct profile_code code;            /* copied, with all names */
    uint64_t *executed, *issued, *taken; /* by piece; taken: by way out of a branch */
    uint64_t launches, work_items;
    struct profile_line *lines;
    uint32_t line_count, line_room;
};

struct profile;
struct profile *profile_new(const struct scenario *scenario, const struct memory *memory); /* borrows both */
void profile_free(struct profile *profile);
/* file: the name of a place's file, as reports have it; the result is copied. */
struct profile_namer {
    void *self;
    const char *(*file)(void *self, const struct profile_place *place);
};
struct profile_kernel *profile_add(struct profile *profile, const char *name, const struct profile_code *code,
                                   const struct profile_namer *namer);
void profile_launch(struct profile *profile, struct profile_kernel *kernel, const struct launch_info *launch);
/* Lane 0 is work-item first_lane of its work-group. */
struct profile_lanes {
    const uint64_t *mask; /* LANE_MASK_WORDS words */
    uint32_t lane_count, first_lane, sub_group_size;
};
void profile_count(struct profile_kernel *kernel, uint32_t piece, const struct profile_lanes *lanes);
void profile_count_way(struct profile_kernel *kernel, uint32_t way, const struct profile_lanes *lanes);
struct observer profile_observer(struct profile *profile);

/* profile_report.c. Kernels in the order in which they were added; NULL past the last. */
const struct profile_kernel *profile_kernel_at(const struct profile *profile, size_t index);
const struct scenario *profile_scenario(const struct profile *profile);
bool profile_lost(const struct profile *profile); /* out of memory: the numbers are too low */
void profile_print(const struct profile *profile, FILE *stream);
bool profile_write_json(const struct profile *profile, FILE *stream);
/* profile_lcov.c; the lines are malloc'd, also when out of memory. */
bool profile_idle_lines(const struct profile *profile, struct idle_lines *out_idle);
bool profile_write_lcov(const struct profile *profile, FILE *stream);

#endif
