/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of the epoch filter. epochs_body.h is compiled once for each instruction set, with GCC's vectors of
 * its width; what differs more is written with intrinsics here. */
#include "epochs.h"

#include <stddef.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "sim/memmodel/common/lane_mask.h"
#include "orrery/limits.h"
#include "orrery/rule.h"

#define INLINED static inline __attribute__((always_inline))

enum { RUNS_KEPT = HOSTILE(LANE_RUNS_MOST, 5) };

/* ---- runs --------------------------------------------------------------------------------- */

/* Sets bit i if lane i's address follows that of lane i - 1. Bits of the first `done` lanes are right
 * already; all others are 0. */
INLINED void link_rest(const struct lane_list *list, uint32_t done, uint64_t links[LANE_MASK_WORDS])
{
    for (uint32_t i = done ? done : 1; i < list->lanes; i++)
        links[i / 64] |= (uint64_t)(list->address[i] == list->address[i - 1] + list->size) << i % 64;
}

static void links_any(const struct lane_list *list, uint64_t links[LANE_MASK_WORDS])
{
    link_rest(list, 0, links);
}

/* The active part of lanes [from, end), which follow each other. full: all lanes are active. */
INLINED bool add_run(const struct lane_list *list, uint32_t from, uint32_t end, bool full,
                     struct lane_runs *out)
{
    uint32_t one = from, other = end;
    if (!full && !lanes_within(list->mask, from, end, &one, &other))
        return true;
    const uint64_t at = list->address[one] - list->low;
    if (out->count == RUNS_KEPT || at >= list->room || (uint64_t)(other - one) * list->size > list->room - at)
        return false;
    out->run[out->count++] = (struct lane_run){(uint32_t)at, (uint16_t)one, (uint16_t)(other - one)};
    return true;
}

INLINED uint32_t break_count(const struct lane_list *list, const uint64_t links[LANE_MASK_WORDS])
{
    uint32_t linked = 0;
    for (uint32_t w = 0; w < LANE_MASK_WORDS; w++)
        linked += ones_of(links[w]);
    return list->lanes - linked;
}

INLINED bool find_runs(const struct lane_list *list, const uint64_t links[LANE_MASK_WORDS],
                       struct lane_runs *out)
{
    const bool full = all_set(list->mask, 0, list->lanes);
    uint32_t from = 0;
    out->count = 0;
    if (break_count(list, links) > RUNS_KEPT)
        return false;
    for (uint32_t w = 0; w < LANE_MASK_WORDS; w++)
        for (uint64_t breaks = ~links[w]; breaks; breaks &= breaks - 1) {
            const uint32_t end = w * 64 + (uint32_t)__builtin_ctzll(breaks);
            if (end >= list->lanes)
                break;
            if (end && !add_run(list, from, end, full, out))
                return false;
            from = end;
        }
    return add_run(list, from, list->lanes, full, out);
}

/* ---- lists -------------------------------------------------------------------------------- */

INLINED bool list_lanes(const struct lane_list *list, uint32_t *restrict out_at, uint32_t *out_count,
                        uint32_t *out_bits)
{
    const uint64_t low = list->low, last = list->room - list->size;
    const uint64_t *const restrict address = list->address;
    uint64_t outside = 0, bits = 0;
    uint32_t count = 0;
    if (all_set(list->mask, 0, list->lanes))
        for (uint32_t i = 0; i < list->lanes; i++) {
            const uint64_t offset = address[i] - low;
            outside |= offset | (last - offset);
            bits |= offset;
            out_at[count++] = (uint32_t)offset;
        }
    else
        EACH_LANE_OF(list->mask, lane)
        {
            const uint64_t offset = address[lane] - low;
            outside |= offset | (last - offset);
            bits |= offset;
            out_at[count++] = (uint32_t)offset;
        }
    *out_count = count;
    *out_bits = (uint32_t)bits;
    return (int64_t)outside >= 0;
}

INLINED void pack_lanes(const int32_t *restrict values, const uint64_t *mask, int32_t *restrict out)
{
    EACH_LANE_OF(mask, lane)
    *out++ = values[lane];
}

static bool list_any(const struct lane_list *list, uint32_t *out_at, uint32_t *out_count, uint32_t *out_bits)
{
    return list_lanes(list, out_at, out_count, out_bits);
}

static void pack_any(const int32_t *values, const uint64_t *mask, uint32_t lanes, int32_t *out)
{
    (void)lanes;
    pack_lanes(values, mask, out);
}

/* ---- instruction sets ------------------------------------------------------------------------- */

#define TARGET
#define NAME(name) name##_any
#define WIDTH 4
#define BITS       \
    {              \
        1, 2, 4, 8 \
    }
#include "epochs_body.h"

#ifdef __x86_64__
#define TARGET __attribute__((target("avx2,popcnt")))
#define NAME(name) name##_avx2
#define WIDTH 8
#define BITS                        \
    {                               \
        1, 2, 4, 8, 16, 32, 64, 128 \
    }

TARGET static void NAME(links)(const struct lane_list *list, uint64_t links[LANE_MASK_WORDS])
{
    const __m256i step = _mm256_set1_epi64x(list->size);
    uint32_t i = 1;
    for (; i + 4 <= list->lanes; i += 4) {
        const __m256i before = _mm256_loadu_si256((const void *)(list->address + i - 1)),
                      now = _mm256_loadu_si256((const void *)(list->address + i));
        const __m256i same = _mm256_cmpeq_epi64(_mm256_add_epi64(before, step), now);
        const uint64_t bits = (uint64_t)(uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(same));
        links[i / 64] |= bits << i % 64;
        if (i % 64 > 60)
            links[i / 64 + 1] |= bits >> (64 - i % 64);
    }
    link_rest(list, i, links);
}

TARGET static bool NAME(list)(const struct lane_list *list, uint32_t *out_at, uint32_t *out_count,
                              uint32_t *out_bits)
{
    return list_lanes(list, out_at, out_count, out_bits);
}

TARGET static void NAME(pack)(const int32_t *values, const uint64_t *mask, uint32_t lanes, int32_t *out)
{
    (void)lanes;
    pack_lanes(values, mask, out);
}

#include "epochs_body.h"

#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,popcnt")))
#define NAME(name) name##_avx512
#define WIDTH 16
#define BITS                                                                                              \
    {                                                                                                     \
        1, 2, 4, 8, 16, 32, 64, 128, 1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15 \
    }

TARGET static void NAME(links)(const struct lane_list *list, uint64_t links[LANE_MASK_WORDS])
{
    const __m512i step = _mm512_set1_epi64(list->size);
    __m512i before = _mm512_setzero_si512();
    uint32_t i = 0;
    for (uint32_t w = 0; w < LANE_MASK_WORDS; w++) {
        uint64_t word = 0;
        for (; i / 64 == w && i + 8 <= list->lanes; i += 8) {
            const __m512i now = _mm512_loadu_si512(list->address + i),
                          expected = _mm512_add_epi64(_mm512_alignr_epi64(now, before, 7), step);
            word |= (uint64_t)_mm512_cmpeq_epi64_mask(expected, now) << i % 64;
            before = now;
        }
        links[w] = word;
    }
    links[0] &= ~UINT64_C(1);
    link_rest(list, i, links);
}

TARGET static bool NAME(list)(const struct lane_list *list, uint32_t *out_at, uint32_t *out_count,
                              uint32_t *out_bits)
{
    const __m512i low = _mm512_set1_epi64((int64_t)list->low),
                  last = _mm512_set1_epi64((int64_t)(list->room - list->size));
    __m512i bits = _mm512_setzero_si512();
    uint32_t outside = 0, count = 0;
    for (uint32_t i = 0; i < list->lanes; i += 8) {
        const __mmask8 active = (__mmask8)lane_bits(list->mask, i, list->lanes - i < 8 ? list->lanes - i : 8);
        const __m512i offset =
            _mm512_maskz_sub_epi64(active, _mm512_maskz_loadu_epi64(active, list->address + i), low);
        outside |= _mm512_cmpgt_epu64_mask(offset, last);
        bits = _mm512_or_epi64(bits, offset);
        _mm256_storeu_si256((void *)(out_at + count),
                            _mm256_maskz_compress_epi32(active, _mm512_cvtepi64_epi32(offset)));
        count += ones_of(active);
    }
    *out_count = count;
    *out_bits = (uint32_t)_mm512_reduce_or_epi64(bits);
    return !outside;
}

TARGET static void NAME(pack)(const int32_t *values, const uint64_t *mask, uint32_t lanes, int32_t *out)
{
    for (uint32_t i = 0; i < lanes; i += 16) {
        const __mmask16 active = (__mmask16)lane_bits(mask, i, lanes - i < 16 ? lanes - i : 16);
        _mm512_storeu_si512(
            out, _mm512_maskz_compress_epi32(active, _mm512_maskz_loadu_epi32(active, values + i)));
        out += ones_of(active);
    }
}

#include "epochs_body.h"

const struct epoch_loops *epoch_loops(int isa)
{
    const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return isa == 0   ? &loops_any
           : isa == 1 ? (__builtin_cpu_supports("avx2") ? &loops_avx2 : NULL)
           : wide     ? &loops_avx512
                      : NULL;
}
#else
const struct epoch_loops *epoch_loops(int isa)
{
    return isa == 0 ? &loops_any : NULL;
}
#endif

const struct epoch_loops *epoch_loops_best(void)
{
    return epoch_loops(2) ? epoch_loops(2) : epoch_loops(1) ? epoch_loops(1) : epoch_loops(0);
}
