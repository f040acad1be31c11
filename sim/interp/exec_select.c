/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers of selects and moves. Lanes are moved as integers of their width. */
#include "lanes.h"

/* d = mask ? a : b, block by block; A and B give a register of lanes from i + k. */
#define BLEND_LANES(size, mask, A, B)                                             \
    EACH_BLOCK(i, n)                                                              \
    {                                                                             \
        const uint32_t bits = (uint32_t)((mask)[i / 64] >> i % 64);               \
        UNROLL_16                                                                 \
        for (size_t k = 0; k < 16; k += VECTOR_LANES(i##size)) {                  \
            const vec_i##size a = A, b = B;                                       \
            VECTOR_STORE(i##size, d_ + i + k, VECTOR_BLEND(size, bits, k, a, b)); \
        }                                                                         \
    }
#define AT_LANE(size, x) VECTOR_LOAD(i##size, x##_ + i + k)
#define V_SIDE(size, x) const i##size *const x##_ = AT(i##size, insn->x);
#define U_SIDE(size, x) const vec_i##size x##u = VECTOR_SPLAT(i##size, *AT(i##size, insn->x));

#define SELECT_FORM(name, size, AO, BO, A, B)               \
    HANDLER(name)                                           \
    {                                                       \
        const size_t n = LANES_OF(wave);                    \
        i##size *const d_ = AT(i##size, insn->d);           \
        const uint64_t *const mask = AT(uint64_t, insn->c); \
        AO(size, a)                                         \
        BO(size, b)                                         \
        BLEND_LANES(size, mask, A, B)                       \
        NEXT;                                               \
    }
#define SELECT(size)                                                                          \
    SELECT_FORM(select_##size##_vv, size, V_SIDE, V_SIDE, AT_LANE(size, a), AT_LANE(size, b)) \
    SELECT_FORM(select_##size##_vu, size, V_SIDE, U_SIDE, AT_LANE(size, a), bu)               \
    SELECT_FORM(select_##size##_uv, size, U_SIDE, V_SIDE, au, AT_LANE(size, b))               \
    SELECT_FORM(select_##size##_uu, size, U_SIDE, U_SIDE, au, bu)
SELECT(8)
SELECT(16)
SELECT(32)
SELECT(64)

HANDLER(select_m)
{
    const size_t n = LANES_OF(wave);
    uint64_t *const d_ = AT(uint64_t, insn->d);
    const uint64_t *const a_ = AT(uint64_t, insn->a), *const b_ = AT(uint64_t, insn->b),
                          *const c_ = AT(uint64_t, insn->c);
    EACH_WORD(w, n) d_[w] = (a_[w] & c_[w]) | (b_[w] & ~c_[w]);
    NEXT;
}

static inline void copy_lanes(uint8_t *to, const uint8_t *from, size_t bytes)
{
    if (to != from)
        memcpy(to, from, bytes);
}

/* The V form copies a whole slot, the U form the 8-byte cell. */
#define USELECT(size)                                                           \
    HANDLER(uselect_##size##_v)                                                 \
    {                                                                           \
        const uint32_t from = *AT(uint8_t, insn->c) & 1 ? insn->a : insn->b;    \
        copy_lanes(frame + insn->d, frame + from, LANES_OF(wave) * (size / 8)); \
        NEXT;                                                                   \
    }                                                                           \
    HANDLER(uselect_##size##_u)                                                 \
    {                                                                           \
        const uint32_t from = *AT(uint8_t, insn->c) & 1 ? insn->a : insn->b;    \
        *AT(u##size, insn->d) = *AT(u##size, from);                             \
        NEXT;                                                                   \
    }
USELECT(8)
USELECT(16)
USELECT(32)
USELECT(64)

HANDLER(uselect_m)
{
    *AT(lane_mask, insn->d) = *AT(lane_mask, *AT(uint8_t, insn->c) & 1 ? insn->a : insn->b);
    NEXT;
}

/* ---- moves -------------------------------------------------------------------------------- */

#define MOVES(size)                                                                \
    HANDLER(splat_##size)                                                          \
    {                                                                              \
        const size_t n = LANES_OF(wave);                                           \
        u##size *const d_ = AT(u##size, insn->d);                                  \
        const u##size a = *AT(u##size, insn->a);                                   \
        EACH_LANE(i, n) d_[i] = a;                                                 \
        NEXT;                                                                      \
    }                                                                              \
    HANDLER(mov_##size)                                                            \
    {                                                                              \
        copy_lanes(frame + insn->d, frame + insn->a, LANES_OF(wave) * (size / 8)); \
        NEXT;                                                                      \
    }                                                                              \
    HANDLER(movm_##size)                                                           \
    {                                                                              \
        const size_t n = LANES_OF(wave);                                           \
        i##size *const d_ = AT(i##size, insn->d);                                  \
        const i##size *const a_ = AT(i##size, insn->a);                            \
        const uint64_t *const mask = wave->active.word;                            \
        if (wave->full)                                                            \
            copy_lanes((uint8_t *)d_, (const uint8_t *)a_, n *(size / 8));         \
        else                                                                       \
            BLEND_LANES(size, mask, AT_LANE(size, a), AT_LANE(size, d))            \
        NEXT;                                                                      \
    }                                                                              \
    HANDLER(movmu_##size)                                                          \
    {                                                                              \
        const size_t n = LANES_OF(wave);                                           \
        i##size *const d_ = AT(i##size, insn->d);                                  \
        const uint64_t *const mask = wave->active.word;                            \
        U_SIDE(size, a)                                                            \
        BLEND_LANES(size, mask, au, AT_LANE(size, d))                              \
        NEXT;                                                                      \
    }                                                                              \
    HANDLER(first_##size)                                                          \
    {                                                                              \
        *AT(u##size, insn->d) = AT(u##size, insn->a)[first_active(wave)];          \
        NEXT;                                                                      \
    }

MOVES(8)
MOVES(16)
MOVES(32)
MOVES(64)

HANDLER(splat_m)
{
    const uint64_t a = (uint64_t)0 - (*AT(uint8_t, insn->a) & 1);
    uint64_t *const d_ = AT(uint64_t, insn->d);
    for (int w = 0; w < LANE_MASK_WORDS; w++)
        d_[w] = a;
    NEXT;
}

HANDLER(mov_m)
{
    *AT(lane_mask, insn->d) = *AT(lane_mask, insn->a);
    NEXT;
}

HANDLER(movm_m)
{
    uint64_t *const d_ = AT(uint64_t, insn->d);
    const uint64_t *const a_ = AT(uint64_t, insn->a), *const active = wave->active.word;
    for (int w = 0; w < LANE_MASK_WORDS; w++)
        d_[w] = (a_[w] & active[w]) | (d_[w] & ~active[w]);
    NEXT;
}

HANDLER(movmu_m)
{
    const uint64_t a = (uint64_t)0 - (*AT(uint8_t, insn->a) & 1), *const active = wave->active.word;
    uint64_t *const d_ = AT(uint64_t, insn->d);
    for (int w = 0; w < LANE_MASK_WORDS; w++)
        d_[w] = (a & active[w]) | (d_[w] & ~active[w]);
    NEXT;
}

/* a may be an argument, which has the alignment of its type; emit_slots.c leaves room after the last one. */
HANDLER(mov_u)
{
    memcpy(AT(u64, insn->d), AT(uint8_t, insn->a), sizeof(u64));
    NEXT;
}

HANDLER(first_m)
{
    *AT(uint8_t, insn->d) = lane_mask_test(AT(lane_mask, insn->a), first_active(wave));
    NEXT;
}
