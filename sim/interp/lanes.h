/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What every handler file needs: names per instruction set, dispatch, the lane
 *          loop, vectors of one machine register, and the two ways between bools (mask
 *          bits) and lanes.
 *
 * Interface
 *   HANDLER(name)              head of the handler of OP_name in this build
 *   NEXT, NEXT_AFTER_FAULT     how a handler ends: a sibling call, or a return when looping
 *   AT(T, operand)             operand as pointer to T
 *   EACH_LANE(i, n)            loop over lanes; n is a local
 *   LANE_UNARY/BINARY/TERNARY  all forms of an op from one expression
 *   EACH_BLOCK(i, n)           loop over blocks of 16 lanes, unrolled within
 *   vec_T, MASK_BITS_T         one register of T; bits of a comparison of two such
 *
 * Contract The result may be in an operand's slot only when both have lanes of the same
 *          width (a bool result may be in any operand's); else slots do not overlap.
 *          Operand pointers, scalars and the bound are locals before the loop:
 *          lanes could alias the instruction and the wave, and the loop would stay scalar.
 */
#ifndef ORRERY_INTERP_LANES_H
#define ORRERY_INTERP_LANES_H

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdint.h>
#include <string.h>

#include "bytecode.h"
#include "wave.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#define EXEC_JOIN_(name, isa) exec_##name##_isa##isa
#define EXEC_JOIN(name, isa) EXEC_JOIN_(name, isa)
#define EXEC(name) EXEC_JOIN(name, ORRERY_ISA)

#define OP(name, text) exec_fn EXEC(name);
#include "op.def"
#undef OP

/* Called when lanes were stopped and none is active any more: the next instruction; NULL: the wave stops. */
const struct insn *wave_next_block(struct wave *wave);

/* ---- dispatch --------------------------------------------------------------------- */

#define HANDLER(name) \
    const struct insn *EXEC(name)(const struct insn *insn, uint8_t *frame, struct wave *wave)

/* The call of the next handler must become a jump (TAIL_CALL), which needs optimization; else handlers
 * return to a loop. */
#if !defined ORRERY_LOOPING && !defined __OPTIMIZE__
#define ORRERY_LOOPING 1
#endif
#ifdef ORRERY_LOOPING
#define GO_TO(next) return (void)wave, (next)
#else
#define GO_TO(next) TAIL_CALL(next)->exec(next, frame, wave)
#endif
#define NEXT GO_TO(insn + 1)

/* A part of a handler has other parameters, so a tail call from there is not guaranteed; it returns to a
 * loop instead. */
#ifdef TAIL_CALL_BY_ATTRIBUTE
#define NEXT_OF_PART return insn + 1
#define NEXT_OF_PART_AFTER_FAULT(insn, frame, wave) return after_fault(insn, wave)
#else
#define NEXT_OF_PART NEXT
#define NEXT_OF_PART_AFTER_FAULT NEXT_AFTER_FAULT
#endif

static inline bool wave_any_active(const struct wave *wave)
{
    uint64_t any = 0;
    for (int i = 0; i < LANE_MASK_WORDS; i++)
        any |= wave->active.word[i];
    return any != 0;
}

static inline const struct insn *after_fault(const struct insn *insn, struct wave *wave)
{
    return wave_any_active(wave) ? insn + 1 : wave_next_block(wave);
}

#define NEXT_AFTER_FAULT(insn, frame, wave)                 \
    do {                                                    \
        const struct insn *next_ = after_fault(insn, wave); \
        if (!next_)                                         \
            return NULL;                                    \
        GO_TO(next_);                                       \
    } while (0)

/* ---- lanes ------------------------------------------------------------------------- */

#define AT(T, operand) ((T *)(void *)(frame + (operand)))

#ifdef __clang__
#define NO_LANE_DEPENDENCE _Pragma("clang loop vectorize(assume_safety)")
#define UNROLL_16 _Pragma("clang loop unroll(full)")
#define UNROLL_NOT _Pragma("clang loop unroll(disable)")
#else
#define NO_LANE_DEPENDENCE _Pragma("GCC ivdep")
#define UNROLL_16 _Pragma("GCC unroll 16")
#define UNROLL_NOT _Pragma("GCC unroll 1")
#endif

#define LANES_OF(wave) ((size_t)(wave)->n & ~(size_t)15) /* n is a multiple of 16: no loop for a remainder */
#define EACH_LANE(i, n) NO_LANE_DEPENDENCE for (size_t i = 0; i < (n); i++)
#define EACH_BLOCK(i, n) for (size_t i = 0; i < (n); i += 16)
#define EACH_WORD(w, n) for (size_t w = 0; w * 64 < (n); w++)

/* One macro per form. A, B and C are the types of operands; the loads define how lane i is read. */
#define HANDLER_UNARY_V(name, R, A, ...)    \
    HANDLER(name)                           \
    {                                       \
        const size_t n = LANES_OF(wave);    \
        R *const d_ = AT(R, insn->d);       \
        const A *const a_ = AT(A, insn->a); \
        EACH_LANE(i, n)                     \
        {                                   \
            const A a = a_[i];              \
            d_[i] = (R)(__VA_ARGS__);       \
        }                                   \
        NEXT;                               \
    }
#define HANDLER_UNARY_U(name, R, A, ...)    \
    HANDLER(name)                           \
    {                                       \
        const A a = *AT(A, insn->a);        \
        *AT(R, insn->d) = (R)(__VA_ARGS__); \
        NEXT;                               \
    }
#define LANE_UNARY(name, R, A, ...)              \
    HANDLER_UNARY_V(name##_v, R, A, __VA_ARGS__) \
    HANDLER_UNARY_U(name##_u, R, A, __VA_ARGS__)

#define LANE_BINARY(name, T, ...)                                       \
    HANDLER(name##_vv)                                                  \
    {                                                                   \
        const size_t n = LANES_OF(wave);                                \
        T *const d_ = AT(T, insn->d);                                   \
        const T *const a_ = AT(T, insn->a), *const b_ = AT(T, insn->b); \
        EACH_LANE(i, n)                                                 \
        {                                                               \
            const T a = a_[i], b = b_[i];                               \
            d_[i] = (T)(__VA_ARGS__);                                   \
        }                                                               \
        NEXT;                                                           \
    }                                                                   \
    HANDLER(name##_vu)                                                  \
    {                                                                   \
        const size_t n = LANES_OF(wave);                                \
        T *const d_ = AT(T, insn->d);                                   \
        const T *const a_ = AT(T, insn->a), b = *AT(T, insn->b);        \
        EACH_LANE(i, n)                                                 \
        {                                                               \
            const T a = a_[i];                                          \
            d_[i] = (T)(__VA_ARGS__);                                   \
        }                                                               \
        NEXT;                                                           \
    }                                                                   \
    HANDLER(name##_uv)                                                  \
    {                                                                   \
        const size_t n = LANES_OF(wave);                                \
        T *const d_ = AT(T, insn->d);                                   \
        const T a = *AT(T, insn->a), *const b_ = AT(T, insn->b);        \
        EACH_LANE(i, n)                                                 \
        {                                                               \
            const T b = b_[i];                                          \
            d_[i] = (T)(__VA_ARGS__);                                   \
        }                                                               \
        NEXT;                                                           \
    }                                                                   \
    HANDLER(name##_uu)                                                  \
    {                                                                   \
        const T a = *AT(T, insn->a), b = *AT(T, insn->b);               \
        *AT(T, insn->d) = (T)(__VA_ARGS__);                             \
        NEXT;                                                           \
    }

#define V_OPERAND(T, x) const T *const x##_ = AT(T, insn->x);
#define U_OPERAND(T, x) const T x = *AT(T, insn->x);
#define V_LANE(T, x) const T x = x##_[i];
#define U_LANE(T, x)
#define HANDLER_TERNARY(name, T, A, B, C, ...)                                     \
    HANDLER(name)                                                                  \
    {                                                                              \
        const size_t n = LANES_OF(wave);                                           \
        T *const d_ = AT(T, insn->d);                                              \
        A##_OPERAND(T, a) B##_OPERAND(T, b) C##_OPERAND(T, c) EACH_LANE(i, n)      \
        {                                                                          \
            A##_LANE(T, a) B##_LANE(T, b) C##_LANE(T, c) d_[i] = (T)(__VA_ARGS__); \
        }                                                                          \
        NEXT;                                                                      \
    }
#define LANE_TERNARY(name, T, ...)                                                           \
    HANDLER_TERNARY(name##_vvv, T, V, V, V, __VA_ARGS__)                                     \
    HANDLER_TERNARY(name##_vvu, T, V, V, U, __VA_ARGS__)                                     \
    HANDLER_TERNARY(name##_vuv, T, V, U, V, __VA_ARGS__)                                     \
    HANDLER_TERNARY(name##_vuu, T, V, U, U, __VA_ARGS__)                                     \
    HANDLER_TERNARY(name##_uvv, T, U, V, V, __VA_ARGS__)                                     \
    HANDLER_TERNARY(name##_uvu, T, U, V, U, __VA_ARGS__)                                     \
    HANDLER_TERNARY(name##_uuv, T, U, U, V, __VA_ARGS__)                                     \
    HANDLER(name##_uuu)                                                                      \
    {                                                                                        \
        U_OPERAND(T, a) U_OPERAND(T, b) U_OPERAND(T, c) * AT(T, insn->d) = (T)(__VA_ARGS__); \
        NEXT;                                                                                \
    }

/* ---- one machine register ------------------------------------------------------------- */

#if ORRERY_ISA == 2
enum { VECTOR_BYTES = 64 };
#elif ORRERY_ISA == 1
enum { VECTOR_BYTES = 32 };
#else
enum { VECTOR_BYTES = 16 };
#endif

/* A register, at most 16 lanes, so that a block has at least one. Any alignment and aliasing is allowed. */
#define VECTOR_OF(T, bytes) \
    typedef T vec_##T __attribute__((vector_size((bytes) < VECTOR_BYTES ? (bytes) : VECTOR_BYTES), may_alias))
typedef float f32;
typedef double f64;
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
VECTOR_OF(u8, 16);
VECTOR_OF(i8, 16);
VECTOR_OF(u16, 32);
VECTOR_OF(i16, 32);
VECTOR_OF(u32, 64);
VECTOR_OF(i32, 64);
VECTOR_OF(f32, 64);
VECTOR_OF(u64, 128);
VECTOR_OF(i64, 128);
VECTOR_OF(f64, 128);
#define VECTOR_LANES(T) (sizeof(vec_##T) / sizeof(T))

#define VECTOR_LOAD(T, p)            \
    ({                               \
        vec_##T v_;                  \
        memcpy(&v_, (p), sizeof v_); \
        v_;                          \
    })
#define VECTOR_STORE(T, p, value)    \
    ({                               \
        vec_##T v_ = (value);        \
        memcpy((p), &v_, sizeof v_); \
    })
#define VECTOR_SPLAT(T, x) ((x) - (vec_##T){0}) /* x - 0 is x for every x, also for -0.0 */

/* A comparison's result (all ones or all zeros per lane, as signed integers of the lane's width) to mask
 * bits. */
#if defined __x86_64__ && ORRERY_ISA == 1
#define MASK_BITS_8(m) ((uint32_t)_mm_movemask_epi8((__m128i)(m)))
#define MASK_BITS_16(m)                                                                                      \
    ({                                                                                                       \
        __m256i m_ = (__m256i)(m);                                                                           \
        (uint32_t)                                                                                           \
            _mm_movemask_epi8(_mm_packs_epi16(_mm256_castsi256_si128(m_), _mm256_extracti128_si256(m_, 1))); \
    })
#define MASK_BITS_32(m) ((uint32_t)_mm256_movemask_ps((__m256)(m)))
#define MASK_BITS_64(m) ((uint32_t)_mm256_movemask_pd((__m256d)(m)))
#elif defined __x86_64__ && ORRERY_ISA == 0
#define MASK_BITS_8(m) ((uint32_t)_mm_movemask_epi8((__m128i)(m)))
#define MASK_BITS_16(m) ((uint32_t)_mm_movemask_epi8(_mm_packs_epi16((__m128i)(m), _mm_setzero_si128())))
#define MASK_BITS_32(m) ((uint32_t)_mm_movemask_ps((__m128)(m)))
#define MASK_BITS_64(m) ((uint32_t)_mm_movemask_pd((__m128d)(m)))
#elif defined __x86_64__
#define MASK_BITS_8(m) ((uint32_t)_mm_movepi8_mask((__m128i)(m)))
#define MASK_BITS_16(m) ((uint32_t)_mm256_movepi16_mask((__m256i)(m)))
#define MASK_BITS_32(m) ((uint32_t)_mm512_movepi32_mask((__m512i)(m)))
#define MASK_BITS_64(m) ((uint32_t)_mm512_movepi64_mask((__m512i)(m)))
#else
#define MASK_BITS_ANY(T, m)                             \
    ({                                                  \
        vec_##T m_ = (m);                               \
        uint32_t bits_ = 0;                             \
        for (size_t k_ = 0; k_ < VECTOR_LANES(T); k_++) \
            bits_ |= (uint32_t)(m_[k_] & 1) << k_;      \
        bits_;                                          \
    })
#define MASK_BITS_8(m) MASK_BITS_ANY(i8, m)
#define MASK_BITS_16(m) MASK_BITS_ANY(i16, m)
#define MASK_BITS_32(m) MASK_BITS_ANY(i32, m)
#define MASK_BITS_64(m) MASK_BITS_ANY(i64, m)
#endif

/* Mask bits, from bit 0 on, to lanes of all ones or all zeros. Lanes of 64 bits are compared as pairs of 32
 * bits, which SSE2 has. */
#define LANE_BITS_8                                                      \
    {                                                                    \
        1, 2, 4, 8, 16, 32, 64, (i8)128, 1, 2, 4, 8, 16, 32, 64, (i8)128 \
    }
#if ORRERY_ISA == 0
#define LANE_BITS_16                \
    {                               \
        1, 2, 4, 8, 16, 32, 64, 128 \
    }
#define LANE_BITS_32 \
    {                \
        1, 2, 4, 8   \
    }
#define LANE_BITS_64 \
    {                \
        1, 1, 2, 2   \
    }
#elif ORRERY_ISA == 1
#define LANE_BITS_16                                                                     \
    {                                                                                    \
        1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, (i16)32768 \
    }
#define LANE_BITS_32                \
    {                               \
        1, 2, 4, 8, 16, 32, 64, 128 \
    }
#define LANE_BITS_64           \
    {                          \
        1, 1, 2, 2, 4, 4, 8, 8 \
    }
#endif

#if ORRERY_ISA < 2
/* Mask bits from bit k on, a constant: the compiler spreads the bits over a register once for all registers
 * of a block. */
static inline vec_i8 expand_8(uint32_t bits, size_t k)
{
    (void)k; /* 16 lanes: k is 0 */
    const vec_i8 lane = LANE_BITS_8;
    const i8 l = (i8)bits, h = (i8)(bits >> 8);
    const vec_i8 spread = {l, l, l, l, l, l, l, l, h, h, h, h, h, h, h, h};
    return (vec_i8)((spread & lane) == lane);
}
#define EXPANDER(size, T)                                            \
    static inline vec_##T expand_##size(uint32_t bits, size_t k)     \
    {                                                                \
        const vec_##T lane = (vec_##T)LANE_BITS_##size << (T)k;      \
        return (vec_##T)((((T)bits - (vec_##T){0}) & lane) == lane); \
    }
EXPANDER(16, i16)
EXPANDER(32, i32)
static inline vec_i64 expand_64(uint32_t bits, size_t k)
{
    const vec_i32 lane = (vec_i32)LANE_BITS_64 << (i32)k;
    return (vec_i64)((((i32)bits - (vec_i32){0}) & lane) == lane);
}
#define VECTOR_BLEND(size, bits, k, a, b)              \
    ({                                                 \
        const vec_i##size m_ = expand_##size(bits, k); \
        (vec_i##size)(((a)&m_) | ((b) & ~m_));         \
    })
#else
#define VECTOR_BLEND(size, bits, k, a, b) VECTOR_BLEND_##size((bits) >> (k), a, b)
#define VECTOR_BLEND_8(bits, a, b) \
    ((vec_i8)_mm_mask_blend_epi8((__mmask16)(bits), (__m128i)(b), (__m128i)(a)))
#define VECTOR_BLEND_16(bits, a, b) \
    ((vec_i16)_mm256_mask_blend_epi16((__mmask16)(bits), (__m256i)(b), (__m256i)(a)))
#define VECTOR_BLEND_32(bits, a, b) \
    ((vec_i32)_mm512_mask_blend_epi32((__mmask16)(bits), (__m512i)(b), (__m512i)(a)))
#define VECTOR_BLEND_64(bits, a, b) \
    ((vec_i64)_mm512_mask_blend_epi64((__mmask8)(bits), (__m512i)(b), (__m512i)(a)))
#endif

static inline uint32_t first_active(const struct wave *wave)
{
    for (uint32_t w = 0; w < LANE_MASK_WORDS; w++)
        if (wave->active.word[w])
            return w * 64 + (uint32_t)__builtin_ctzll(wave->active.word[w]);
    return 0;
}

#endif
