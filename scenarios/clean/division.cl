/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL leaves these results undefined; here they are defined, so that runs repeat. */
__kernel void divide(__global const int *a, __global const int *b, __global int *quotient, __global int *remainder)
{
    size_t i = get_global_id(0);
    quotient[i] = a[i] / b[i];
    remainder[i] = a[i] % b[i];
}

__kernel void shift(__global const uint *a, __global const uint *by, __global uint *left, __global uint *right,
                    __global int *arithmetic)
{
    size_t i = get_global_id(0);
    left[i] = a[i] << by[i];
    right[i] = a[i] >> by[i];
    arithmetic[i] = (int)a[i] >> by[i];
}
