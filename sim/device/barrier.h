/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Where the waves of a work-group wait for each other: barriers and group
 *          functions, of the work-group and of its sub-groups.
 *
 * Rules    A wave that stops waits with its active lanes only. A wait of a sub-group is completed as soon as
 *          all of it has arrived; a wait of the work-group when no wave is ready. No wait includes
 *          work-items that a fault stopped. If the work-items wait at different places, that is a finding,
 *          and all continue, as on a device that only counts arrivals.
 *
 * Interface
 *   barrier_passes_alone   the wave's active lanes are all that the wait needs
 *   barrier_pass           completes the wait of the waves at `indices`
 *   barrier_arrived        a wave waits: completes a wait within its sub-group, or at a named barrier
 *   barrier_settle         no wave is ready: completes a wait, with a finding if work-items are missing
 */
#ifndef ORRERY_SIM_DEVICE_BARRIER_H
#define ORRERY_SIM_DEVICE_BARRIER_H

#include "group.h"

bool barrier_passes_alone(const struct group *group, const struct wave *wave);
void barrier_pass(struct group *group, const uint32_t *indices, uint32_t count);
void barrier_arrived(struct group *group, uint32_t index);
void barrier_settle(struct group *group);

/* For a wave that stopped at a barrier or group function. */
bool barrier_waits_in_work_group(const struct wave *wave);
/* The two wait together: at one site, in one iteration of the loops around it. */
bool barrier_waits_with(const struct wave *a, const struct wave *b);

static inline uint32_t lane_mask_count(const lane_mask *mask)
{
    uint32_t count = 0;
    for (int i = 0; i < LANE_MASK_WORDS; i++)
        count += ones_of(mask->word[i]);
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

/* The first lane of the mask from `lane` on; WAVE_LANES_MAX: none. */
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
