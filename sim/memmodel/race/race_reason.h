/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Why the order that the launch recorded does not order the two accesses of a race, in a sentence,
 *          with a general fix, and which searches of explain.h may find a fix that fits the kernel.
 *
 * Interface
 *   race_reason        finds the reason; there always is one
 *   race_reason_edge   the reason is an edge that would order the accesses, were it not for one fault
 *   race_reason_copy   the reason for a race with an asynchronous copy within a work-group
 *   race_reason_blame  adds an instruction to the blamed ones
 */
#ifndef ORRERY_SIM_MEMMODEL_RACE_RACE_REASON_H
#define ORRERY_SIM_MEMMODEL_RACE_RACE_REASON_H

#include "orrery/checked.h"
#include "race.h"

/* Searches for a fix, in the order in which they are made. */
enum race_search {
    SEARCH_RELEASE_CLOCK = 1 << 0,  /* barriers beside a release and an acquire of others */
    SEARCH_WIDER_BARRIER = 1 << 1,  /* a barrier of the work-group in the place of the narrow one */
    SEARCH_ADDITION = 1 << 2,       /* a barrier, a second kernel, or atomic accesses; else advice */
    SEARCH_IMAGE_FENCE = 1 << 3,    /* a fence between a work-item's write of an image and its read */
    SEARCH_BARRIER_BEFORE = 1 << 4, /* a barrier before the copy that is the second access */
    SEARCH_WAIT = 1 << 5,           /* a wait for the copy that is the first access */
    SEARCH_SIDE = 1 << 6,           /* an access on the wrong side of a release or acquire */
};

struct race_reason {
    struct wording why, fix;
    uint32_t searches; /* a set of enum race_search */
    struct narrow_barrier narrow;
    uint32_t blamed[2], blamed_count;
};

/* A race, and what its reasons ask for. */
struct racing_pair {
    const struct races *races;
    const struct checker_host *host;
    const struct order *order;
    const struct race *race;
    bool sampled;                                /* the later access reads an image with a sampler */
    const struct access_context *first, *second; /* the earlier and the later access */
    const struct unit_state *unit_state;         /* of the later access */
    const char *space_word, *region_flag;
    int space;
    bool same_group;
};

static inline void race_reason_blame(struct race_reason *reason, uint32_t site)
{
    CHECKED(site == UINT32_MAX || reason->blamed_count < sizeof reason->blamed / sizeof *reason->blamed);
    if (site != UINT32_MAX)
        reason->blamed[reason->blamed_count++] = site;
}

void race_reason(struct race_reason *out_reason, const struct races *races, const struct race *race,
                 const struct shadow_access *now);
bool race_reason_edge(struct race_reason *reason, const struct racing_pair *pair);
bool race_reason_copy(struct race_reason *reason, const struct racing_pair *pair);

#endif
