/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  OpenCL.std instructions as functions on lane arrays. Same bits on every
 *          instruction set; within the full-profile ULP limits (OpenCL SPIR-V
 *          environment, numerical compliance), subnormals kept.
 *
 * Contract n is a positive multiple of 16; arrays are 64-byte aligned and may alias
 *          exactly (out == in), never partly. Elements are the OpenCL.std operand
 *          types, scalars only; half is uint16_t bits. Never traps on any bits.
 *          out[1] is the second result of the entries with a pointer operand (fract,
 *          frexp, lgamma_r, modf, remquo, sincos): the value stored through it; the
 *          int ones are int32_t.
 *          Arithmetic gives the NaN 0x7e00, 0x7fc00000, 0x7ff8000000000000; moved bits
 *          (fabs, copysign, fmin, fmax, clamp, select, nan) keep theirs. select is the
 *          scalar one (c != 0); nan is found under its operand's type or its result's.
 *          mad rounds twice in float and double, once in half. remquo stores 7 bits.
 */
#ifndef ORRERY_INTERP_MATH_H
#define ORRERY_INTERP_MATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum math_type { MATH_I8, MATH_I16, MATH_I32, MATH_I64, MATH_F16, MATH_F32, MATH_F64, MATH_TYPES };
typedef void math_fn(size_t n, void *const out[2], const void *const in[3]);

/* instruction: number in OpenCL.std (enum OpenCLstd_Entrypoints). type: of the first
 * operand (for entries such as ldexp, pown, rootn the int operand is int32_t; shuffle,
 * vload/vstore, prefetch, printf and the geometric entries are lowered elsewhere:
 * NULL). NULL = no such entry for that type. Picks the build for the running CPU. */
math_fn *math_find(uint32_t instruction, enum math_type type);

/* For tests: the build of one instruction set, 0 baseline, 1 AVX2, 2 AVX-512; NULL if the CPU lacks it. */
math_fn *math_find_isa(uint32_t instruction, enum math_type type, int isa);

#endif
