/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Affine values seen from handlers: their extremes over a wave's lanes, their
 *          lanes, and their arithmetic on base and steps.
 */
#ifndef ORRERY_INTERP_AFFINE_H
#define ORRERY_INTERP_AFFINE_H

#include <stdbool.h>
#include <stdint.h>

#include "bytecode.h"
#include "wave.h"

/* Largest x and y of the first count lanes. */
struct affine_extent {
    int64_t x, y;
};

static inline struct affine_extent affine_extent(const struct wave *wave, uint32_t count)
{
    const uint32_t row = wave->row;
    if (count <= row)
        return (struct affine_extent){count ? count - 1 : 0, 0};
    return (struct affine_extent){row - 1, (count - 1) / row};
}

/* Lowest and highest offset from base. Steps beyond 2^40 give false: the sums could wrap. */
static inline bool affine_range(const struct affine *a, struct affine_extent extent, int64_t *out_low,
                                int64_t *out_high)
{
    const int64_t limit = (int64_t)1 << 40;
    if (a->step_x >= limit || a->step_x <= -limit || a->step_y >= limit || a->step_y <= -limit)
        return false;
    const int64_t x = a->step_x * extent.x, y = a->step_y * extent.y;
    *out_low = (x < 0 ? x : 0) + (y < 0 ? y : 0);
    *out_high = (x > 0 ? x : 0) + (y > 0 ? y : 0);
    return true;
}

static inline uint64_t affine_lane(const struct affine *a, int32_t x, int32_t y)
{
    return (uint64_t)a->base + (uint64_t)a->step_x * (uint64_t)(int64_t)x +
           (uint64_t)a->step_y * (uint64_t)(int64_t)y;
}

#endif
