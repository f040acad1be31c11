/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  binary16 to float and back in integer and float arithmetic that every
 *          instruction set does alike. No branches: loops over lanes become vectors.
 *
 * Interface
 *   half_to_float   exact; a signalling NaN becomes quiet
 *   float_to_half   to nearest even; every NaN becomes 0x7e00: which of two NaN operands a sum
 *                   passes on is the compiler's choice
 */
#ifndef ORRERY_INTERP_HALF_H
#define ORRERY_INTERP_HALF_H

#include <stdint.h>
#include <string.h>

static inline uint32_t float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float bits_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float half_to_float(uint16_t half)
{
    const uint32_t magnitude = half & 0x7fffu, sign = (uint32_t)(half & 0x8000) << 16;
    const uint32_t wide = magnitude << 13;
    /* Subnormals: the magnitude counts units of 2^-24, and floats hold small counts exactly. */
    const uint32_t subnormal = float_bits((float)(int32_t)magnitude * 0x1p-24f);
    const uint32_t normal = wide + (112u << 23);
    const uint32_t special = wide | 0x7f800000u | (magnitude > 0x7c00 ? 0x400000u : 0u);
    const uint32_t finite = magnitude < 0x400 ? subnormal : normal;
    return bits_float((magnitude >= 0x7c00 ? special : finite) | sign);
}

static inline uint16_t float_to_half(float value)
{
    const uint32_t bits = float_bits(value), magnitude = bits & 0x7fffffffu;
    /* Below 2^-14 the sum with 0.5 has the unit 2^-24 of half's subnormals: the adder rounds. */
    const uint32_t subnormal =
        float_bits(bits_float(magnitude < 0x38800000 ? magnitude : 0) + 0.5f) - 0x3f000000;
    const uint32_t normal = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
    const uint32_t finite = magnitude < 0x38800000 ? subnormal : normal;
    const uint32_t number = (magnitude >= 0x47800000 ? 0x7c00 : finite) | (bits >> 16 & 0x8000);
    return (uint16_t)(magnitude > 0x7f800000 ? 0x7e00 : number);
}

#endif
