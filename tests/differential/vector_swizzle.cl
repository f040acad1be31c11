/* SPDX-License-Identifier: Apache-2.0 */
//! global 8 out int 128 out float 24 out short 64 in int 128 in float 32 in short 64
kernel void test(global int16 *out, global float *three, global short8 *eight, global const int16 *x, global const float3 *y, global const short8 *z)
{
    size_t i = get_global_id(0);
    int16 a = x[i], b = a.sfedcba9876543210;
    b.even = a.odd;
    b.s37 = a.lo.hi.xw;
    b.hi.lo = a.s1111;
    b.s0 = a.s5 + b.sf;
    b.lo += a.hi;
    out[i] = b;
    float3 f = y[i], g = f.zyx;
    g.xy = g.yx;
    g.z = f.y == f.y ? f.y : 3;
    vstore3(g.zxy, i, three);
    short8 s = z[i];
    s.even = s.hi.lo.xyxy;
    s.odd = (short4)(s.lo.x, s.hi.yz, 77);
    eight[i] = s;
}
