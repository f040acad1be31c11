/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out float 384 out long 384 in double 64
kernel void test(global float *out, global long *ints, global const double *x)
{
    size_t i = get_global_id(0);
    double a = x[i];
    global float *o = out + 6 * i;
    o[0] = (float)a;
    o[1] = convert_float_rtz(a);
    o[2] = convert_float_rtp(a);
    o[3] = convert_float_rtn(a);
    o[4] = convert_float_rte(a);
    o[5] = (float)(a * 1e-42);
    if (isnan(a))
        a = 2.5;
    global long *l = ints + 6 * i;
    l[0] = convert_long_sat(a);
    l[1] = convert_long_sat_rte(a);
    l[2] = convert_int_sat_rtp(a);
    l[3] = convert_uint_sat_rtn(a);
    l[4] = convert_short_sat(a) + convert_uchar_sat_rte(a);
    l[5] = (long)convert_ulong_sat(a);
}
