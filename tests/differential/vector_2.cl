/* SPDX-License-Identifier: Apache-2.0 */
//! global 16 out int 32 out uchar 32 out float 32 out long 32 in int 32 in uchar 32 in float 32 in long 32
/* Operators and memory of vectors of 2. */
#pragma OPENCL FP_CONTRACT OFF
kernel void test(global int *oi, global uchar *oc, global float *of, global long *ol, global const int *xi, global const uchar *xc, global const float *xf, global const long *xl)
{
    size_t i = get_global_id(0), j = 15 - i;
    int2 a = vload2(i, xi), b = vload2(j, xi);
    a = a * b + (a ^ b) - (b >> 3) + (a < b) * 5 + (a == b ? a : -b) + max(a, b);
    vstore2(a, i, oi);
    uchar2 c = vload2(i, xc), d = vload2(j, xc);
    c = c * d + (c | d) + add_sat(c, d) + convert_uchar2(c < d) + d / (uchar2)7 + d % (uchar)5;
    vstore2(c, i, oc);
    float2 f = vload2(i, xf), g = vload2(j, xf);
    f = select(f * g, f + g, isless(f, g)) - fmin(f, (float2)(1.0f));
    vstore2(f, i, of);
    long2 l = vload2(i, xl), m = vload2(j, xl);
    l = (l & m) - (l | ~m) + !l + (l > m && m != 0L) * 9L;
    vstore2(l, i, ol);
}
