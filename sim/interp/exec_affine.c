/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers of integers that are affine in the lane: base + step_x * x + step_y * y. They compute three
 * numbers instead of one per lane, as long as the result is exact for every lane; a result that may wrap
 * becomes general, that is one number per lane. */
#include "affine.h"
#include "lanes.h"

/* Writes the lanes of a to out; an affine operand has no lanes to read. */
#define LANES_OF_AFFINE(bits)                                                                            \
    static inline void affine_lanes_##bits(const struct wave *wave, const uint8_t *frame,                \
                                           const struct affine *a, u##bits *out)                         \
    {                                                                                                    \
        const size_t n = LANES_OF(wave);                                                                 \
        if (a->general) {                                                                                \
            const u##bits *const from = (const u##bits *)(const void *)(frame + a->slot);                \
            if (out != from)                                                                             \
                memcpy(out, from, n * sizeof *out);                                                      \
            return;                                                                                      \
        }                                                                                                \
        const u##bits base = (u##bits)a->base, step_x = (u##bits)a->step_x, step_y = (u##bits)a->step_y; \
        const i32 *const x = wave->lane_x, *const y = wave->lane_y;                                      \
        if (wave->row >= n) {                                                                            \
            EACH_LANE(i, n) out[i] = base + step_x * (u##bits)i;                                         \
        } else {                                                                                         \
            EACH_LANE(i, n) out[i] = base + step_x * (u##bits)(u32)x[i] + step_y * (u##bits)(u32)y[i];   \
        }                                                                                                \
    }
LANES_OF_AFFINE(32)
LANES_OF_AFFINE(64)

#define KEPT_32(x) ((i64)(i32)(u32)(x))
#define KEPT_64(x) ((i64)(x))
#define AFFINE(operand) AT(struct affine, operand)

static inline void set_affine(struct affine *d, i64 base, i64 step_x, i64 step_y)
{
    d->base = base;
    d->step_x = step_x;
    d->step_y = step_y;
    d->general = 0;
}

/* Lane i of an operand, read from its lanes or computed from its steps. */
#define LANE_OF(bits, cell, lanes, i)                                                       \
    ((cell).general ? (lanes)[i]                                                            \
                    : (u##bits)(cell).base + (u##bits)(cell).step_x * (u##bits)(u32)x_[i] + \
                          (u##bits)(cell).step_y * (u##bits)(u32)y_[i])

/* General operands are rare, so each expression has an out-of-line function for them. a and b are copies so
 * that the compiler sees that their general flags do not change in the loop. */
#define GENERAL_2(name, bits, ...)                                                                         \
    static __attribute__((noinline)) void name##_general(const struct insn *insn, uint8_t *frame,          \
                                                         const struct wave *wave, const struct affine *ca, \
                                                         const struct affine *cb)                          \
    {                                                                                                      \
        const size_t n = LANES_OF(wave);                                                                   \
        const struct affine a_ = *ca, b_ = *cb;                                                            \
        struct affine *const d = AFFINE(insn->d);                                                          \
        const i32 *const x_ = wave->lane_x, *const y_ = wave->lane_y;                                      \
        const u##bits *const al = AT(u##bits, a_.slot), *const bl = AT(u##bits, b_.slot);                  \
        u##bits *const out = AT(u##bits, d->slot);                                                         \
        for (size_t i = 0; i < n; i++) {                                                                   \
            const u##bits a = LANE_OF(bits, a_, al, i), b = LANE_OF(bits, b_, bl, i);                      \
            out[i] = (u##bits)(__VA_ARGS__);                                                               \
        }                                                                                                  \
        d->general = 1;                                                                                    \
    }

static inline struct affine affine_of(u64 value)
{
    return (struct affine){.base = (i64)value};
}

/* Operand classes: A is an affine cell, U a uniform value from which a cell is made. */
#define CELL_A(bits, x) *AFFINE(insn->x)
#define CELL_U(bits, x) affine_of((u64)KEPT_##bits(*AT(u##bits, insn->x)))

#define AFFINE_BINARY(name, bits, A, B, base_, step_x_, step_y_, general_)                               \
    HANDLER(name)                                                                                        \
    {                                                                                                    \
        if (is_general_##A(frame, insn->a) | is_general_##B(frame, insn->b)) {                           \
            name##_any(insn, frame, wave);                                                               \
        } else {                                                                                         \
            const struct affine a = CELL_##A(bits, a), b = CELL_##B(bits, b);                            \
            set_affine(AFFINE(insn->d), KEPT_##bits(base_), KEPT_##bits(step_x_), KEPT_##bits(step_y_)); \
        }                                                                                                \
        NEXT;                                                                                            \
    }
static inline uint32_t is_general_A(uint8_t *frame, uint32_t operand)
{
    return AFFINE(operand)->general;
}
static inline uint32_t is_general_U(uint8_t *frame, uint32_t operand)
{
    return (void)frame, (void)operand, 0u;
}

/* One operation: an expression of lanes a and b, and expressions of their bases and steps. */
#define AFFINE_OP(name, bits, A, B, lane, base_, x, y)                                        \
    GENERAL_2(name, bits, lane)                                                               \
    static __attribute__((noinline)) void name##_any(const struct insn *insn, uint8_t *frame, \
                                                     const struct wave *wave)                 \
    {                                                                                         \
        const struct affine a = CELL_##A(bits, a), b = CELL_##B(bits, b);                     \
        name##_general(insn, frame, wave, &a, &b);                                            \
    }                                                                                         \
    AFFINE_BINARY(name, bits, A, B, base_, x, y, lane)

#define BASE(cell) ((u64)(cell).base)
#define STEP_X(cell) ((u64)(cell).step_x)
#define STEP_Y(cell) ((u64)(cell).step_y)
#define EACH_FIELD(op) BASE(a) op BASE(b), STEP_X(a) op STEP_X(b), STEP_Y(a) op STEP_Y(b)
#define AFFINE_OP_(name, bits, A, B, lane, ...) AFFINE_OP(name, bits, A, B, lane, __VA_ARGS__)

AFFINE_OP_(a_add_32_aa, 32, A, A, a + b, EACH_FIELD(+))
AFFINE_OP_(a_add_32_au, 32, A, U, a + b, EACH_FIELD(+))
AFFINE_OP_(a_add_64_aa, 64, A, A, a + b, EACH_FIELD(+))
AFFINE_OP_(a_add_64_au, 64, A, U, a + b, EACH_FIELD(+))
AFFINE_OP_(a_sub_32_aa, 32, A, A, a - b, EACH_FIELD(-))
AFFINE_OP_(a_sub_32_au, 32, A, U, a - b, EACH_FIELD(-))
AFFINE_OP_(a_sub_32_ua, 32, U, A, a - b, EACH_FIELD(-))
AFFINE_OP_(a_sub_64_aa, 64, A, A, a - b, EACH_FIELD(-))
AFFINE_OP_(a_sub_64_au, 64, A, U, a - b, EACH_FIELD(-))
AFFINE_OP_(a_sub_64_ua, 64, U, A, a - b, EACH_FIELD(-))

AFFINE_OP(a_mul_32_au, 32, A, U, a *b, BASE(a) * BASE(b), STEP_X(a) * BASE(b), STEP_Y(a) * BASE(b))
AFFINE_OP(a_mul_64_au, 64, A, U, a *b, BASE(a) * BASE(b), STEP_X(a) * BASE(b), STEP_Y(a) * BASE(b))
AFFINE_OP(a_shl_32_au, 32, A, U, a << (b & 31), BASE(a) << (BASE(b) & 31), STEP_X(a) << (BASE(b) & 31),
          STEP_Y(a) << (BASE(b) & 31))
AFFINE_OP(a_shl_64_au, 64, A, U, a << (b & 63), BASE(a) << (BASE(b) & 63), STEP_X(a) << (BASE(b) & 63),
          STEP_Y(a) << (BASE(b) & 63))

#define SCALE ((u64)insn->e)
#define OFFSET ((u64)(i64)(i32)insn->f)
#define INDEX_FIELDS \
    BASE(a) + BASE(b) * SCALE + OFFSET, STEP_X(a) + STEP_X(b) * SCALE, STEP_Y(a) + STEP_Y(b) * SCALE
AFFINE_OP_(a_index_aa, 64, A, A, a + b * SCALE + OFFSET, INDEX_FIELDS)
AFFINE_OP_(a_index_au, 64, A, U, a + b * SCALE + OFFSET, INDEX_FIELDS)
AFFINE_OP_(a_index_ua, 64, U, A, a + b * SCALE + OFFSET, INDEX_FIELDS)

/* ---- widths -------------------------------------------------------------------------------- */

static __attribute__((noinline)) void widen(const struct insn *insn, uint8_t *frame, const struct wave *wave,
                                            bool sign)
{
    const size_t n = LANES_OF(wave);
    const struct affine a = *AFFINE(insn->a);
    struct affine *const d = AFFINE(insn->d);
    const i32 *const x_ = wave->lane_x, *const y_ = wave->lane_y;
    const u32 *const lanes = AT(u32, a.slot);
    u64 *const out = AT(u64, d->slot);
    /* Backwards, since the wider lanes may be written to the slot of the narrower ones. */
    for (size_t i = n; i-- > 0;) {
        const u32 lane = LANE_OF(32, a, lanes, i);
        out[i] = sign ? (u64)(i64)(i32)lane : lane;
    }
    d->general = 1;
}

/* Are base + steps of all lanes in [low, high]? */
static inline bool stays_within(const struct wave *wave, const struct affine *a, i64 base, i64 low, i64 high)
{
    i64 least, most;
    return affine_range(a, affine_extent(wave, wave->n), &least, &most) && base + least >= low &&
           base + most <= high;
}

HANDLER(a_sext_32_64)
{
    const struct affine *const a = AFFINE(insn->a);
    if (!a->general && stays_within(wave, a, KEPT_32(a->base), INT32_MIN, INT32_MAX))
        set_affine(AFFINE(insn->d), KEPT_32(a->base), a->step_x, a->step_y);
    else
        widen(insn, frame, wave, true);
    NEXT;
}

HANDLER(a_zext_32_64)
{
    const struct affine *const a = AFFINE(insn->a);
    if (!a->general && stays_within(wave, a, (u32)a->base, 0, UINT32_MAX))
        set_affine(AFFINE(insn->d), (u32)a->base, a->step_x, a->step_y);
    else
        widen(insn, frame, wave, false);
    NEXT;
}

HANDLER(a_trunc_64_32)
{
    const struct affine *const a = AFFINE(insn->a);
    struct affine *const d = AFFINE(insn->d);
    if (a->general) {
        const size_t n = LANES_OF(wave);
        const u64 *const from = AT(u64, a->slot);
        u32 *const to = AT(u32, d->slot);
        for (size_t i = 0; i < n; i++)
            to[i] = (u32)from[i];
        d->general = 1;
    } else {
        set_affine(d, KEPT_32(a->base), KEPT_32(a->step_x), KEPT_32(a->step_y));
    }
    NEXT;
}

/* ---- moves ---------------------------------------------------------------------------------- */

HANDLER(a_mov)
{
    const struct affine *const a = AFFINE(insn->a);
    struct affine *const d = AFFINE(insn->d);
    if (a->general) {
        if (d->slot != a->slot)
            memcpy(frame + d->slot, frame + a->slot, LANES_OF(wave) * (insn->e == 4 ? 4 : 8));
        d->general = 1;
    } else {
        set_affine(d, a->base, a->step_x, a->step_y);
    }
    NEXT;
}

HANDLER(a_from_u_32)
{
    set_affine(AFFINE(insn->d), *AT(i32, insn->a), 0, 0);
    NEXT;
}

HANDLER(a_from_u_64)
{
    set_affine(AFFINE(insn->d), *AT(i64, insn->a), 0, 0);
    NEXT;
}

HANDLER(a_to_v_32)
{
    affine_lanes_32(wave, frame, AFFINE(insn->a), AT(u32, insn->d));
    NEXT;
}

HANDLER(a_to_v_64)
{
    affine_lanes_64(wave, frame, AFFINE(insn->a), AT(u64, insn->d));
    NEXT;
}

/* ---- addresses that are not affine -------------------------------------------------------------- */

HANDLER(u_index)
{
    *AT(u64, insn->d) = *AT(u64, insn->a) + *AT(u64, insn->b) * SCALE + OFFSET;
    NEXT;
}

/* Most elements have 2^k bytes, and every instruction set shifts 64 bits faster than it multiplies them. */
static inline bool is_shift(u64 scale)
{
    return (scale & (scale - 1)) == 0 && scale != 0;
}

HANDLER(v_index)
{
    const size_t n = LANES_OF(wave);
    u64 *const d_ = AT(u64, insn->d);
    const u64 *const a_ = AT(u64, insn->a), *const b_ = AT(u64, insn->b), scale = SCALE, offset = OFFSET;
    if (is_shift(scale)) {
        const int shift = __builtin_ctzll(scale);
        EACH_LANE(i, n) d_[i] = a_[i] + (b_[i] << shift) + offset;
    } else {
        EACH_LANE(i, n) d_[i] = a_[i] + b_[i] * scale + offset;
    }
    NEXT;
}

HANDLER(v_index_uv)
{
    const size_t n = LANES_OF(wave);
    u64 *const d_ = AT(u64, insn->d);
    const u64 a = *AT(u64, insn->a), *const b_ = AT(u64, insn->b), scale = SCALE, offset = a + OFFSET;
    if (is_shift(scale)) {
        const int shift = __builtin_ctzll(scale);
        EACH_LANE(i, n) d_[i] = (b_[i] << shift) + offset;
    } else {
        EACH_LANE(i, n) d_[i] = b_[i] * scale + offset;
    }
    NEXT;
}
