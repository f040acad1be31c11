/* SPDX-License-Identifier: Apache-2.0 */
//! global 16 out int 48 out uchar 48 out float 48 out long 48 in int 48 in uchar 48 in float 48 in long 48
/* Operators and memory of vectors of 3. */
#pragma OPENCL FP_CONTRACT OFF
kernel void test(global int *oi, global uchar *oc, global float *of, global long *ol, global const int *xi, global const uchar *xc, global const float *xf, global const long *xl)
{
    size_t i = get_global_id(0), j = 15 - i;
    int3 a = vload3(i, xi), b = vload3(j, xi);
    a = a * b + (a ^ b) - (b >> 3) + (a < b) * 5 + (a == b ? a : -b) + max(a, b);
    vstore3(a, i, oi);
    uchar3 c = vload3(i, xc), d = vload3(j, xc);
    c = c * d + (c | d) + add_sat(c, d) + convert_uchar3(c < d) + d / (uchar3)7 + d % (uchar)5;
    vstore3(c, i, oc);
    float3 f = vload3(i, xf), g = vload3(j, xf);
    f = select(f * g, f + g, isless(f, g)) - fmin(f, (float3)(1.0f));
    vstore3(f, i, of);
    long3 l = vload3(i, xl), m = vload3(j, xl);
    l = (l & m) - (l | ~m) + !l + (l > m && m != 0L) * 9L;
    vstore3(l, i, ol);
}
