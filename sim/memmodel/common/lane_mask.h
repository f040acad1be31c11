/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Lane masks of LANE_MASK_WORDS words of 64 bits, as the events of observer.h have them.
 *
 * Interface
 *   EACH_LANE_OF(mask, lane)   a loop over the lanes that are set, ascending
 *   all_set                    are all lanes of a row set?
 *   next_lane, lane_bits, lanes_within, lanes_between   parts of a mask
 *   only_lane                  the one lane that is set
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMON_LANE_MASK_H
#define ORRERY_SIM_MEMMODEL_COMMON_LANE_MASK_H

#include "orrery/observer.h"

#define EACH_LANE_OF(mask, lane)                      \
    for (uint32_t w_ = 0; w_ < LANE_MASK_WORDS; w_++) \
        for (uint64_t rest_ = (mask)[w_], lane;       \
             rest_ && (lane = w_ * 64 + (uint64_t)__builtin_ctzll(rest_), true); rest_ &= rest_ - 1)

static inline bool all_set(const uint64_t *mask, uint32_t from, uint32_t count)
{
    for (uint32_t lane = from; lane < from + count;) {
        uint32_t room = 64 - lane % 64, part = from + count - lane < room ? from + count - lane : room;
        uint64_t bits = part == 64 ? ~UINT64_C(0) : (UINT64_C(1) << part) - 1;
        if ((mask[lane / 64] >> lane % 64 & bits) != bits)
            return false;
        lane += part;
    }
    return true;
}

/* The first lane of [from, end) that is set, or clear if `set` is false; `end`: there is none. */
static inline uint32_t next_lane(const uint64_t *mask, uint32_t from, uint32_t end, bool set)
{
    while (from < end) {
        uint64_t word = (set ? mask[from / 64] : ~mask[from / 64]) >> from % 64;
        if (word) {
            from += (uint32_t)__builtin_ctzll(word);
            return from < end ? from : end;
        }
        from = (from | 63) + 1;
    }
    return end;
}

/* The bits [from, from + count); count is at most 64. */
static inline uint64_t lane_bits(const uint64_t *mask, uint32_t from, uint32_t count)
{
    const uint32_t at = from % 64;
    uint64_t bits = mask[from / 64] >> at;
    if (at + count > 64)
        bits |= mask[from / 64 + 1] << (64 - at);
    return count < 64 ? bits & ((UINT64_C(1) << count) - 1) : bits;
}

/* One more than the last lane of [from, end) that is set; `from`: none is. */
static inline uint32_t last_lane(const uint64_t *mask, uint32_t from, uint32_t end)
{
    while (end > from) {
        const uint64_t word = mask[(end - 1) / 64] << (63 - (end - 1) % 64);
        if (word) {
            const uint32_t skipped = (uint32_t)__builtin_clzll(word);
            return end - from > skipped ? end - skipped : from;
        }
        end = (end - 1) & ~63u;
    }
    return from;
}

/* The lanes of [from, end) that are set lie in [*out_one, *out_other). False: none is set, and both are
 * `end`. */
static inline bool lanes_within(const uint64_t *mask, uint32_t from, uint32_t end, uint32_t *out_one,
                                uint32_t *out_other)
{
    if (end - from <= 64) {
        const uint64_t bits = lane_bits(mask, from, end - from);
        *out_one = bits ? from + (uint32_t)__builtin_ctzll(bits) : end;
        *out_other = bits ? from + 64 - (uint32_t)__builtin_clzll(bits) : end;
        return bits;
    }
    *out_one = next_lane(mask, from, end, true);
    *out_other = last_lane(mask, *out_one, end);
    return *out_one < end;
}

/* Copies the lanes of [from, end). False: none is set. */
static inline bool lanes_between(const uint64_t *mask, uint32_t from, uint32_t end,
                                 uint64_t out[LANE_MASK_WORDS])
{
    uint64_t any = 0;
    for (uint32_t w = 0; w < LANE_MASK_WORDS; w++) {
        const uint64_t above = from <= w * 64        ? ~UINT64_C(0)
                               : from < (w + 1) * 64 ? ~UINT64_C(0) << from % 64
                                                     : 0;
        const uint64_t below = end >= (w + 1) * 64 ? ~UINT64_C(0)
                               : end > w * 64      ? (UINT64_C(1) << end % 64) - 1
                                                   : 0;
        any |= out[w] = mask[w] & above & below;
    }
    return any;
}

/* False: several lanes are set, or none. */
static inline bool only_lane(const uint64_t mask[LANE_MASK_WORDS], uint32_t lanes, uint64_t *out_lane)
{
    if (lanes <= 64) {
        if (!mask[0] || mask[0] & (mask[0] - 1))
            return false;
        *out_lane = (uint64_t)__builtin_ctzll(mask[0]);
        return true;
    }
    uint64_t word = 0, doubled = 0;
    uint32_t at = 0;
    for (uint32_t w = 0; w < LANE_MASK_WORDS; w++) {
        doubled |= mask[w] ? word : 0;
        at = mask[w] ? w : at;
        word |= mask[w];
    }
    *out_lane = at * 64 + (uint64_t)(word ? __builtin_ctzll(word) : 0);
    return word && !(word & (word - 1)) && !doubled;
}

#endif
