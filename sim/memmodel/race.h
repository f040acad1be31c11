/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Two accesses that race become a finding: who, where, what, why nothing orders them,
 *          and what would. One finding for each pair of instructions and launch; the others
 *          are counted.
 *
 * Interface
 *   races_begin    of a launch
 *   races_add      a pair; cheap when its instructions were seen before
 *   races_tell     those that are new, before anything else happens; a race of several bytes, or of several lanes of a
 *                  wave, comes byte by byte and lane by lane
 *   races_end      tells the report how often each pair came
 */
#ifndef ORRERY_MEMMODEL_RACE_H
#define ORRERY_MEMMODEL_RACE_H

#include "checker.h"
#include "explain.h"
#include "shadow.h"

/* The first time that two instructions raced, until it is told. */
struct race_news { struct race race; struct context context; struct shadow_access now; uint64_t unit, end; };

/* A pair of instructions. */
struct race_pair {
    uint32_t site[2];
    int space;
    bool svm_atomics;                 /* where they first met */
    bool unseen;
    uint64_t count;
    uint64_t last_unit[2], last_time; /* the latest pair: bytes of one access count once */
    struct race_news news;
    struct meeting *meetings; uint32_t meeting_count; /* the first few, while an edit is sought or could be found wanting */
    struct amendment amendments[2]; uint32_t amendment_count;
    struct remedy remedy; bool not_served; /* what is to be added, and is not enough for some later pair */
    struct finding finding;           /* without its texts */
    char what[2][96];
    bool told, settled;               /* settled: told, and nothing but its count can change */
    struct race_pair *like;           /* the load and the store of x++ are one place: that pair counts; NULL */
    struct race_pair *next, *next_untold;
};

enum { PAIRS_RECENT = HOSTILE(64, 1) };

struct races {
    struct report *report;
    const struct checker_host *host;
    const struct memory *memory;
    const struct order *order;
    const struct launch_info *launch;
    const uint32_t *compute_units;    /* by group; NULL: not known */
    struct race_pair *pairs;
    struct race_pair *recent[PAIRS_RECENT]; /* by their sites */
    struct race_pair *untold, **untold_end;
    uint32_t pair_count;
    bool failed;
};

void races_begin(struct races *races, const struct launch_info *launch);
void races_add(struct races *races, const struct race *race, const struct shadow_access *now, uint64_t time);
void races_tell(struct races *races);
void races_end(struct races *races);

static inline struct race_pair **race_recent(struct races *races, uint32_t a, uint32_t b)
{
    return &races->recent[(a + b) % PAIRS_RECENT];
}

static inline bool race_is_pair(const struct race_pair *pair, uint32_t a, uint32_t b, const struct race *race)
{
    return pair->space == race->region->space && pair->unseen == race->unseen && ((pair->site[0] == a && pair->site[1] == b) || (pair->site[0] == b && pair->site[1] == a));
}

/* Bytes of one access count once. */
static inline bool race_is_counted(struct race_pair *pair, const struct race *race, const struct shadow_access *now, uint64_t time)
{
    if (pair->count && pair->last_time == time && pair->last_unit[0] == race->unit && pair->last_unit[1] == now->agent->unit)
        return true;
    pair->last_time = time;
    pair->last_unit[0] = race->unit;
    pair->last_unit[1] = now->agent->unit;
    pair->count++;
    return false;
}

/* now->agent need not be known but for its unit. False: nothing was done, for it takes more than to count. */
static inline bool races_count(struct races *races, const struct race *race, const struct shadow_access *now, uint64_t time)
{
    struct race_pair *pair = *race_recent(races, race->context->site, now->how.site);
    if (!pair || !race_is_pair(pair, race->context->site, now->how.site, race) || !pair->settled)
        return false;
    race_is_counted(pair, race, now, time);
    return true;
}

/* The work-item behind a unit that is no copy. */
void race_item(const struct races *races, uint64_t unit, struct item *out_item);

#endif
