/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  One build of the math kernels per instruction set: names, vector widths,
 *          the lane loop, and the tables each build hands to math_table.c.
 *
 * Interface
 *   MATH_TABLE(family)      this build's table of a family, indexed by OpenCL.std number
 *   MATH_FN(name)           head of a kernel (a math_fn)
 *   LANES(i, n)             loop over n lanes, free of dependences between lanes
 *   SLEEF_F32/F64(fn, acc)  the vector function of the library in this build's width
 *
 * The library's no-FMA variants return the same bits for every vector width; nothing
 * here may use FMA except fma itself, whose result is unique.
 */
#ifndef ORRERY_INTERP_MATH_ISA_H
#define ORRERY_INTERP_MATH_ISA_H

#include "math.h"

#include <spirv/unified1/OpenCL.std.h>

enum { MATH_ENTRIES = 208 };

#define MATH_JOIN_(family, isa) math_##family##_isa##isa
#define MATH_JOIN(family, isa) MATH_JOIN_(family, isa)
#define MATH_TABLE(family) MATH_JOIN(family, ORRERY_ISA)

#define MATH_TABLES(isa)                                     \
    extern math_fn *const MATH_JOIN(i8, isa)[MATH_ENTRIES];  \
    extern math_fn *const MATH_JOIN(i16, isa)[MATH_ENTRIES]; \
    extern math_fn *const MATH_JOIN(i32, isa)[MATH_ENTRIES]; \
    extern math_fn *const MATH_JOIN(i64, isa)[MATH_ENTRIES]; \
    extern math_fn *const MATH_JOIN(f16, isa)[MATH_ENTRIES]; \
    extern math_fn *const MATH_JOIN(f32, isa)[MATH_ENTRIES]; \
    extern math_fn *const MATH_JOIN(f64, isa)[MATH_ENTRIES]

MATH_TABLES(0);
#if defined __x86_64__ && !defined ORRERY_BASELINE
MATH_TABLES(1);
MATH_TABLES(2);
#endif

#ifdef ORRERY_ISA

#define MATH_FN(name) static void name(size_t n, void *const out[2], const void *const in[3])

#ifdef __clang__
#define MATH_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define MATH_IVDEP _Pragma("GCC ivdep")
#endif

/* The mask gives the compiler the contract of n, so that no tail loop is made. */
#define LANES(i, n)                                \
    const size_t lanes_of_##i = (n) & ~(size_t)15; \
    MATH_IVDEP                                     \
    for (size_t i = 0; i < lanes_of_##i; i++)

enum { MATH_BLOCK = 16 };

#if !defined __x86_64__
enum { F32_LANES = 4, F64_LANES = 2 };
#define SLEEF_F32(fn, acc) Sleef_cinz_##fn##f4_##acc##advsimdnofma
#define SLEEF_F64(fn, acc) Sleef_cinz_##fn##d2_##acc##advsimdnofma
#elif ORRERY_ISA == 0
enum { F32_LANES = 4, F64_LANES = 2 };
#define SLEEF_F32(fn, acc) Sleef_cinz_##fn##f4_##acc##sse2
#define SLEEF_F64(fn, acc) Sleef_cinz_##fn##d2_##acc##sse2
#elif ORRERY_ISA == 1
enum { F32_LANES = 8, F64_LANES = 4 };
#define SLEEF_F32(fn, acc) Sleef_cinz_##fn##f8_##acc##avx
#define SLEEF_F64(fn, acc) Sleef_cinz_##fn##d4_##acc##avx
#else
enum { F32_LANES = 16, F64_LANES = 8 };
#define SLEEF_F32(fn, acc) Sleef_cinz_##fn##f16_##acc##avx512fnofma
#define SLEEF_F64(fn, acc) Sleef_cinz_##fn##d8_##acc##avx512fnofma
#endif

typedef float vector_f32 __attribute__((vector_size(4 * F32_LANES)));
typedef double vector_f64 __attribute__((vector_size(8 * F64_LANES)));

/* A block function: MATH_BLOCK lanes through one library function, r may be x. */
#define BLOCK_UNARY(name, R, V, step, function)      \
    static inline void name(R *r, const R *x)        \
    {                                                \
        for (int i = 0; i < MATH_BLOCK; i += step) { \
            V v;                                     \
            __builtin_memcpy(&v, x + i, sizeof(v));  \
            v = (V)function(v);                      \
            __builtin_memcpy(r + i, &v, sizeof(v));  \
        }                                            \
    }

#define BLOCK_BINARY(name, R, V, step, function)          \
    static inline void name(R *r, const R *x, const R *y) \
    {                                                     \
        for (int i = 0; i < MATH_BLOCK; i += step) {      \
            V v, w;                                       \
            __builtin_memcpy(&v, x + i, sizeof(v));       \
            __builtin_memcpy(&w, y + i, sizeof(w));       \
            v = (V)function(v, w);                        \
            __builtin_memcpy(r + i, &v, sizeof(v));       \
        }                                                 \
    }

#define BLOCK_F32(fn, acc) BLOCK_UNARY(f32_##fn, float, vector_f32, F32_LANES, SLEEF_F32(fn, acc))
#define BLOCK_F64(fn, acc) BLOCK_UNARY(f64_##fn, double, vector_f64, F64_LANES, SLEEF_F64(fn, acc))
#define BLOCK_F32_2(fn, acc) BLOCK_BINARY(f32_##fn, float, vector_f32, F32_LANES, SLEEF_F32(fn, acc))
#define BLOCK_F64_2(fn, acc) BLOCK_BINARY(f64_##fn, double, vector_f64, F64_LANES, SLEEF_F64(fn, acc))

#endif
#endif
