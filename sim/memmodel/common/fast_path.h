/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The short ways of the checker: they give the same result as the general way, and sooner. Each use
 *          is counted, so that a test can check that it took one.
 *
 * Interface
 *   fast_path_taken      counts; NULL: not counted
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMON_FAST_PATH_H
#define ORRERY_SIM_MEMMODEL_COMMON_FAST_PATH_H

#include <stddef.h>
#include <stdint.h>

enum fast_path {
    FAST_PATH_CHAIN,         /* one of two maps of a chain holds the other */
    FAST_PATH_SEEN,          /* an object's list has nothing new for the reader, or only some of it is new */
    FAST_PATH_SENT,          /* an object has a fence's message already */
    FAST_PATH_TRIED,         /* a pending message met an acquire fence like this one before */
    FAST_PATH_TOGETHER,      /* members of a group read together */
    FAST_PATH_CALM,          /* a word has atomics only, and this one agrees with them */
    FAST_PATH_MEMBER_UPDATE, /* a relaxed update of a calm word by a unit that did so before */
    FAST_PATH_SIFTED,        /* a wave's updates went through the epoch filter */
    FAST_PATH_SIFTED_LOADS,  /* its atomic loads, or compare-exchanges some of which failed */
    FAST_PATH_SHARED,        /* one more reader of a cell, in a set that cells share */
    /* a plain access that could only be one more of races that were reported, and counted often enough */
    FAST_PATH_ENOUGH,
    FAST_PATH_SINGLE,   /* an atomic that has a cell to itself */
    FAST_PATH_FEW,      /* one more of a few atomics that agree */
    FAST_PATH_FOLLOWED, /* an update took the place of those like it, all of which happen before it */
    FAST_PATH_RESTED,   /* an atomic object was packed */
    FAST_PATH_HANDOFF,  /* a fence whose release has all that its group released before */
    FAST_PATH_ON,       /* a row that continues at the end of the one before it */
    FAST_PATHS
};

static inline void fast_path_taken(uint64_t fast_paths[FAST_PATHS], enum fast_path fast_path)
{
    if (fast_paths)
        fast_paths[fast_path]++;
}

#endif
