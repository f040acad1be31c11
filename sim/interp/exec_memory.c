/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers of global, constant and local memory. One check covers a batch: the corners of an affine
 * address, or all addresses against the region of the first. Batches that fail the check go lane by lane
 * through access.c, which finds the lanes at fault. */
#include "access.h"
#include "affine.h"
#include "wave_enqueue.h"
#include "lanes.h"
#include "wave_pipe.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define IMMEDIATE_OFFSET ((u64)(i64)(i32)insn->b)

static inline uint32_t site_align(const struct wave *wave, const struct insn *insn)
{
    return wave->code->sites[insn->e].align;
}

/* out_view: the region's, if the result is true. */
static inline bool span_permitted(const struct wave *wave, u64 first, u64 bytes, uint32_t deny, i64 *out_view)
{
    const struct region *region = memory_region(wave->memory, first);
    *out_view = region->view;
    return first >= region->low && first <= region->high && bytes <= region->high - first &&
           !(region->deny & deny);
}

static inline bool uniform_permitted(const struct wave *wave, const struct insn *insn, u64 address,
                                     uint32_t bytes, uint32_t deny, i64 *out_view)
{
    return access_flat(wave) && span_permitted(wave, address, bytes, deny, out_view) &&
           !(address & (u64)(i64)((i32)site_align(wave, insn) - 1));
}

static inline bool affine_permitted(const struct wave *wave, const struct insn *insn, const struct affine *a,
                                    uint32_t bytes, uint32_t deny, i64 *out_view)
{
    i64 low, high;
    if (a->general || !access_flat(wave) ||
        !affine_range(a, affine_extent(wave, wave->lane_count), &low, &high))
        return false;
    const u64 base = (u64)a->base + IMMEDIATE_OFFSET;
    return span_permitted(wave, base + (u64)low, (u64)(high - low) + bytes, deny, out_view) &&
           !((base | (u64)a->step_x | (u64)a->step_y) & (u64)(i64)((i32)site_align(wave, insn) - 1));
}

/* The lanes from the first active one to the last; whole rows if they are in several. */
struct lane_window {
    size_t first, end;
};

static inline struct lane_window active_window(const struct wave *wave)
{
    struct lane_window w = {first_active(wave), 0};
    for (size_t k = 0; k < LANE_MASK_WORDS; k++)
        if (wave->active.word[k])
            w.end = k * 64 + 64 - (size_t)__builtin_clzll(wave->active.word[k]);
    const size_t row = wave->row, last = (w.end - 1) / row * row;
    if (w.first / row * row != last) {
        w.first -= w.first % row;
        w.end = last + row < wave->lane_count ? last + row : wave->lane_count;
    }
    return w;
}

/* Checks the window alone, since addresses of lanes outside of it do not count. */
static __attribute__((noinline)) bool window_permitted(const struct wave *wave, const struct insn *insn,
                                                       const struct affine *a, uint32_t bytes, uint32_t deny,
                                                       struct lane_window window, i64 *out_view)
{
    const uint32_t row = wave->row;
    struct affine part = *a;
    part.base += a->step_x * (i64)(window.first % row) + a->step_y * (i64)(window.first / row);
    const size_t lanes = window.end - window.first;
    const struct affine_extent extent = lanes <= row
                                            ? (struct affine_extent){(i64)lanes - 1, 0}
                                            : (struct affine_extent){row - 1, (i64)((lanes - 1) / row)};
    i64 low, high;
    if (wave->full || !access_flat(wave) || !affine_range(&part, extent, &low, &high))
        return false;
    const u64 base = (u64)part.base + IMMEDIATE_OFFSET;
    return span_permitted(wave, base + (u64)low, (u64)(high - low) + bytes, deny, out_view) &&
           !((base | (u64)a->step_x | (u64)a->step_y) & (u64)(i64)((i32)site_align(wave, insn) - 1));
}

/* The region of the first active lane, if it permits accesses of so many bytes; else NULL. */
static inline const struct region *first_region(const struct wave *wave, const struct insn *insn,
                                                const u64 *addresses, uint32_t bytes, uint32_t deny)
{
    const struct region *region =
        memory_region(wave->memory, addresses[first_active(wave)] + IMMEDIATE_OFFSET);
    return access_flat(wave) && region->low <= region->high && region->high - region->low >= bytes &&
                   !(region->deny & deny)
               ? region
               : NULL;
}

/* The same for general addresses: checks active lanes alone. */
static __attribute__((noinline)) bool active_permitted(const struct wave *wave, const struct insn *insn,
                                                       const u64 *addresses, uint32_t bytes, uint32_t deny,
                                                       i64 *out_view)
{
    const struct region *region = first_region(wave, insn, addresses, bytes, deny);
    if (!region)
        return false;
    *out_view = region->view;
    const u64 low = region->low - IMMEDIATE_OFFSET, room = region->high - region->low - bytes,
              align = site_align(wave, insn) - 1, offset = IMMEDIATE_OFFSET;
    u64 bad = 0;
    EACH_WORD(w, wave->n)
    for (uint64_t bits = wave->active.word[w]; bits; bits &= bits - 1) {
        const u64 address = addresses[w * 64 + (size_t)__builtin_ctzll(bits)];
        bad |= (u64)(address - low > room) | ((address + offset) & align);
    }
    return !bad;
}

/* Checks all lanes against the region of the first active one, inactive lanes too, because loads read
 * them. */
static inline bool list_permitted(const struct wave *wave, const struct insn *insn, const u64 *addresses,
                                  uint32_t bytes, uint32_t deny, i64 *out_view)
{
    const size_t count = wave->lane_count;
    const struct region *region = first_region(wave, insn, addresses, bytes, deny);
    if (!region)
        return false;
    *out_view = region->view;
    const u64 low = region->low - IMMEDIATE_OFFSET, room = region->high - region->low - bytes,
              align = site_align(wave, insn) - 1, offset = IMMEDIATE_OFFSET;
    /* Lemma: no region has 2^63 bytes, so x > room shows in the top bit of x or of room - x. SSE2 does not
     * compare 64-bit lanes. */
    u64 outside = 0, odd = 0;
    EACH_LANE(i, count)
    {
        const u64 x = addresses[i] - low;
        outside |= x | (room - x);
        odd |= addresses[i] + offset;
    }
    return !(outside >> 63) && !(odd & align);
}

#define SLOTS (insn->f == 1 ? &insn->d : &wave->code->operands[insn->d])
/* The byte of an address in the device's own mapping; see BYTE_AT in exec_atomic.c. */
#define FLAT(address) ((uint8_t *)(uintptr_t)((address) + (u64)view))

/* ---- rows ------------------------------------------------------------------------------ */

/* Loads and stores one row of lanes, or all lanes when their rows follow each other in memory. */
#define ROWS(size)                                                                                       \
    static inline void load_row_##size(u##size *to, const uint8_t *from, i64 step, size_t count)         \
    {                                                                                                    \
        if (step == sizeof *to) {                                                                        \
            memcpy(to, from, count * sizeof *to);                                                        \
        } else if (step == 0) {                                                                          \
            u##size value;                                                                               \
            memcpy(&value, from, sizeof value);                                                          \
            EACH_LANE(i, count) to[i] = value;                                                           \
        } else if (step == 4 * sizeof *to) { /* one component of a vector of four */                     \
            EACH_LANE(i, count) memcpy(&to[i], from + i * 4 * sizeof *to, sizeof *to);                   \
        } else if (step == 2 * sizeof *to) {                                                             \
            EACH_LANE(i, count) memcpy(&to[i], from + i * 2 * sizeof *to, sizeof *to);                   \
        } else {                                                                                         \
            for (size_t i = 0; i < count; i++)                                                           \
                memcpy(&to[i], from + (i64)i * step, sizeof *to);                                        \
        }                                                                                                \
    }                                                                                                    \
    static inline void store_row_##size(uint8_t *to, const u##size *from, i64 step, size_t count)        \
    {                                                                                                    \
        if (step == sizeof *from) {                                                                      \
            memcpy(to, from, count * sizeof *from);                                                      \
        } else {                                                                                         \
            for (size_t i = 0; i < count; i++)                                                           \
                memcpy(to + (i64)i * step, &from[i], sizeof *from);                                      \
        }                                                                                                \
    }                                                                                                    \
    /* Stores only the lanes whose bit is set, in order; `first` is the lane of the first element. */    \
    static inline void store_row_masked_##size(uint8_t *to, const u##size *from, i64 step, size_t count, \
                                               size_t first, const uint64_t *mask)                       \
    {                                                                                                    \
        for (size_t i = 0; i < count;) {                                                                 \
            const size_t lane = first + i, room = 64 - lane % 64,                                        \
                         left = count - i < room ? count - i : room;                                     \
            uint64_t bits = mask[lane / 64] >> lane % 64;                                                \
            if (left < 64)                                                                               \
                bits &= ((uint64_t)1 << left) - 1;                                                       \
            while (bits) {                                                                               \
                const size_t start = (size_t)__builtin_ctzll(bits);                                      \
                const uint64_t after = ~(bits >> start);                                                 \
                const size_t run = after ? (size_t)__builtin_ctzll(after) : 64 - start;                  \
                store_row_##size(to + (i64)(i + start) * step, from + i + start, step, run);             \
                bits = start + run < 64 ? bits >> (start + run) << (start + run) : 0;                    \
            }                                                                                            \
            i += left;                                                                                   \
        }                                                                                                \
    }
ROWS(8)
ROWS(16)
ROWS(32)
ROWS(64)

/* The number of lanes of a row; all lanes if their rows follow each other in memory. */
static inline size_t row_lanes(const struct wave *wave, const struct affine *a)
{
    const size_t row = wave->row, count = wave->lane_count;
    return row >= count || a->step_y == (i64)row * a->step_x ? count : row;
}

/* ---- vectors ----------------------------------------------------------------------------- */

typedef u16 pair_8;
typedef u32 pair_16;
typedef u64 pair_32;
typedef unsigned __int128 pair_64;

/* K adjacent components of vectors of S. Lane by lane, because lanes may overlap. */
#define VECTORS_OF(size, K, S)                                                               \
    static __attribute__((noinline)) void load_vectors_##size##_##K##_##S(                   \
        uint8_t *frame, const uint32_t *slots, const uint8_t *from, size_t count)            \
    {                                                                                        \
        u##size *d_[K];                                                                      \
        for (int k = 0; k < K; k++)                                                          \
            d_[k] = AT(u##size, slots[k]);                                                   \
        const u##size *const p = (const u##size *)(const void *)from;                        \
        EACH_LANE(i, count)                                                                  \
        {                                                                                    \
            UNROLL_16                                                                        \
            for (int k = 0; k < K; k++)                                                      \
                d_[k][i] = p[i * S + (size_t)k];                                             \
        }                                                                                    \
    }                                                                                        \
    static __attribute__((noinline)) void store_vectors_##size##_##K##_##S(                  \
        uint8_t *frame, const uint32_t *slots, uint8_t *to, size_t count)                    \
    {                                                                                        \
        const u##size *d_[K];                                                                \
        for (int k = 0; k < K; k++)                                                          \
            d_[k] = AT(u##size, slots[k]);                                                   \
        u##size *const p = (u##size *)(void *)to;                                            \
        if (K < S) { /* Vectors with a gap: two components together, and the third alone. */ \
            EACH_LANE(i, count)                                                              \
            {                                                                                \
                const pair_##size two =                                                      \
                    (pair_##size)((pair_##size)d_[0][i] | (pair_##size)d_[1][i] << size);    \
                memcpy(&p[i * S], &two, sizeof two);                                         \
                if (K == 3)                                                                  \
                    p[i * S + 2] = d_[K - 1][i];                                             \
            }                                                                                \
            return;                                                                          \
        }                                                                                    \
        EACH_LANE(i, count)                                                                  \
        {                                                                                    \
            UNROLL_16                                                                        \
            for (int k = 0; k < K; k++)                                                      \
                p[i * S + (size_t)k] = d_[k][i];                                             \
        }                                                                                    \
    }
#define VECTORS(size)                                                                                       \
    VECTORS_OF(size, 2, 2)                                                                                  \
    VECTORS_OF(size, 2, 4)                                                                                  \
    VECTORS_OF(size, 3, 4)                                                                                  \
    VECTORS_OF(size, 4, 4)                                                                                  \
    typedef void vectors_##size(uint8_t *frame, const uint32_t *slots, uint8_t *at, size_t count);          \
    typedef void vectors_##size##_read(uint8_t *frame, const uint32_t *slots, const uint8_t *at,            \
                                       size_t count);                                                       \
    static __attribute__((noinline)) void load_components_##size(                                           \
        const struct insn *insn, uint8_t *frame, const struct wave *wave, const struct affine *a, i64 view) \
    {                                                                                                       \
        const uint32_t *const slots = &wave->code->operands[insn->d], k = insn->f;                          \
        const size_t row = row_lanes(wave, a), count = wave->lane_count, bytes = size / 8;                  \
        const uint8_t *from = FLAT((u64)a->base + IMMEDIATE_OFFSET);                                        \
        const i64 step = a->step_x;                                                                         \
        if (row == count && !((u64)(uintptr_t)from % bytes) &&                                              \
            (step == (i64)(4 * bytes) || step == (i64)(2 * bytes))) {                                       \
            vectors_##size##_read *const whole = step == (i64)(2 * bytes)                                   \
                                                     ? k == 2 ? load_vectors_##size##_2_2 : NULL            \
                                                 : k == 2 ? load_vectors_##size##_2_4                       \
                                                 : k == 3 ? load_vectors_##size##_3_4                       \
                                                 : k == 4 ? load_vectors_##size##_4_4                       \
                                                          : NULL;                                           \
            if (whole) {                                                                                    \
                whole(frame, slots, from, count);                                                           \
                return;                                                                                     \
            }                                                                                               \
        }                                                                                                   \
        for (size_t i = 0; i < count; i += row, from += a->step_y)                                          \
            for (uint32_t c = 0; c < k; c++)                                                                \
                load_row_##size(AT(u##size, slots[c]) + i, from + c * bytes, step,                          \
                                count - i < row ? count - i : row);                                         \
    }                                                                                                       \
    static __attribute__((noinline)) void store_components_##size(                                          \
        const struct insn *insn, uint8_t *frame, const struct wave *wave, const struct affine *a, i64 view) \
    {                                                                                                       \
        const uint32_t *const slots = &wave->code->operands[insn->d], k = insn->f;                          \
        const size_t row = row_lanes(wave, a), count = wave->lane_count, bytes = size / 8;                  \
        uint8_t *to = FLAT((u64)a->base + IMMEDIATE_OFFSET);                                                \
        const i64 step = a->step_x;                                                                         \
        const bool aligned = !((u64)(uintptr_t)to % bytes);                                                 \
        const bool packed = step == (i64)(4 * bytes) || step == (i64)(2 * bytes);                           \
        if (wave->full && row == count && aligned && packed) {                                              \
            vectors_##size *const whole = step == (i64)(2 * bytes)                                          \
                                              ? k == 2 ? store_vectors_##size##_2_2 : NULL                  \
                                          : k == 2 ? store_vectors_##size##_2_4                             \
                                          : k == 3 ? store_vectors_##size##_3_4                             \
                                          : k == 4 ? store_vectors_##size##_4_4                             \
                                                   : NULL;                                                  \
            if (whole) {                                                                                    \
                whole(frame, slots, to, count);                                                             \
                return;                                                                                     \
            }                                                                                               \
        }                                                                                                   \
        if (wave->full && row == count &&                                                                   \
            step >= (i64)(k * bytes)) { /* Lanes do not overlap, so any order gives the same result. */     \
            for (uint32_t c = 0; c < k; c++) {                                                              \
                const u##size *const d_ = AT(const u##size, slots[c]);                                      \
                EACH_LANE(i, count)                                                                         \
                memcpy(to + (i64)i * step + c * bytes, &d_[i], bytes);                                      \
            }                                                                                               \
            return;                                                                                         \
        }                                                                                                   \
        for (size_t i = 0; i < count; i += row, to += a->step_y)                                            \
            for (size_t lane = i; lane < i + row && lane < count; lane++)                                   \
                for (uint32_t c = 0; lane_mask_test(&wave->active, (uint32_t)lane) && c < k; c++)           \
                    memcpy(to + (i64)(lane - i) * step + c * bytes, AT(u##size, slots[c]) + lane, bytes);   \
    }
VECTORS(8)
VECTORS(16)
VECTORS(32)
VECTORS(64)

/* ---- loads --------------------------------------------------------------------------------- */

#define LOADS(size)                                                                                       \
    HANDLER(ld_u_##size)                                                                                  \
    {                                                                                                     \
        const u64 address = *AT(u64, insn->a) + IMMEDIATE_OFFSET;                                         \
        i64 view;                                                                                         \
        const uint32_t k = insn->f, *const slots = SLOTS;                                                 \
        if (UNLIKELY(!uniform_permitted(wave, insn, address, k * (size / 8), DENY_KERNEL_READ, &view))) { \
            if (access_load(insn, frame, wave, FORM_U, size / 8))                                         \
                NEXT_AFTER_FAULT(insn, frame, wave);                                                      \
            NEXT;                                                                                         \
        }                                                                                                 \
        if (UNLIKELY(access_observed(wave)))                                                              \
            access_announce_uniform(wave, insn, address);                                                 \
        else                                                                                              \
            view = 0;                                                                                     \
        for (uint32_t c = 0; c < k; c++)                                                                  \
            memcpy(AT(u##size, slots[c]), FLAT(address) + c * (size / 8), size / 8);                      \
        NEXT;                                                                                             \
    }                                                                                                     \
    HANDLER(ld_a_##size)                                                                                  \
    {                                                                                                     \
        const struct affine *const a = AT(struct affine, insn->a);                                        \
        i64 view;                                                                                         \
        if (UNLIKELY(a->general))                                                                         \
            return load_list_##size(insn, frame, wave, AT(u64, a->slot), FORM_A);                         \
        if (UNLIKELY(!affine_permitted(wave, insn, a, insn->f * (size / 8), DENY_KERNEL_READ, &view))) {  \
            if (load_window_##size(insn, frame, wave, a))                                                 \
                NEXT;                                                                                     \
            if (access_load(insn, frame, wave, FORM_A, size / 8))                                         \
                NEXT_AFTER_FAULT(insn, frame, wave);                                                      \
            NEXT;                                                                                         \
        }                                                                                                 \
        if (UNLIKELY(access_observed(wave)))                                                              \
            access_announce_affine(wave, insn, a);                                                        \
        else                                                                                              \
            view = 0;                                                                                     \
        if (insn->f != 1) {                                                                               \
            load_components_##size(insn, frame, wave, a, view);                                           \
        } else {                                                                                          \
            const size_t row = row_lanes(wave, a), count = wave->lane_count;                              \
            u##size *const d_ = AT(u##size, insn->d);                                                     \
            const uint8_t *from = FLAT((u64)a->base + IMMEDIATE_OFFSET);                                  \
            const i64 step_x = a->step_x, step_y = a->step_y;                                             \
            for (size_t i = 0; i < count; i += row, from += step_y)                                       \
                load_row_##size(d_ + i, from, step_x, count - i < row ? count - i : row);                 \
        }                                                                                                 \
        NEXT;                                                                                             \
    }                                                                                                     \
    HANDLER(ld_v_##size)                                                                                  \
    {                                                                                                     \
        return load_list_##size(insn, frame, wave, AT(u64, insn->a), FORM_V);                             \
    }

/* The result may have the slot of the addresses if both have 64-bit lanes. With several components the
 * addresses are read again, so they are copied. */
#define LOAD_LIST(size)                                                                                   \
    static __attribute__((noinline)) bool gather_active_##size(const struct insn *insn, uint8_t *frame,   \
                                                               struct wave *wave, const u64 *addresses)   \
    {                                                                                                     \
        i64 view;                                                                                         \
        if (!active_permitted(wave, insn, addresses, insn->f * (size / 8), DENY_KERNEL_READ, &view))      \
            return false;                                                                                 \
        if (UNLIKELY(access_observed(wave)))                                                              \
            access_announce_list(wave, insn, addresses);                                                  \
        else                                                                                              \
            view = 0;                                                                                     \
        const uint32_t *const slots = SLOTS, k = insn->f;                                                 \
        const u64 offset = IMMEDIATE_OFFSET;                                                              \
        EACH_WORD(w, wave->n)                                                                             \
        for (uint64_t bits = wave->active.word[w]; bits; bits &= bits - 1) {                              \
            const size_t lane = w * 64 + (size_t)__builtin_ctzll(bits);                                   \
            const uint8_t *const from = FLAT(addresses[lane] + offset);                                   \
            for (uint32_t c = 0; c < k; c++)                                                              \
                memcpy(AT(u##size, slots[c]) + lane, from + c * (size / 8), size / 8);                    \
        }                                                                                                 \
        return true;                                                                                      \
    }                                                                                                     \
    /* An affine load of which only the window of active lanes is in bounds. */                           \
    static __attribute__((noinline)) bool load_window_##size(const struct insn *insn, uint8_t *frame,     \
                                                             struct wave *wave, const struct affine *a)   \
    {                                                                                                     \
        const struct lane_window window = active_window(wave);                                            \
        i64 view;                                                                                         \
        if (!window_permitted(wave, insn, a, insn->f * (size / 8), DENY_KERNEL_READ, window, &view))      \
            return false;                                                                                 \
        if (UNLIKELY(access_observed(wave)))                                                              \
            access_announce_affine(wave, insn, a);                                                        \
        else                                                                                              \
            view = 0;                                                                                     \
        const uint32_t *const slots = SLOTS, k = insn->f;                                                 \
        const size_t row = wave->row;                                                                     \
        for (size_t i = window.first; i < window.end;) {                                                  \
            const size_t left = row - i % row, count = window.end - i < left ? window.end - i : left;     \
            const uint8_t *from = FLAT((u64)a->base + IMMEDIATE_OFFSET) + a->step_x * (i64)(i % row) +    \
                                  a->step_y * (i64)(i / row);                                             \
            for (uint32_t c = 0; c < k; c++)                                                              \
                load_row_##size(AT(u##size, slots[c]) + i, from + c * (size / 8), a->step_x, count);      \
            i += count;                                                                                   \
        }                                                                                                 \
        return true;                                                                                      \
    }                                                                                                     \
    static __attribute__((noinline)) void gather_components_##size(                                       \
        const struct insn *insn, uint8_t *frame, const struct wave *wave, const u64 *addresses, i64 view) \
    {                                                                                                     \
        u64 copy[WAVE_LANES_MAX];                                                                         \
        const size_t count = wave->lane_count;                                                            \
        const uint32_t *const slots = &wave->code->operands[insn->d];                                     \
        for (size_t i = 0; i < count; i++)                                                                \
            copy[i] = addresses[i] + IMMEDIATE_OFFSET;                                                    \
        for (uint32_t c = 0; c < insn->f; c++) {                                                          \
            u##size *const d_ = AT(u##size, slots[c]);                                                    \
            for (size_t i = 0; i < count; i++)                                                            \
                memcpy(&d_[i], FLAT(copy[i]) + c * (size / 8), size / 8);                                 \
        }                                                                                                 \
    }                                                                                                     \
    static inline const struct insn *load_list_##size(const struct insn *insn, uint8_t *frame,            \
                                                      struct wave *wave, const u64 *addresses,            \
                                                      enum access_form form)                              \
    {                                                                                                     \
        i64 view;                                                                                         \
        if (UNLIKELY(                                                                                     \
                !list_permitted(wave, insn, addresses, insn->f * (size / 8), DENY_KERNEL_READ, &view))) { \
            if (gather_active_##size(insn, frame, wave, addresses))                                       \
                NEXT_OF_PART;                                                                             \
            if (access_load(insn, frame, wave, form, size / 8))                                           \
                NEXT_OF_PART_AFTER_FAULT(insn, frame, wave);                                              \
            NEXT_OF_PART;                                                                                 \
        }                                                                                                 \
        if (UNLIKELY(access_observed(wave)))                                                              \
            access_announce_list(wave, insn, addresses);                                                  \
        else                                                                                              \
            view = 0;                                                                                     \
        if (insn->f != 1) {                                                                               \
            gather_components_##size(insn, frame, wave, addresses, view);                                 \
        } else {                                                                                          \
            const size_t count = wave->lane_count;                                                        \
            const u64 offset = IMMEDIATE_OFFSET;                                                          \
            u##size *const d_ = AT(u##size, insn->d);                                                     \
            size_t i = 0;                                                                                 \
            for (; i + 8 <= count; i += 8) {                                                              \
                u##size eight[8];                                                                         \
                UNROLL_16                                                                                 \
                for (size_t k = 0; k < 8; k++)                                                            \
                    memcpy(&eight[k], FLAT(addresses[i + k] + offset), size / 8);                         \
                memcpy(d_ + i, eight, sizeof eight);                                                      \
            }                                                                                             \
            for (; i < count; i++)                                                                        \
                memcpy(&d_[i], FLAT(addresses[i] + offset), size / 8);                                    \
        }                                                                                                 \
        NEXT_OF_PART;                                                                                     \
    }
LOAD_LIST(8)
LOAD_LIST(16)
LOAD_LIST(32)
LOAD_LIST(64)
LOADS(8)
LOADS(16)
LOADS(32)
LOADS(64)

/* ---- stores ---------------------------------------------------------------------------------- */

#define STORE_LIST(size)                                                                                   \
    static __attribute__((noinline)) void scatter_##size(                                                  \
        const struct insn *insn, uint8_t *frame, const struct wave *wave, const u64 *addresses, i64 view)  \
    {                                                                                                      \
        const uint32_t *const slots = SLOTS, k = insn->f;                                                  \
        const u64 offset = IMMEDIATE_OFFSET;                                                               \
        EACH_WORD(w, wave->n)                                                                              \
        for (uint64_t bits = wave->active.word[w]; bits; bits &= bits - 1) {                               \
            const size_t lane = w * 64 + (size_t)__builtin_ctzll(bits);                                    \
            for (uint32_t c = 0; c < k; c++)                                                               \
                memcpy(FLAT(addresses[lane] + offset) + c * (size / 8), AT(u##size, slots[c]) + lane,      \
                       size / 8);                                                                          \
        }                                                                                                  \
    }                                                                                                      \
    static inline const struct insn *store_list_##size(const struct insn *insn, uint8_t *frame,            \
                                                       struct wave *wave, const u64 *addresses,            \
                                                       enum access_form form)                              \
    {                                                                                                      \
        i64 view;                                                                                          \
        if (UNLIKELY(                                                                                      \
                !list_permitted(wave, insn, addresses, insn->f * (size / 8), DENY_KERNEL_WRITE, &view)) && \
            !active_permitted(wave, insn, addresses, insn->f * (size / 8), DENY_KERNEL_WRITE, &view)) {    \
            if (access_store(insn, frame, wave, form, size / 8))                                           \
                NEXT_OF_PART_AFTER_FAULT(insn, frame, wave);                                               \
            NEXT_OF_PART;                                                                                  \
        }                                                                                                  \
        if (UNLIKELY(access_observed(wave)))                                                               \
            access_announce_list(wave, insn, addresses);                                                   \
        else                                                                                               \
            view = 0;                                                                                      \
        scatter_##size(insn, frame, wave, addresses, view);                                                \
        NEXT_OF_PART;                                                                                      \
    }
STORE_LIST(8)
STORE_LIST(16)
STORE_LIST(32)
STORE_LIST(64)

static inline size_t last_active(const struct wave *wave)
{
    size_t last = 0;
    for (size_t w = 0; w < LANE_MASK_WORDS; w++)
        if (wave->active.word[w])
            last = w * 64 + 63 - (size_t)__builtin_clzll(wave->active.word[w]);
    return last;
}

#define STORES(size)                                                                                         \
    HANDLER(st_u_##size)                                                                                     \
    {                                                                                                        \
        const u64 address = *AT(u64, insn->a) + IMMEDIATE_OFFSET;                                            \
        i64 view;                                                                                            \
        const uint32_t k = insn->f, *const slots = SLOTS;                                                    \
        if (UNLIKELY(!uniform_permitted(wave, insn, address, k * (size / 8), DENY_KERNEL_WRITE, &view))) {   \
            if (access_store(insn, frame, wave, FORM_U, size / 8))                                           \
                NEXT_AFTER_FAULT(insn, frame, wave);                                                         \
            NEXT;                                                                                            \
        }                                                                                                    \
        if (UNLIKELY(access_observed(wave)))                                                                 \
            access_announce_uniform(wave, insn, address);                                                    \
        else                                                                                                 \
            view = 0;                                                                                        \
        const size_t last = last_active(wave);                                                               \
        for (uint32_t c = 0; c < k; c++)                                                                     \
            memcpy(FLAT(address) + c * (size / 8), AT(u##size, slots[c]) + last, size / 8);                  \
        NEXT;                                                                                                \
    }                                                                                                        \
    HANDLER(st_a_##size)                                                                                     \
    {                                                                                                        \
        const struct affine *const a = AT(struct affine, insn->a);                                           \
        i64 view;                                                                                            \
        if (UNLIKELY(a->general))                                                                            \
            return store_list_##size(insn, frame, wave, AT(u64, a->slot), FORM_A);                           \
        if (UNLIKELY(!affine_permitted(wave, insn, a, insn->f * (size / 8), DENY_KERNEL_WRITE, &view)) &&    \
            !window_permitted(wave, insn, a, insn->f * (size / 8), DENY_KERNEL_WRITE, active_window(wave),   \
                              &view)) {                                                                      \
            if (access_store(insn, frame, wave, FORM_A, size / 8))                                           \
                NEXT_AFTER_FAULT(insn, frame, wave);                                                         \
            NEXT;                                                                                            \
        }                                                                                                    \
        if (UNLIKELY(access_observed(wave)))                                                                 \
            access_announce_affine(wave, insn, a);                                                           \
        else                                                                                                 \
            view = 0;                                                                                        \
        if (insn->f != 1) {                                                                                  \
            store_components_##size(insn, frame, wave, a, view);                                             \
        } else {                                                                                             \
            const size_t row = row_lanes(wave, a), count = wave->lane_count;                                 \
            const u##size *const d_ = AT(u##size, insn->d);                                                  \
            uint8_t *to = FLAT((u64)a->base + IMMEDIATE_OFFSET);                                             \
            const i64 step_x = a->step_x, step_y = a->step_y;                                                \
            const uint64_t *const mask = wave->active.word;                                                  \
            if (wave->full) {                                                                                \
                for (size_t i = 0; i < count; i += row, to += step_y)                                        \
                    store_row_##size(to, d_ + i, step_x, count - i < row ? count - i : row);                 \
            } else {                                                                                         \
                for (size_t i = 0; i < count; i += row, to += step_y)                                        \
                    store_row_masked_##size(to, d_ + i, step_x, count - i < row ? count - i : row, i, mask); \
            }                                                                                                \
        }                                                                                                    \
        NEXT;                                                                                                \
    }                                                                                                        \
    HANDLER(st_v_##size)                                                                                     \
    {                                                                                                        \
        return store_list_##size(insn, frame, wave, AT(u64, insn->a), FORM_V);                               \
    }
STORES(8)
STORES(16)
STORES(32)
STORES(64)

/* ---- generic addresses, copies ------------------------------------------------------------------ */

#define GENERIC(size)                                                \
    HANDLER(ldg_v_##size)                                            \
    {                                                                \
        if (access_load(insn, frame, wave, FORM_GENERIC, size / 8))  \
            NEXT_AFTER_FAULT(insn, frame, wave);                     \
        NEXT;                                                        \
    }                                                                \
    HANDLER(stg_v_##size)                                            \
    {                                                                \
        if (access_store(insn, frame, wave, FORM_GENERIC, size / 8)) \
            NEXT_AFTER_FAULT(insn, frame, wave);                     \
        NEXT;                                                        \
    }
GENERIC(8)
GENERIC(16)
GENERIC(32)
GENERIC(64)

HANDLER(pipe)
{
    if (wave_pipe_exec(insn, frame, wave))
        NEXT_AFTER_FAULT(insn, frame, wave);
    NEXT;
}

HANDLER(enqueue)
{
    if (wave_enqueue_exec(insn, frame, wave))
        NEXT_AFTER_FAULT(insn, frame, wave);
    NEXT;
}

HANDLER(copy_v)
{
    if (access_copy(insn, frame, wave))
        NEXT_AFTER_FAULT(insn, frame, wave);
    NEXT;
}

HANDLER(index_check_u)
{
    if (UNLIKELY(*AT(const uint64_t, insn->a) >= insn->f))
        access_check_index(insn, frame, wave, FORM_U);
    NEXT;
}

HANDLER(index_check_a)
{
    const struct affine *const a = AT(const struct affine, insn->a);
    int64_t low, high;
    if (UNLIKELY(a->general || !affine_range(a, affine_extent(wave, wave->lane_count), &low, &high) ||
                 a->base < -low || a->base >= (int64_t)insn->f - high))
        access_check_index(insn, frame, wave, FORM_A);
    NEXT;
}

/* Indices of inactive lanes are arbitrary; access_check_index() ignores them. */
HANDLER(index_check_v)
{
    const uint64_t *const index = AT(const uint64_t, insn->a);
    uint64_t past = 0;
    EACH_LANE(i, LANES_OF(wave)) past |= index[i] >= insn->f;
    if (UNLIKELY(past))
        access_check_index(insn, frame, wave, FORM_V);
    NEXT;
}

HANDLER(same)
{
    access_same(insn, frame, wave);
    NEXT;
}

HANDLER(async_copy)
{
    if (access_async(insn, frame, wave))
        NEXT_AFTER_FAULT(insn, frame, wave);
    NEXT;
}
