/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Counters of the checker's fast paths: shortcuts that give the result of the general way in less
 *          time. Tests read the counters to see that a program took a path.
 *
 * Interface
 *   fast_path_taken      counts one use; NULL: nothing is counted
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMON_FAST_PATH_H
#define ORRERY_SIM_MEMMODEL_COMMON_FAST_PATH_H

#include <stddef.h>
#include <stdint.h>

enum fast_path {
    FAST_PATH_CHAIN,         /* of two clocks of one chain one dominates the other */
    FAST_PATH_LIST_READ,     /* an object's list has nothing new for the unit, or only a part of it is new */
    FAST_PATH_READ_TOGETHER, /* members of a work-group that spin read together */
    FAST_PATH_MEMBER_UPDATE, /* a relaxed update by a unit that did one before, of a race-free word */
    FAST_PATH_FILTERED_UPDATES, /* a wave's updates went through the epoch filter */
    FAST_PATH_FILTERED_LOADS,   /* a wave's atomic loads, or compare-exchanges some of which failed, did */
    FAST_PATH_SHARED_READERS,   /* one more reader of a cell, in a set that cells share */
    /* a plain access whose races are all of saturated sites */
    FAST_PATH_SATURATED,
    FAST_PATH_OWN_CELL,    /* an atomic that has a cell to itself */
    FAST_PATH_FEW_ATOMICS, /* one more of a few atomics that do not conflict */
    FAST_PATH_REPLACED,    /* an update replaced those like it, which all happen before it */
    FAST_PATH_PACKED,      /* an atomic object was packed */
    FAST_PATH_HANDOFF,     /* a fence released into its group's hand-off */
    FAST_PATHS
};

static inline void fast_path_taken(uint64_t fast_paths[FAST_PATHS], enum fast_path fast_path)
{
    if (fast_paths)
        fast_paths[fast_path]++;
}

#endif
