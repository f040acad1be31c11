/* SPDX-License-Identifier: Apache-2.0 */
//! global 16 out int 64 out uchar 64 out float 64 out long 64 in int 64 in uchar 64 in float 64 in long 64
/* Operators and memory of vectors of 4. */
#pragma OPENCL FP_CONTRACT OFF
kernel void test(global int *oi, global uchar *oc, global float *of, global long *ol, global const int *xi, global const uchar *xc, global const float *xf, global const long *xl)
{
    size_t i = get_global_id(0), j = 15 - i;
    int4 a = vload4(i, xi), b = vload4(j, xi);
    a = a * b + (a ^ b) - (b >> 3) + (a < b) * 5 + (a == b ? a : -b) + max(a, b);
    vstore4(a, i, oi);
    uchar4 c = vload4(i, xc), d = vload4(j, xc);
    c = c * d + (c | d) + add_sat(c, d) + convert_uchar4(c < d) + d / (uchar4)7 + d % (uchar)5;
    vstore4(c, i, oc);
    float4 f = vload4(i, xf), g = vload4(j, xf);
    f = select(f * g, f + g, isless(f, g)) - fmin(f, (float4)(1.0f));
    vstore4(f, i, of);
    long4 l = vload4(i, xl), m = vload4(j, xl);
    l = (l & m) - (l | ~m) + !l + (l > m && m != 0L) * 9L;
    vstore4(l, i, ol);
}
