/* SPDX-License-Identifier: Apache-2.0 */
//! global 16 out int 256 out uchar 256 out float 256 out long 256 in int 256 in uchar 256 in float 256 in long 256
/* Operators and memory of vectors of 16. */
#pragma OPENCL FP_CONTRACT OFF
kernel void test(global int *oi, global uchar *oc, global float *of, global long *ol, global const int *xi, global const uchar *xc, global const float *xf, global const long *xl)
{
    size_t i = get_global_id(0), j = 15 - i;
    int16 a = vload16(i, xi), b = vload16(j, xi);
    a = a * b + (a ^ b) - (b >> 3) + (a < b) * 5 + (a == b ? a : -b) + max(a, b);
    vstore16(a, i, oi);
    uchar16 c = vload16(i, xc), d = vload16(j, xc);
    c = c * d + (c | d) + add_sat(c, d) + convert_uchar16(c < d) + d / (uchar16)7 + d % (uchar)5;
    vstore16(c, i, oc);
    float16 f = vload16(i, xf), g = vload16(j, xf);
    f = select(f * g, f + g, isless(f, g)) - fmin(f, (float16)(1.0f));
    vstore16(f, i, of);
    long16 l = vload16(i, xl), m = vload16(j, xl);
    l = (l & m) - (l | ~m) + !l + (l > m && m != 0L) * 9L;
    vstore16(l, i, ol);
}
