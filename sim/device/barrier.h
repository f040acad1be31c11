/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Where the waves of a work-group wait for each other: barriers and group
 *          functions, of the work-group and of its sub-groups.
 *
 * Rules    A wave that stops waits with its active lanes only.  A wait of a sub-group is completed as soon as
 *          it can be; a wait of the work-group when no wave is ready.  Work-items at fault are not waited
 *          for.  When not all reached the same place, that is a finding, and all continue: a device counts
 *          arrivals and would do no better.
 */
#ifndef ORRERY_SIM_DEVICE_BARRIER_H
#define ORRERY_SIM_DEVICE_BARRIER_H

#include "group.h"

bool barrier_passes_alone(const struct group *group, const struct wave *wave);
void barrier_pass(struct group *group, const uint32_t *indices, uint32_t count);
void barrier_arrived(struct group *group, uint32_t index);
void barrier_settle(struct group *group);

/* Of a wave that stopped at a barrier or collective. */
bool wave_waits_in_sub_group(const struct wave *wave);
bool wave_waits_at_work_group_barrier(const struct wave *wave);
/* at one place, in one iteration of the loops around it */
bool wave_waits_with(const struct wave *a, const struct wave *b);

static inline uint32_t lane_mask_count(const lane_mask *mask)
{
    uint32_t count = 0;
    for (int i = 0; i < LANE_MASK_WORDS; i++)
        count += (uint32_t)__builtin_popcountll(mask->word[i]);
    return count;
}

static inline bool lane_mask_empty(const lane_mask *mask)
{
    return !(mask->word[0] | mask->word[1] | mask->word[2] | mask->word[3]);
}

static inline lane_mask lane_mask_minus(const lane_mask *a, const lane_mask *b)
{
    lane_mask result;
    for (int i = 0; i < LANE_MASK_WORDS; i++)
        result.word[i] = a->word[i] & ~b->word[i];
    return result;
}

/* The first lane at or after lane, or WAVE_LANES_MAX. */
static inline uint32_t lane_mask_next(const lane_mask *mask, uint32_t lane)
{
    for (; lane < WAVE_LANES_MAX; lane = (lane | 63) + 1) {
        uint64_t rest = mask->word[lane / 64] >> lane % 64;
        if (rest)
            return lane + (uint32_t)__builtin_ctzll(rest);
    }
    return WAVE_LANES_MAX;
}

#endif
