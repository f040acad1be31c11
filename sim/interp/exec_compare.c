/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers of comparisons and tests. Results are mask bits, 64 lanes to a word. */
#include "half.h"
#include "lanes.h"

/* AVX-512 compares into mask bits by a predicate. Other sets compare into lanes, whose sign bits are
 * gathered. */
#if defined __x86_64__ && ORRERY_ISA == 2
#define COMPARE_BITS_u8(a, b, p) _mm_cmp_epu8_mask((__m128i)a, (__m128i)b, p)
#define COMPARE_BITS_i8(a, b, p) _mm_cmp_epi8_mask((__m128i)a, (__m128i)b, p)
#define COMPARE_BITS_u16(a, b, p) _mm256_cmp_epu16_mask((__m256i)a, (__m256i)b, p)
#define COMPARE_BITS_i16(a, b, p) _mm256_cmp_epi16_mask((__m256i)a, (__m256i)b, p)
#define COMPARE_BITS_u32(a, b, p) _mm512_cmp_epu32_mask((__m512i)a, (__m512i)b, p)
#define COMPARE_BITS_i32(a, b, p) _mm512_cmp_epi32_mask((__m512i)a, (__m512i)b, p)
#define COMPARE_BITS_u64(a, b, p) _mm512_cmp_epu64_mask((__m512i)a, (__m512i)b, p)
#define COMPARE_BITS_i64(a, b, p) _mm512_cmp_epi64_mask((__m512i)a, (__m512i)b, p)
#define COMPARE_BITS_f32(a, b, p) _mm512_cmp_ps_mask((__m512)a, (__m512)b, p)
#define COMPARE_BITS_f64(a, b, p) _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, p)
#define COMPARE_BITS(T, size, predicate, expression) (uint32_t) COMPARE_BITS_##T(a, b, predicate)
#else
#define COMPARE_BITS(T, size, predicate, expression) MASK_BITS_##size(expression)
#endif

/* Integers have `equal` and `less`; the other comparisons are their complements, taken on mask bits. SSE2
 * does not compare 64-bit lanes: these are compared by halves, the lower half as if unsigned. */
#if ORRERY_ISA == 2
#define INTEGER_BITS(T, size, predicate, expression) COMPARE_BITS(T, size, predicate, expression)
#else
#if defined __SSE2__ && ORRERY_ISA == 0
static inline uint32_t halves_equal(vec_u64 a, vec_u64 b)
{
    const __m128i same = _mm_cmpeq_epi32((__m128i)a, (__m128i)b);
    return (uint32_t)_mm_movemask_pd((__m128d)_mm_and_si128(same, _mm_shuffle_epi32(same, 0xb1)));
}

static inline uint32_t halves_less(vec_u64 a, vec_u64 b, uint64_t flip)
{
    const __m128i x = (__m128i)(a ^ flip), y = (__m128i)(b ^ flip);
    const __m128i less = _mm_cmplt_epi32(x, y), same = _mm_cmpeq_epi32(x, y);
    return (uint32_t)_mm_movemask_pd(
        (__m128d)_mm_or_si128(less, _mm_and_si128(same, _mm_shuffle_epi32(less, 0xa0))));
}
#define EQUAL_64(T, a, b) halves_equal((vec_u64)(a), (vec_u64)(b))
#define LESS_64(T, a, b) halves_less((vec_u64)(a), (vec_u64)(b), FLIP_##T)
#define FLIP_i64 0x80000000
#define FLIP_u64 0x8000000080000000
#else
#define EQUAL_64(T, a, b) MASK_BITS_64((a) == (b))
#define LESS_64(T, a, b) MASK_BITS_64((a) < (b))
#endif
#define EQUAL_8(T, a, b) MASK_BITS_8((a) == (b))
#define EQUAL_16(T, a, b) MASK_BITS_16((a) == (b))
#define EQUAL_32(T, a, b) MASK_BITS_32((a) == (b))
#define LESS_8(T, a, b) MASK_BITS_8((a) < (b))
#define LESS_16(T, a, b) MASK_BITS_16((a) < (b))
#define LESS_32(T, a, b) MASK_BITS_32((a) < (b))
#define OTHERS(T, bits) ((bits) ^ ((1u << VECTOR_LANES(T)) - 1))
#define INTEGER_BITS(T, size, predicate, expression)            \
    ((predicate) == EQ_INT   ? EQUAL_##size(T, a, b)            \
     : (predicate) == NE_INT ? OTHERS(T, EQUAL_##size(T, a, b)) \
     : (predicate) == LT_INT ? LESS_##size(T, a, b)             \
                             : OTHERS(T, LESS_##size(T, b, a)))
#endif
enum { EQ_INT = 0, LT_INT = 1, LE_INT = 2, NE_INT = 4 };
enum {
    EQ_OQ = 0,
    UNORD_Q = 3,
    NEQ_UQ = 4,
    ORD_Q = 7,
    EQ_UQ = 8,
    NEQ_OQ = 12,
    LT_OQ = 17,
    LE_OQ = 18,
    NGE_UQ = 25,
    NGT_UQ = 26
};

/* The mask bits of one block of 16 lanes; A and B give a register of lanes from i + k. */
#define BLOCK_BITS(T, A, B, bits_of_register)              \
    ({                                                     \
        uint32_t block_ = 0;                               \
        UNROLL_16                                          \
        for (size_t k = 0; k < 16; k += VECTOR_LANES(T)) { \
            const vec_##T a = A, b = B;                    \
            (void)b;                                       \
            block_ |= (bits_of_register) << k;             \
        }                                                  \
        block_;                                            \
    })

/* d_[w] = the mask bits of up to four blocks. */
#define EACH_MASK_WORD(block)                       \
    for (size_t w = 0; w < n; w += 64) {            \
        const size_t end = n - w < 64 ? n - w : 64; \
        uint64_t bits = 0;                          \
        if (end == 64) {                            \
            UNROLL_16                               \
            for (size_t j = 0; j < 64; j += 16) {   \
                const size_t i = w + j;             \
                bits |= (uint64_t)(block) << j;     \
            }                                       \
        } else {                                    \
            for (size_t j = 0; j < end; j += 16) {  \
                const size_t i = w + j;             \
                bits |= (uint64_t)(block) << j;     \
            }                                       \
        }                                           \
        d_[w / 64] = bits;                          \
    }

#define HANDLER_COMPARE(name, T, AO, BO, block)     \
    HANDLER(name)                                   \
    {                                               \
        const size_t n = LANES_OF(wave);            \
        uint64_t *const d_ = AT(uint64_t, insn->d); \
        AO(T, a)                                    \
        BO(T, b)                                    \
        EACH_MASK_WORD(block)                       \
        NEXT;                                       \
    }
#define V_SIDE(T, x) const T *const x##_ = AT(T, insn->x);
#define U_SIDE(T, x) const vec_##T x##u = VECTOR_SPLAT(T, *AT(T, insn->x));
#define COMPARE_UU(name, T, ...)                                  \
    HANDLER(name)                                                 \
    {                                                             \
        const T a = *AT(T, insn->a), b = *AT(T, insn->b);         \
        *AT(uint8_t, insn->d) = (uint8_t)((__VA_ARGS__) ? 1 : 0); \
        NEXT;                                                     \
    }
#define LANE_COMPARE(name, T, size, predicate, expression, BITS)                                         \
    HANDLER_COMPARE(name##_vv, T, V_SIDE, V_SIDE,                                                        \
                    BLOCK_BITS(T, VECTOR_LOAD(T, a_ + i + k), VECTOR_LOAD(T, b_ + i + k),                \
                               BITS(T, size, predicate, expression)))                                    \
    HANDLER_COMPARE(name##_vu, T, V_SIDE, U_SIDE,                                                        \
                    BLOCK_BITS(T, VECTOR_LOAD(T, a_ + i + k), bu, BITS(T, size, predicate, expression))) \
    HANDLER_COMPARE(name##_uv, T, U_SIDE, V_SIDE,                                                        \
                    BLOCK_BITS(T, au, VECTOR_LOAD(T, b_ + i + k), BITS(T, size, predicate, expression))) \
    COMPARE_UU(name##_uu, T, expression)

#define INTEGER_COMPARE(name, S, predicate, expression)                     \
    LANE_COMPARE(name##_8, S##8, 8, predicate, expression, INTEGER_BITS)    \
    LANE_COMPARE(name##_16, S##16, 16, predicate, expression, INTEGER_BITS) \
    LANE_COMPARE(name##_32, S##32, 32, predicate, expression, INTEGER_BITS) \
    LANE_COMPARE(name##_64, S##64, 64, predicate, expression, INTEGER_BITS)
INTEGER_COMPARE(ieq, u, EQ_INT, a == b)
INTEGER_COMPARE(ine, u, NE_INT, a != b)
INTEGER_COMPARE(ult, u, LT_INT, a < b)
INTEGER_COMPARE(ule, u, LE_INT, a <= b)
INTEGER_COMPARE(slt, i, LT_INT, a < b)
INTEGER_COMPARE(sle, i, LE_INT, a <= b)

/* ---- floats ------------------------------------------------------------------------- */

/* Lanes of half are widened 16 at a time. Each form is a function of its own, since a handler with arrays
 * on its stack could not end in a sibling call. */
static inline void widen_16(f32 *restrict out, const u16 *restrict in)
{
    EACH_LANE(k, 16) out[k] = half_to_float(in[k]);
}

#define HALF_OPERAND_V(x)                     \
    const u16 *const x##_ = AT(u16, insn->x); \
    f32 x##f[16];
#define HALF_OPERAND_U(x)           \
    f32 x##f[16];                   \
    for (size_t k = 0; k < 16; k++) \
        x##f[k] = half_to_float(*AT(u16, insn->x));
#define HALF_SIDE_V(x) widen_16(x##f, x##_ + i);
#define HALF_SIDE_U(x)

#define HALF_COMPARE_FORM(name, A, B, predicate, expression)                                              \
    static __attribute__((noinline)) void name##_lanes(const struct insn *insn, uint8_t *frame, size_t n) \
    {                                                                                                     \
        uint64_t *const d_ = AT(uint64_t, insn->d);                                                       \
        HALF_OPERAND_##A(a) HALF_OPERAND_##B(b) EACH_MASK_WORD(({                                         \
            HALF_SIDE_##A(a) HALF_SIDE_##B(b)                                                             \
                BLOCK_BITS(f32, VECTOR_LOAD(f32, af + k), VECTOR_LOAD(f32, bf + k),                       \
                           COMPARE_BITS(f32, 32, predicate, expression));                                 \
        }))                                                                                               \
    }                                                                                                     \
    HANDLER(name)                                                                                         \
    {                                                                                                     \
        name##_lanes(insn, frame, LANES_OF(wave));                                                        \
        NEXT;                                                                                             \
    }
#define HALF_COMPARE(name, predicate, expression)                                             \
    HALF_COMPARE_FORM(name##_vv, V, V, predicate, expression)                                 \
    HALF_COMPARE_FORM(name##_vu, V, U, predicate, expression)                                 \
    HALF_COMPARE_FORM(name##_uv, U, V, predicate, expression)                                 \
    HANDLER(name##_uu)                                                                        \
    {                                                                                         \
        const f32 a = half_to_float(*AT(u16, insn->a)), b = half_to_float(*AT(u16, insn->b)); \
        *AT(uint8_t, insn->d) = (uint8_t)((expression) ? 1 : 0);                              \
        NEXT;                                                                                 \
    }
#define FLOAT_COMPARE(name, predicate, expression)                        \
    HALF_COMPARE(name##_16, predicate, expression)                        \
    LANE_COMPARE(name##_32, f32, 32, predicate, expression, COMPARE_BITS) \
    LANE_COMPARE(name##_64, f64, 64, predicate, expression, COMPARE_BITS)
FLOAT_COMPARE(foeq, EQ_OQ, a == b)
FLOAT_COMPARE(fone, NEQ_OQ, (a < b) | (a > b))
FLOAT_COMPARE(folt, LT_OQ, a < b)
FLOAT_COMPARE(fole, LE_OQ, a <= b)
FLOAT_COMPARE(fueq, EQ_UQ, ((a < b) | (a > b)) == 0)
FLOAT_COMPARE(fune, NEQ_UQ, a != b)
FLOAT_COMPARE(fult, NGE_UQ, (a >= b) == 0)
FLOAT_COMPARE(fule, NGT_UQ, (a > b) == 0)
FLOAT_COMPARE(ford, ORD_Q, (a == a) & (b == b))
FLOAT_COMPARE(fuord, UNORD_Q, (a != a) | (b != b))

/* ---- tests: on the bits; b is the magnitude, e all exponent bits, s the smallest normal ------- */

enum { EXPONENT_16 = 0x7c00, EXPONENT_32 = 0x7f800000, SMALLEST_16 = 0x400, SMALLEST_32 = 0x800000 };
#define EXPONENT_64 0x7ff0000000000000
#define SMALLEST_64 0x10000000000000

#define LANE_TEST(name, size, expression)                                                                    \
    HANDLER(name##_##size##_v)                                                                               \
    {                                                                                                        \
        const size_t n = LANES_OF(wave);                                                                     \
        uint64_t *const d_ = AT(uint64_t, insn->d);                                                          \
        const i##size *const a_ = AT(i##size, insn->a);                                                      \
        const vec_i##size e = VECTOR_SPLAT(i##size, (i##size)EXPONENT_##size);                               \
        const vec_i##size s = VECTOR_SPLAT(i##size, (i##size)SMALLEST_##size), most = e | (s - 1);           \
        (void)e;                                                                                             \
        (void)s;                                                                                             \
        EACH_MASK_WORD(                                                                                      \
            BLOCK_BITS(i##size, VECTOR_LOAD(i##size, a_ + i + k), (a & most), MASK_BITS_##size(expression))) \
        NEXT;                                                                                                \
    }                                                                                                        \
    HANDLER(name##_##size##_u)                                                                               \
    {                                                                                                        \
        const i##size a = *AT(i##size, insn->a), e = (i##size)EXPONENT_##size, s = (i##size)SMALLEST_##size; \
        const i##size b = (i##size)(a & (e | (s - 1)));                                                      \
        (void)b;                                                                                             \
        (void)e;                                                                                             \
        *AT(uint8_t, insn->d) = (uint8_t)((expression) ? 1 : 0);                                             \
        NEXT;                                                                                                \
    }
#define FLOAT_TEST(name, expression) \
    LANE_TEST(name, 16, expression) LANE_TEST(name, 32, expression) LANE_TEST(name, 64, expression)
FLOAT_TEST(isnan, b > e)
FLOAT_TEST(isinf, b == e)
FLOAT_TEST(isfinite, b < e)
FLOAT_TEST(isnormal, (b < e) & (b >= s))
FLOAT_TEST(signbit, a < 0)

/* ---- bools ---------------------------------------------------------------------------- */

#define BOOL_OPERAND_V(x) const uint64_t *const x##_ = AT(uint64_t, insn->x);
#define BOOL_OPERAND_U(x) const uint64_t x = (uint64_t)0 - (*AT(uint8_t, insn->x) & 1);
#define BOOL_WORD_V(x) const uint64_t x = x##_[w];
#define BOOL_WORD_U(x)
#define BOOL_FORM(name, A, B, expression)                         \
    HANDLER(name)                                                 \
    {                                                             \
        const size_t n = LANES_OF(wave);                          \
        uint64_t *const d_ = AT(uint64_t, insn->d);               \
        BOOL_OPERAND_##A(a) BOOL_OPERAND_##B(b) EACH_WORD(w, n)   \
        {                                                         \
            BOOL_WORD_##A(a) BOOL_WORD_##B(b) d_[w] = expression; \
        }                                                         \
        NEXT;                                                     \
    }
#define BOOL_BINARY(name, expression)           \
    BOOL_FORM(name##_m_vv, V, V, expression)    \
    BOOL_FORM(name##_m_vu, V, U, expression)    \
    BOOL_FORM(name##_m_uv, U, V, expression)    \
    HANDLER(name##_m_uu)                        \
    {                                           \
        BOOL_OPERAND_U(a)                       \
        BOOL_OPERAND_U(b)                       \
        *AT(uint8_t, insn->d) = (expression)&1; \
        NEXT;                                   \
    }
BOOL_BINARY(mand, a &b)
BOOL_BINARY(mor, a | b)
BOOL_BINARY(mxor, a ^ b)
BOOL_BINARY(mxnor, ~(a ^ b))

HANDLER(mnot_m_v)
{
    const size_t n = LANES_OF(wave);
    uint64_t *const d_ = AT(uint64_t, insn->d);
    const uint64_t *const a_ = AT(uint64_t, insn->a);
    EACH_WORD(w, n) d_[w] = ~a_[w];
    NEXT;
}

HANDLER(mnot_m_u)
{
    *AT(uint8_t, insn->d) = ~*AT(uint8_t, insn->a) & 1;
    NEXT;
}

HANDLER(many_u)
{
    const size_t n = LANES_OF(wave);
    const uint64_t *const a_ = AT(uint64_t, insn->a), *const active = wave->active.word;
    uint64_t some = 0;
    EACH_WORD(w, n) some |= a_[w] & active[w];
    *AT(uint8_t, insn->d) = some != 0;
    NEXT;
}

HANDLER(mall_u)
{
    const size_t n = LANES_OF(wave);
    const uint64_t *const a_ = AT(uint64_t, insn->a), *const active = wave->active.word;
    uint64_t missing = 0;
    EACH_WORD(w, n) missing |= ~a_[w] & active[w];
    *AT(uint8_t, insn->d) = missing == 0;
    NEXT;
}
