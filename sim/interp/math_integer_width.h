/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Template: the integer and relational entries for one WIDTH (8, 16, 32, 64), included once per
 * width by math_integer.c. Defines the table math_i<WIDTH>. No include guard: it is text, not an interface.
 *
 * Interface  WIDTH, WIDE (a power of two: the next width, 128 after 64), both undefined again at the end.
 */
#define I_JOIN_(a, b) a##b
#define I_JOIN(a, b) I_JOIN_(a, b)
#define I_NAME(name) I_JOIN(I_JOIN(I_JOIN(i, WIDTH), _), name)
#define S I_JOIN(I_JOIN(int, WIDTH), _t)
#define U I_JOIN(I_JOIN(uint, WIDTH), _t)
#if WIDTH == 64
#define SW __int128
#define UW unsigned __int128
#else
#define SW I_JOIN(I_JOIN(int, WIDE), _t)
#define UW I_JOIN(I_JOIN(uint, WIDE), _t)
#endif
#define S_MIN ((S)((U)1 << (WIDTH - 1)))
#define S_MAX ((S)(((U)1 << (WIDTH - 1)) - 1))
#define U_MAX ((U) ~(U)0)

#define I_UNARY(name, T, expr) \
    MATH_FN(I_NAME(name))      \
    {                          \
        const T *a = in[0];    \
        T *r = out[0];         \
        LANES(i, n)            \
        {                      \
            const T x = a[i];  \
            r[i] = (T)(expr);  \
        }                      \
    }

#define I_BINARY_TO(name, Q, T, TY, expr) \
    MATH_FN(I_NAME(name))                 \
    {                                     \
        const T *a = in[0];               \
        const TY *b = in[1];              \
        Q *r = out[0];                    \
        LANES(i, n)                       \
        {                                 \
            const T x = a[i];             \
            const TY y = b[i];            \
            r[i] = (Q)(expr);             \
        }                                 \
    }
#define I_BINARY(name, T, expr) I_BINARY_TO(name, T, T, T, expr)

#define I_TERNARY(name, T, expr)                    \
    MATH_FN(I_NAME(name))                           \
    {                                               \
        const T *a = in[0], *b = in[1], *c = in[2]; \
        T *r = out[0];                              \
        LANES(i, n)                                 \
        {                                           \
            const T x = a[i], y = b[i], z = c[i];   \
            r[i] = (T)(expr);                       \
        }                                           \
    }

/* Saturation by the carry and sign bits: no wider type, so 64-bit lanes vectorise too. */
static inline S I_NAME(saturated)(S sign_of)
{
    return (S)((U)(sign_of >> (WIDTH - 1)) ^ (U)S_MAX);
}

static inline S I_NAME(add_sat)(S x, S y)
{
    const S sum = (S)(U)((U)x + (U)y);
    return (S)((sum ^ x) & (sum ^ y)) < 0 ? I_NAME(saturated)(x) : sum;
}

static inline S I_NAME(sub_sat)(S x, S y)
{
    const S difference = (S)(U)((U)x - (U)y);
    return (S)((x ^ y) & (difference ^ x)) < 0 ? I_NAME(saturated)(x) : difference;
}

#if WIDTH == 64
/* High half from 32-bit quarters: vector multiplies have no 64 x 64 -> 128 form. */
static inline U I_NAME(umul_hi)(U x, U y)
{
    const U xl = x & 0xffffffffu, xh = x >> 32, yl = y & 0xffffffffu, yh = y >> 32;
    const U low = xl * yl, middle = xh * yl + (low >> 32), cross = xl * yh + (middle & 0xffffffffu);
    return xh * yh + (middle >> 32) + (cross >> 32);
}

static inline S I_NAME(smul_hi)(S x, S y)
{
    const U high = I_NAME(umul_hi)((U)x, (U)y);
    return (S)(high - ((U)(x >> 63) & (U)y) - ((U)(y >> 63) & (U)x));
}
#else
static inline U I_NAME(umul_hi)(U x, U y)
{
    return (U)((UW)((UW)x * (UW)y) >> WIDTH);
}

static inline S I_NAME(smul_hi)(S x, S y)
{
    return (S)(((SW)x * (SW)y) >> WIDTH);
}
#endif

static inline S I_NAME(smad_sat)(S x, S y, S z)
{
    const SW r = (SW)((SW)x * (SW)y + (SW)z);
    return r < (SW)S_MIN ? S_MIN : r > (SW)S_MAX ? S_MAX : (S)r;
}

static inline U I_NAME(umad_sat)(U x, U y, U z)
{
    const UW r = (UW)((UW)x * (UW)y + (UW)z);
    return r > (UW)U_MAX ? U_MAX : (U)r;
}

/* Bit counts by halving sums: the same few vector steps on every instruction set. */
static inline U I_NAME(count)(U x)
{
    x = (U)(x - ((x >> 1) & (U)(U_MAX / 3)));
    x = (U)((x & (U)(U_MAX / 5)) + ((x >> 2) & (U)(U_MAX / 5)));
    x = (U)((x + (x >> 4)) & (U)(U_MAX / 17));
#if WIDTH >= 16
    x = (U)(x + (x >> 8));
#endif
#if WIDTH >= 32
    x = (U)(x + (x >> 16));
#endif
#if WIDTH >= 64
    x = (U)(x + (x >> 32));
#endif
    return (U)(x & 127);
}

static inline U I_NAME(leading_zeros)(U x)
{
    x = (U)(x | (x >> 1));
    x = (U)(x | (x >> 2));
    x = (U)(x | (x >> 4));
#if WIDTH >= 16
    x = (U)(x | (x >> 8));
#endif
#if WIDTH >= 32
    x = (U)(x | (x >> 16));
#endif
#if WIDTH >= 64
    x = (U)(x | (x >> 32));
#endif
    return (U)(WIDTH - I_NAME(count)(x));
}

static inline U I_NAME(rotated)(U x, U by)
{
    const unsigned left = (unsigned)(by & (WIDTH - 1)), right = (unsigned)((WIDTH - left) & (WIDTH - 1));
    return (U)((U)(x << left) | (U)(x >> right));
}

I_UNARY(s_abs, U, (S)x < 0 ? (U)(0u - x) : x)
I_UNARY(u_abs, U, x)
I_BINARY_TO(s_abs_diff, U, S, S, x > y ? (U)((U)x - (U)y) : (U)((U)y - (U)x))
I_BINARY(u_abs_diff, U, x > y ? x - y : y - x)
I_BINARY(s_add_sat, S, I_NAME(add_sat)(x, y))
I_BINARY(u_add_sat, U, (U)(x + y) < x ? U_MAX : (U)(x + y))
I_BINARY(s_sub_sat, S, I_NAME(sub_sat)(x, y))
I_BINARY(u_sub_sat, U, x < y ? 0 : x - y)
I_BINARY(s_hadd, S, (x >> 1) + (y >> 1) + (x & y & 1))
I_BINARY(u_hadd, U, (x >> 1) + (y >> 1) + (x & y & 1))
I_BINARY(s_rhadd, S, (x >> 1) + (y >> 1) + ((x | y) & 1))
I_BINARY(u_rhadd, U, (x >> 1) + (y >> 1) + ((x | y) & 1))
I_TERNARY(s_clamp, S, (x < y ? y : x) > z ? z : (x < y ? y : x))
I_TERNARY(u_clamp, U, (x < y ? y : x) > z ? z : (x < y ? y : x))
I_BINARY(s_max, S, x < y ? y : x)
I_BINARY(u_max, U, x < y ? y : x)
I_BINARY(s_min, S, y < x ? y : x)
I_BINARY(u_min, U, y < x ? y : x)
I_UNARY(clz, U, I_NAME(leading_zeros)(x))
I_UNARY(ctz, U, WIDTH - I_NAME(leading_zeros)((U)(~x & (x - 1u))))
I_UNARY(popcount, U, I_NAME(count)(x))
I_BINARY(rotate, U, I_NAME(rotated)(x, y))
I_BINARY(s_mul_hi, S, I_NAME(smul_hi)(x, y))
I_BINARY(u_mul_hi, U, I_NAME(umul_hi)(x, y))
I_TERNARY(s_mad_hi, S, (U)I_NAME(smul_hi)(x, y) + (U)z)
I_TERNARY(u_mad_hi, U, I_NAME(umul_hi)(x, y) + z)
I_TERNARY(s_mad_sat, S, I_NAME(smad_sat)(x, y, z))
I_TERNARY(u_mad_sat, U, I_NAME(umad_sat)(x, y, z))
I_TERNARY(bitselect, U, (x & ~z) | (y & z))
I_TERNARY(select, U, z != 0 ? y : x)

#if WIDTH < 64
I_BINARY_TO(upsample, UW, U, U, (UW)((UW)x << WIDTH) | (UW)y)
#endif

/*
 * Operands outside 24 bits are undefined by the specification: wrapping 32-bit arithmetic is one valid
 * result.
 */
#if WIDTH == 32
I_BINARY(mul24, U, x *y)
I_TERNARY(mad24, U, x *y + z)
#endif

math_fn *const MATH_TABLE(I_JOIN(i, WIDTH))[MATH_ENTRIES] = {
    [OpenCLstd_SAbs] = I_NAME(s_abs),
    [OpenCLstd_UAbs] = I_NAME(u_abs),
    [OpenCLstd_SAbs_diff] = I_NAME(s_abs_diff),
    [OpenCLstd_UAbs_diff] = I_NAME(u_abs_diff),
    [OpenCLstd_SAdd_sat] = I_NAME(s_add_sat),
    [OpenCLstd_UAdd_sat] = I_NAME(u_add_sat),
    [OpenCLstd_SSub_sat] = I_NAME(s_sub_sat),
    [OpenCLstd_USub_sat] = I_NAME(u_sub_sat),
    [OpenCLstd_SHadd] = I_NAME(s_hadd),
    [OpenCLstd_UHadd] = I_NAME(u_hadd),
    [OpenCLstd_SRhadd] = I_NAME(s_rhadd),
    [OpenCLstd_URhadd] = I_NAME(u_rhadd),
    [OpenCLstd_SClamp] = I_NAME(s_clamp),
    [OpenCLstd_UClamp] = I_NAME(u_clamp),
    [OpenCLstd_SMax] = I_NAME(s_max),
    [OpenCLstd_UMax] = I_NAME(u_max),
    [OpenCLstd_SMin] = I_NAME(s_min),
    [OpenCLstd_UMin] = I_NAME(u_min),
    [OpenCLstd_Clz] = I_NAME(clz),
    [OpenCLstd_Ctz] = I_NAME(ctz),
    [OpenCLstd_Popcount] = I_NAME(popcount),
    [OpenCLstd_Rotate] = I_NAME(rotate),
    [OpenCLstd_SMul_hi] = I_NAME(s_mul_hi),
    [OpenCLstd_UMul_hi] = I_NAME(u_mul_hi),
    [OpenCLstd_SMad_hi] = I_NAME(s_mad_hi),
    [OpenCLstd_UMad_hi] = I_NAME(u_mad_hi),
    [OpenCLstd_SMad_sat] = I_NAME(s_mad_sat),
    [OpenCLstd_UMad_sat] = I_NAME(u_mad_sat),
    [OpenCLstd_Bitselect] = I_NAME(bitselect),
    [OpenCLstd_Select] = I_NAME(select),
#if WIDTH < 64
    [OpenCLstd_U_Upsample] = I_NAME(upsample),
    [OpenCLstd_S_Upsample] = I_NAME(upsample),
#endif
#if WIDTH == 32
    [OpenCLstd_SMul24] = I_NAME(mul24),
    [OpenCLstd_UMul24] = I_NAME(mul24),
    [OpenCLstd_SMad24] = I_NAME(mad24),
    [OpenCLstd_UMad24] = I_NAME(mad24),
#endif
};

#undef I_JOIN_
#undef I_JOIN
#undef I_NAME
#undef S
#undef U
#undef SW
#undef UW
#undef S_MIN
#undef S_MAX
#undef U_MAX
#undef I_UNARY
#undef I_BINARY
#undef I_BINARY_TO
#undef I_TERNARY
#undef WIDTH
#undef WIDE
