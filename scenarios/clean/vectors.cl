/* SPDX-License-Identifier: Apache-2.0 */
__kernel void mix_up(float4 a, __global float4 *out, __global int8 *wide, __global uchar *bytes)
{
    out[0] = a.wzyx + (float4)(1.0f);
    out[1] = (float4)(a.lo, a.even);
    out[2].s13 = a.xy;
    out[2].s02 = dot(a, a);
    int8 w = (int8)(1, 2, 3, 4, 5, 6, 7, 8);
    wide[0] = select(w, -w, w > 4);
    vstore3(convert_uchar3_sat((int3)(-1, 128, 300)), 1, bytes);
    bytes[0] = any(isnan(a)) + 2;
}
