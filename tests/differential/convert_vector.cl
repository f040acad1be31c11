/* SPDX-License-Identifier: Apache-2.0 */
//! global 16 out int 64 out uchar 128 out float 128 out double 32 in float 64 in int 128
kernel void test(global int4 *a, global uchar8 *b, global float8 *c, global double2 *d, global const float4 *x, global const int8 *y)
{
    size_t i = get_global_id(0);
    float4 f = x[i];
    f = select(f, (float4)(0.5f), isnan(f));
    a[i] = convert_int4_sat(f) + convert_int4_sat_rte(f) * 3 + convert_int4(clamp(f, -5.0f, 5.0f));
    b[i] = convert_uchar8_sat(y[i]);
    c[i] = convert_float8(y[i]) + convert_float8_rtz(convert_long8(y[i]));
    d[i] = convert_double2(f.xy) + convert_double2(y[i].s67);
}
