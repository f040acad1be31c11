/* SPDX-License-Identifier: Apache-2.0 */
/* Integer functions against 128-bit arithmetic. */
#include "tests/support/math_fixture.h"

typedef __int128 wide;
typedef wide integer_reference(wide x, wide y, wide z, int width);

static wide least(int width, bool is_signed)
{
    return is_signed ? -((wide)1 << (width - 1)) : 0;
}

static wide greatest(int width, bool is_signed)
{
    return is_signed ? ((wide)1 << (width - 1)) - 1 : ((wide)1 << width) - 1;
}

static wide saturate(wide v, int width, bool is_signed)
{
    const wide low = least(width, is_signed), high = greatest(width, is_signed);
    return v < low ? low : v > high ? high : v;
}

static int count_leading(wide x, int width)
{
    int n = 0;
    while (n < width && !(x >> (width - 1 - n) & 1))
        n++;
    return n;
}

static int count_trailing(wide x, int width)
{
    int n = 0;
    while (n < width && !(x >> n & 1))
        n++;
    return n;
}

static int count_ones(wide x, int width)
{
    int n = 0;
    for (int i = 0; i < width; i++)
        n += (int)(x >> i & 1);
    return n;
}

/* The 128-bit product of two unsigned 64-bit values plus one more may pass 2^127: compare before adding. */
static wide umad_sat(wide x, wide y, wide z, int width)
{
    const unsigned __int128 p = (unsigned __int128)x * (unsigned __int128)y,
                            high = (unsigned __int128)greatest(width, false);
    return p > high - (unsigned __int128)z ? greatest(width, false) : (wide)(p + (unsigned __int128)z);
}

#define INTEGER(name, expr)                                   \
    static wide int_##name(wide x, wide y, wide z, int width) \
    {                                                         \
        (void)y;                                              \
        (void)z;                                              \
        (void)width;                                          \
        return (wide)(expr);                                  \
    }
INTEGER(abs, x < 0 ? -x : x)
INTEGER(abs_diff, x > y ? x - y : y - x)
INTEGER(s_add_sat, saturate(x + y, width, true))
INTEGER(u_add_sat, saturate(x + y, width, false))
INTEGER(s_sub_sat, saturate(x - y, width, true))
INTEGER(u_sub_sat, saturate(x - y, width, false))
INTEGER(hadd, (x + y) >> 1)
INTEGER(rhadd, (x + y + 1) >> 1)
INTEGER(clamp, x<y ? (y > z ? z : y) : x> z ? z : x)
INTEGER(max, x > y ? x : y)
INTEGER(min, x < y ? x : y)
INTEGER(clz, count_leading(x, width))
INTEGER(ctz, count_trailing(x, width))
INTEGER(popcount, count_ones(x, width))
INTEGER(rotate,
        (unsigned __int128)x << (y & (width - 1)) | (unsigned __int128)x >> (width - (y & (width - 1))))
INTEGER(s_mul_hi, (x * y) >> width)
INTEGER(u_mul_hi, (unsigned __int128)x *(unsigned __int128)y >> width)
INTEGER(s_mad_hi, ((x * y) >> width) + z)
INTEGER(u_mad_hi, ((unsigned __int128)x * (unsigned __int128)y >> width) + (unsigned __int128)z)
INTEGER(s_mad_sat, saturate(x *y + z, width, true))
INTEGER(u_mad_sat, umad_sat(x, y, z, width))
INTEGER(bitselect, (x & ~z) | (y & z))
INTEGER(select, z ? y : x)

struct integer_row {
    const char *name;
    uint32_t entry;
    bool is_signed;
    integer_reference *expected;
};
#define INT_ROW(entry, is_signed, name)                  \
    {                                                    \
#entry, OpenCLstd_##entry, is_signed, int_##name \
    }

static const struct integer_row integer_rows[] = {
    INT_ROW(SAbs, true, abs),
    INT_ROW(UAbs, false, abs),
    INT_ROW(SAbs_diff, true, abs_diff),
    INT_ROW(UAbs_diff, false, abs_diff),
    INT_ROW(SAdd_sat, true, s_add_sat),
    INT_ROW(UAdd_sat, false, u_add_sat),
    INT_ROW(SSub_sat, true, s_sub_sat),
    INT_ROW(USub_sat, false, u_sub_sat),
    INT_ROW(SHadd, true, hadd),
    INT_ROW(UHadd, false, hadd),
    INT_ROW(SRhadd, true, rhadd),
    INT_ROW(URhadd, false, rhadd),
    INT_ROW(SClamp, true, clamp),
    INT_ROW(UClamp, false, clamp),
    INT_ROW(SMax, true, max),
    INT_ROW(UMax, false, max),
    INT_ROW(SMin, true, min),
    INT_ROW(UMin, false, min),
    INT_ROW(Clz, false, clz),
    INT_ROW(Ctz, false, ctz),
    INT_ROW(Popcount, false, popcount),
    INT_ROW(Rotate, false, rotate),
    INT_ROW(SMul_hi, true, s_mul_hi),
    INT_ROW(UMul_hi, false, u_mul_hi),
    INT_ROW(SMad_hi, true, s_mad_hi),
    INT_ROW(UMad_hi, false, u_mad_hi),
    INT_ROW(SMad_sat, true, s_mad_sat),
    INT_ROW(UMad_sat, false, u_mad_sat),
    INT_ROW(Bitselect, false, bitselect),
    INT_ROW(Select, false, select),
};

static wide integer_at(const void *array, size_t i, int width, bool is_signed)
{
    uint64_t bits = 0;
    memcpy(&bits, (const char *)array + i * (size_t)width / 8, (size_t)width / 8);
    if (is_signed && bits >> (width - 1) & 1)
        return (wide)bits - ((wide)1 << width);
    return (wide)bits;
}

static void fill_integer_lanes(void *array, int width, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = random_bits(), top = (uint64_t)1 << (width - 1);
        const uint64_t few[] = {0, 1, 2, top, top - 1, top + 1, UINT64_MAX, 3};
        const uint64_t v = r % 3 == 0   ? few[r >> 8 & 7]
                           : r % 3 == 1 ? random_bits() >> (r >> 8 & 63)
                                        : random_bits();
        memcpy((char *)array + i * (size_t)width / 8, &v, (size_t)width / 8);
    }
}

START_TEST(integers)
{
    static const enum math_type types[] = {MATH_I8, MATH_I16, MATH_I32, MATH_I64};
    const struct integer_row *row = &integer_rows[_i];
    for (int t = 0, width = 8; t < 4; t++, width *= 2) {
        const wide mask = ((wide)1 << width) - 1;
        random_state = row->entry + (uint32_t)width;
        for (int k = 0; k < 3; k++)
            fill_integer_lanes(inputs[k], width, SAMPLES);
        run_all(row->name, NULL, row->entry, types[t], SAMPLES, (size_t)width / 8, 0);
        for (size_t i = 0; i < SAMPLES; i++) {
            wide v[3];
            for (int k = 0; k < 3; k++)
                v[k] = integer_at(inputs[k], i, width, row->is_signed);
            const wide want = row->expected(v[0], v[1], v[2], width) & mask,
                       got = integer_at(results[0][0], i, width, false);
            ck_assert_msg(got == want, "%s %d bits (%lld, %lld, %lld) = %llx, expected %llx", row->name,
                          width, (long long)v[0], (long long)v[1], (long long)v[2], (long long)got,
                          (long long)want);
        }
    }
}
END_TEST

START_TEST(upsample_and_24_bits)
{
    random_state = 24;
    for (int t = 0, width = 8; t < 3; t++, width *= 2) {
        for (int k = 0; k < 2; k++)
            fill_integer_lanes(inputs[k], width, SAMPLES);
        for (uint32_t entry = OpenCLstd_U_Upsample; entry <= OpenCLstd_S_Upsample; entry++) {
            run_all("upsample", NULL, entry, (enum math_type)(MATH_I8 + t), SAMPLES, (size_t)width / 4, 0);
            for (size_t i = 0; i < SAMPLES; i++)
                ck_assert(integer_at(results[0][0], i, 2 * width, false) ==
                          (integer_at(inputs[0], i, width, false) << width |
                           integer_at(inputs[1], i, width, false)));
        }
    }
    int32_t *x = inputs[0], *y = inputs[1], *z = inputs[2];
    for (size_t i = 0; i < SAMPLES; i++) {
        x[i] = (int32_t)(random_bits() & 0xffffff) - 0x800000;
        y[i] = (int32_t)(random_bits() & 0xffffff) - 0x800000;
        z[i] = (int32_t)random_bits();
    }
    run_all("mul24", NULL, OpenCLstd_SMul24, MATH_I32, SAMPLES, 4, 0);
    for (size_t i = 0; i < SAMPLES; i++)
        ck_assert_int_eq(((int32_t *)results[0][0])[i], (int32_t)((int64_t)x[i] * y[i]));
    run_all("mad24", NULL, OpenCLstd_UMad24, MATH_I32, SAMPLES, 4, 0);
    for (size_t i = 0; i < SAMPLES; i++)
        ck_assert_int_eq(((int32_t *)results[0][0])[i], (int32_t)((int64_t)x[i] * y[i] + z[i]));
}
END_TEST

static void add(TCase *single)
{
    tcase_add_loop_test(single, integers, 0, COUNT(integer_rows));
    tcase_add_test(single, upsample_and_24_bits);
}

int main(void)
{
    return run_math("math: integers", make_buffers, free_buffers, add);
}
