/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Two accesses that race become a finding: units, places, accesses, why nothing orders them, and a
 *          fix. One finding for each pair of instructions and launch; the others are counted. Suppressions
 *          that name objects distinguish pairs, too.
 *
 * Interface
 *   races_begin    of a launch
 *   races_add      a pair; cheap when its instructions were seen before
 *   races_report     reports those that are new, before anything else happens; a race of several bytes, or of
 *                  several lanes of a wave, comes byte by byte and lane by lane
 *   races_end      passes the report the count of each pair
 */
#ifndef ORRERY_SIM_MEMMODEL_RACE_RACE_H
#define ORRERY_SIM_MEMMODEL_RACE_RACE_H

#include "sim/memmodel/common/code_host.h"
#include "sim/memmodel/explain/explain.h"
#include "race_values.h"
#include "sim/memmodel/shadow/shadow.h"

/* The first time that two instructions raced, until it is reported. */
struct race_unreported {
    struct race race;
    struct context context;
    struct shadow_access now;
    uint64_t unit, end;
};

/* A pair of instructions. */
struct race_pair {
    /* settled: reported, and nothing but its count can change, or only a sample is looked at */
    struct race_counter counter;
    uint64_t seen;    /* pairs that came here: of it, and of those that are like it */
    bool svm_atomics; /* where they first met */
    /* suppressed for the object's sake: of another object the two are another pair */
    bool hidden;
    bool one_wave; /* and the units: of one wave, whose lanes have not parted */
    struct race_unreported unreported;
    /* some, while an edit is sought or could be found wanting: the first few, */
    struct race_instance *meetings;
    uint32_t meeting_count;
    uint32_t reversed_count; /* of those after them a few in which the other place came first, */
    uint64_t next_meeting;   /* and one whenever there are twice as many */
    struct tried_edit tried_edits[2];
    uint32_t tried_edit_count;
    /* they are for two of one work-group: others are looked for when the launch ends, if those are not
     * enough */
    bool compact;
    struct flag flag;
    bool follows; /* from the race on it, which is what to mend */
    /* operation NO_END: none was found; apart: it is looked for again when the launch ends */
    struct side side;
    bool apart;
    /* it may be a race on a flag: for some time it matters whose value was read */
    bool asks;
    /* what is to be added, and is not enough for some later pair */
    struct suggested_fix suggested_fix;
    bool not_covered;
    struct finding finding; /* of its texts only those that identify it in the report */
    char what[2][96], by[2][120], *object;
    bool reported;
    /* the load and the store of x++ are one place: that pair is reported; NULL */
    struct race_pair *like;
    struct race_pair *next, *next_unreported, *next_there; /* next_there: in by_sites[] */
};

struct reporting;

struct races {
    struct report *report;
    const struct checker_host *host;
    const struct memory *memory;
    const struct order *order;
    const struct launch_info *launch;
    struct {
        uint64_t first, count;
    } wave;                        /* the units of the one under way, where they stand in a row */
    const uint32_t *compute_units; /* by group; NULL: not known */
    struct race_pair *pairs;
    struct race_pair *by_sites[COUNTERS];  /* lists, by counter_slot() */
    struct race_counter *recent[COUNTERS]; /* likewise the latest pair of each, for the shadow */
    struct race_pair *unreported_pairs, **unreported_end;
    /* a race on what may be a flag, and those after it: whether others follow from it is known later */
    struct reporting *held, **held_end;
    uint32_t held_count;
    struct passings passings;
    struct locks locks;
    uint64_t explaining;  /* as struct question's spent, of the launch */
    bool by_object;       /* some suppression names one */
    bool accompanied;     /* other launches have run since this one began */
    uint64_t answer_most; /* as struct question's most */
    bool *lost;           /* by space: there may be pairs that were not detected */
    bool failed;
};

/* Of what synchronises at the site, as the source has it: the memory that it acts on lets it count as that
 * or less (3.3.5). */
enum memory_scope race_scope(const struct races *races, uint32_t site, enum memory_scope counts);

void races_begin(struct races *races, const struct launch_info *launch);
void races_add(struct races *races, const struct race *race, const struct shadow_access *now, uint64_t time);
void races_report(struct races *races, const struct race_event *under_way);
void races_end(struct races *races);
/* Why nothing orders the two, and what would, without a report of them. False: no memory. */
bool races_explain(struct races *races, const struct race *race, const struct shadow_access *now,
                   struct answer *out_answer);
/* An access as a finding has it; its texts are the wordings'. */
void races_access(const struct races *races, uint64_t unit, const struct context *how,
                  struct finding_access *access, struct wording *what, struct wording *by);

/* The work-item after a unit that is no copy. */
void race_item(const struct races *races, uint64_t unit, struct item *out_item);
/* Of a launch; without the sub-group and the compute unit. */
void race_launch_item(const struct launch_info *info, uint64_t group, uint64_t local, struct item *out_item);

#endif
