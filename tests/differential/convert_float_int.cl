/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out int 1792 in float 64
/* Float to every integer type, all rounding modes, saturated and not (in range only). */
#define ROUNDS(T, a, o) (o)[0] = (int)convert_##T##_sat(a); (o)[1] = (int)convert_##T##_sat_rte(a); (o)[2] = (int)convert_##T##_sat_rtz(a); \
    (o)[3] = (int)convert_##T##_sat_rtp(a) ^ (int)convert_##T##_sat_rtn(a) * 3;
kernel void test(global int *out, global const float *x)
{
    size_t i = get_global_id(0);
    float a = x[i], s = isnan(a) || fabs(a) > 100 ? 1.5f : a;
    global int *o = out + 28 * i;
    if (isnan(a))
        a = 0.75f;
    ROUNDS(char, a, o) ROUNDS(uchar, a, o + 4) ROUNDS(short, a, o + 8) ROUNDS(ushort, a, o + 12) ROUNDS(int, a, o + 16) ROUNDS(uint, a, o + 20)
    o[24] = convert_int(s) + convert_int_rte(s) * 3 + convert_int_rtp(s) * 5 + convert_int_rtn(s) * 7;
    o[25] = convert_char(s) + convert_short_rte(s) * 3;
    o[26] = (int)s + (short)s * 2 + (char)s * 3;
    o[27] = (int)convert_long_sat(a) ^ (int)(convert_ulong_sat(a) >> 32);
}
