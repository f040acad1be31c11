/* SPDX-License-Identifier: Apache-2.0 */
/* The frequent conversions as loops over lanes; all others call number_convert(). */
#include "half.h"
#include "lanes.h"
#include "value_number.h"

LANE_UNARY(trunc_16_8, u8, u16, a)
LANE_UNARY(trunc_32_8, u8, u32, a)
LANE_UNARY(trunc_64_8, u8, u64, a)
LANE_UNARY(trunc_32_16, u16, u32, a)
LANE_UNARY(trunc_64_16, u16, u64, a)
LANE_UNARY(trunc_64_32, u32, u64, a)
LANE_UNARY(zext_8_16, u16, u8, a)
LANE_UNARY(zext_8_32, u32, u8, a)
LANE_UNARY(zext_8_64, u64, u8, a)
LANE_UNARY(zext_16_32, u32, u16, a)
LANE_UNARY(zext_16_64, u64, u16, a)
LANE_UNARY(zext_32_64, u64, u32, a)
LANE_UNARY(sext_8_16, i16, i8, a)
LANE_UNARY(sext_8_32, i32, i8, a)
LANE_UNARY(sext_8_64, i64, i8, a)
LANE_UNARY(sext_16_32, i32, i16, a)
LANE_UNARY(sext_16_64, i64, i16, a)
LANE_UNARY(sext_32_64, i64, i32, a)

LANE_UNARY(cvt_s32_f32, f32, i32, a)
LANE_UNARY(cvt_u32_f32, f32, u32, a)
LANE_UNARY(cvt_s32_f64, f64, i32, a)
LANE_UNARY(cvt_u32_f64, f64, u32, (f64)(i32)(a ^ 0x80000000u) + 0x1p31)
LANE_UNARY(cvt_s64_f64, f64, i64, a)
LANE_UNARY(cvt_u64_f64, f64, u64, a)
LANE_UNARY(cvt_s64_f32, f32, i64, a)
LANE_UNARY(cvt_u64_f32, f32, u64, a)

/* Instruction sets differ on values out of range, so the bits of the smallest integer are the result. NaN
 * is out of range. */

static inline i32 f32_s32(f32 a)
{
    const bool inside = (a >= -0x1p31f) & (a < 0x1p31f);
    const i32 whole = (i32)(inside ? a : 0);
    return inside ? whole : INT32_MIN;
}

static inline i32 f64_s32(f64 a)
{
    const bool inside = (a > -0x1.00000002p31) & (a < 0x1p31);
    const i32 whole = (i32)(inside ? a : 0);
    return inside ? whole : INT32_MIN;
}

/* Values of the upper half of the range are converted after subtracting 2^31. Values above -1 truncate to 0
 * or more. */
static inline u32 f32_u32(f32 a)
{
    const bool inside = (a > -1.0f) & (a < 0x1p32f), upper = a >= 0x1p31f;
    const i32 whole = (i32)((inside ? a : 0) - ((inside & upper) ? 0x1p31f : 0));
    return inside ? (u32)whole ^ (upper ? 0x80000000u : 0) : 0x80000000u;
}

static inline u32 f64_u32(f64 a)
{
    const bool inside = (a > -1.0) & (a < 0x1p32), upper = a >= 0x1p31;
    const i32 whole = (i32)((inside ? a : 0) - ((inside & upper) ? 0x1p31 : 0));
    return inside ? (u32)whole ^ (upper ? 0x80000000u : 0) : 0x80000000u;
}

static inline i64 f64_s64(f64 a)
{
    const bool inside = (a >= -0x1p63) & (a < 0x1p63);
    const i64 whole = (i64)(inside ? a : 0);
    return inside ? whole : INT64_MIN;
}

static inline u64 f64_u64(f64 a)
{
    const bool inside = (a > -1.0) & (a < 0x1p64), upper = a >= 0x1p63;
    const i64 whole = (i64)((inside ? a : 0) - ((inside & upper) ? 0x1p63 : 0));
    return inside ? (u64)whole ^ (upper ? 0x8000000000000000u : 0) : 0x8000000000000000u;
}

LANE_UNARY(cvt_f32_s32, i32, f32, f32_s32(a))
LANE_UNARY(cvt_f32_u32, u32, f32, f32_u32(a))
LANE_UNARY(cvt_f64_s32, i32, f64, f64_s32(a))
LANE_UNARY(cvt_f64_u32, u32, f64, f64_u32(a))
LANE_UNARY(cvt_f32_s64, i64, f32, f64_s64((f64)a))
LANE_UNARY(cvt_f64_s64, i64, f64, f64_s64(a))
LANE_UNARY(cvt_f32_u64, u64, f32, f64_u64((f64)a))
LANE_UNARY(cvt_f64_u64, u64, f64, f64_u64(a))
LANE_UNARY(cvt_f32_f64, f64, f32, a)
LANE_UNARY(cvt_f64_f32, f32, f64, a)
LANE_UNARY(cvt_f16_f32, f32, u16, half_to_float(a))
LANE_UNARY(cvt_f32_f16, u16, f32, float_to_half(a))

HANDLER(convert_any_v)
{
    number_convert(insn->e, LANES_OF(wave), frame + insn->d, frame + insn->a);
    NEXT;
}

HANDLER(convert_any_u)
{
    number_convert(insn->e, 1, frame + insn->d, frame + insn->a);
    NEXT;
}
