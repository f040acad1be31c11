/* SPDX-License-Identifier: Apache-2.0 */
//! global 16 out int 128 out uchar 128 out float 128 out long 128 in int 128 in uchar 128 in float 128 in long 128
/* Operators and memory of vectors of 8. */
#pragma OPENCL FP_CONTRACT OFF
kernel void test(global int *oi, global uchar *oc, global float *of, global long *ol, global const int *xi, global const uchar *xc, global const float *xf, global const long *xl)
{
    size_t i = get_global_id(0), j = 15 - i;
    int8 a = vload8(i, xi), b = vload8(j, xi);
    a = a * b + (a ^ b) - (b >> 3) + (a < b) * 5 + (a == b ? a : -b) + max(a, b);
    vstore8(a, i, oi);
    uchar8 c = vload8(i, xc), d = vload8(j, xc);
    c = c * d + (c | d) + add_sat(c, d) + convert_uchar8(c < d) + d / (uchar8)7 + d % (uchar)5;
    vstore8(c, i, oc);
    float8 f = vload8(i, xf), g = vload8(j, xf);
    f = select(f * g, f + g, isless(f, g)) - fmin(f, (float8)(1.0f));
    vstore8(f, i, of);
    long8 l = vload8(i, xl), m = vload8(j, xl);
    l = (l & m) - (l | ~m) + !l + (l > m && m != 0L) * 9L;
    vstore8(l, i, ol);
}
