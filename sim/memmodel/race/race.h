/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Makes a finding of two accesses that race: units, places, accesses, why nothing orders them, and a
 *          fix. There is one finding for each pair of instructions and launch; further races are counted.
 *          Where suppressions name objects, races of a pair on different objects are different pairs.
 *
 * Interface
 *   races_begin      of a launch
 *   races_add        one race; cheap when its instructions have raced before
 *   races_report     reports new pairs at the end of the event: races of several bytes, or of several lanes
 *                    of a wave, come byte by byte and lane by lane, and are one finding
 *   races_end        passes the count of each pair to the report
 *   races_explain    explains a pair without reporting it, for a debugger
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
    struct access_context context;
    struct shadow_access now;
    uint64_t unit, end;
};

/* A pair of instructions. */
struct race_pair {
    struct race_counter counter; /* saturated: another race can change only its count */
    uint64_t seen;               /* races of the pair and of those that it represents */
    bool svm_atomics;            /* the memory of the first race has SVM atomics */
    bool hidden;                 /* suppressed by object: races on other objects are another pair */
    bool one_wave;               /* both units of the first race are of one wave that has not diverged */
    struct race_unreported unreported;
    /* Recorded races on which an edit is tried: the first few, then a few in which the other site came first,
     * then one whenever their number has doubled. */
    struct race_instance *instances;
    uint32_t instance_count;
    uint32_t reversed_count;
    uint64_t next_instance;
    struct suggested_fix suggested_fix;
    /* Its edits are for two work-items; at the end of the launch, edits for all that were recorded are
     * searched. */
    bool edits_later;
    bool side_later;        /* FIX_SIDE was not found, and is searched again at the end of the launch */
    bool maybe_flag;        /* may be a race on a flag: each race is recorded for some time */
    bool not_covered;       /* the fix does not cover some later race */
    struct finding finding; /* of its texts only those that identify it in the report */
    char what[2][96], by[2][120], *object;
    bool reported;
    struct race_pair
        *like; /* the representative: the pair of the same places that is reported; NULL: itself */
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
    } wave;                        /* the units of the present wave, if they ascend by one; else count 0 */
    const uint32_t *compute_units; /* by group; NULL: not known */
    struct race_pair *pairs;
    struct race_pair *by_sites[COUNTERS];  /* lists, by counter_slot() */
    struct race_counter *recent[COUNTERS]; /* likewise the latest pair of each, for the shadow */
    struct race_pair *unreported_pairs, **unreported_end;
    /* Findings held back: a race on a possible flag and all after it, which may follow from it. */
    struct reporting *held, **held_end;
    uint32_t held_count;
    struct flag_reads flag_reads;
    struct locks locks;
    uint64_t explaining;  /* work spent on explanations in this launch (struct question) */
    bool by_object;       /* some suppression names an object */
    bool accompanied;     /* other launches have run since this one began */
    uint64_t answer_most; /* the most work for one explanation */
    bool *lost;           /* by space: races of some pair may have been missed */
    bool failed;
};

enum finding_kind race_kind(const struct race *race);
/* Ends the recording of the pair's races. */
void race_pair_drop_instances(struct race_pair *pair);

/* The scope in the source of the operation at the site, which counts as `counts` after reduction (3.3.5). */
enum memory_scope race_scope(const struct races *races, uint32_t site, enum memory_scope counts);

void races_begin(struct races *races, const struct launch_info *launch);
void races_add(struct races *races, const struct race *race, const struct shadow_access *now, uint64_t time);
void races_report(struct races *races, const struct race_event *under_way);
void races_end(struct races *races);
/* False: no memory. */
bool races_explain(struct races *races, const struct race *race, const struct shadow_access *now,
                   struct answer *out_answer);
/* Describes an access for a finding; the wordings own its texts. */
void races_access(const struct races *races, uint64_t unit, const struct access_context *how,
                  struct finding_access *access, struct wording *what, struct wording *by);

/* The work-item of a unit, which is no copy's. */
void race_item(const struct races *races, uint64_t unit, struct item *out_item);
/* A work-item of a launch; sub-group and compute unit are not set. */
void race_launch_item(const struct launch_info *info, uint64_t group, uint64_t local, struct item *out_item);

#endif
