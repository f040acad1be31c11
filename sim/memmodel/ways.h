/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The short ways of the checker: what gives the same result as the general way, and sooner. How often each was
 *          taken is counted, so that tests know whether they came by it.
 *
 * Interface
 *   way_taken      counts; NULL: nobody wants to know
 */
#ifndef ORRERY_MEMMODEL_WAYS_H
#define ORRERY_MEMMODEL_WAYS_H

#include <stddef.h>
#include <stdint.h>

enum way {
    WAY_CHAIN,      /* one of two maps of a chain holds the other */
    WAY_SEEN,       /* an object's list has nothing new for the reader, or only some of it is new */
    WAY_SENT,       /* an object has a fence's message already */
    WAY_TRIED,      /* a pending message met an acquire fence like this one before */
    WAY_AGAIN,      /* an update of an object by a unit with one fence: all places are known */
    WAY_SUCCESSION, /* likewise by members of a group, each of which holds what the one before sent */
    WAY_TOGETHER,   /* members of a group read together */
    WAY_WAITING,    /* those read on together, and one sender has sent more */
    WAY_REPEATED,   /* the unit's same atomic stands in the shadow already */
    WAY_CALM,       /* a word has atomics only, and this one agrees with them */
    WAY_IN_TURN,    /* a relaxed update of a calm word by a unit that did so before */
    WAY_SIFTED,     /* a wave's updates went through the sieve */
    WAY_SIFTED_LOADS, /* its atomic loads, or compare-exchanges some of which failed */
    WAY_SHARED,     /* one more reader of a cell, in a set that cells share */
    WAY_ENOUGH,     /* a plain access that could only be one more of races that were told, and counted often enough */
    WAY_LONE,       /* an atomic that has a cell to itself */
    WAY_FEW,        /* one more of a few atomics that agree */
    WAY_FOLLOWED,   /* an update took the place of those like it, all of which it knows of */
    WAY_RESTED,     /* an atomic object was packed */
    WAY_RELAY,      /* a fence whose release knows all that its group released before */
    WAY_ON,         /* a row that goes on where the one before it ended */
    WAYS
};

static inline void way_taken(uint64_t ways[WAYS], enum way way)
{
    if (ways)
        ways[way]++;
}

#endif
