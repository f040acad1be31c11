/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Compares the reports of a trace with the races that the oracle finds, both ways: whatever is
 *          reported races, and whatever races is reported, with one exception: once something
 *          has raced at a place, later races there may be unreported.
 *
 * Place    A finding's lines are sites + 1 (race_world.c passes them so), its offset is counted from the
 *          beginning of its memory. Where the checker keeps four bytes together, so does this: a granule is
 *          four bytes.
 *
 * Interface, each NULL, or what is wrong; race_oracle_order has been called
 *   race_judge_findings    each finding is true, each granule with a race has one
 *   race_judge_pairs       each pair of places of the program is reported unless a later access stands
 *                          for it: one that is ordered after it, or a reported one of the same work-item
 *   race_judge_conflicts    what was reported of work-groups that are launches (inter_launch.h), both ways
 */
#ifndef ORRERY_TESTS_SUPPORT_RACE_JUDGE_H
#define ORRERY_TESTS_SUPPORT_RACE_JUDGE_H

#include "orrery/report.h"
#include "race_oracle.h"

/* Two accesses of two launches that were reported to race: by which operations of which items, or of
 * copies, at which byte. */
struct conflict {
    uint32_t site[2], item[2];
    bool copy[2];
    uint64_t offset_bytes;
    bool image;
};

const char *race_judge_findings(const struct race_oracle *oracle, const struct report *report);
const char *race_judge_pairs(const struct race_oracle *oracle, const struct report *report);
const char *race_judge_conflicts(const struct race_oracle *oracle, const struct conflict *conflicts,
                                uint32_t count);

#endif
