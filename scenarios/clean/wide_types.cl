/* SPDX-License-Identifier: Apache-2.0 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void wide(long a, double d, __global long *l, __global double *x, __global half *h)
{
    l[0] = a * 3;
    l[1] = (long)d;
    l[2] = a >> 40;
    x[0] = d / 4.0;
    x[1] = sqrt(d * d);
    h[0] = (half)d;
    vstore_half(0.1f, 1, h);
    h[2] = h[0] + (half)1.0f;
}
