/* SPDX-License-Identifier: Apache-2.0 */
__kernel void choose(__global const int *flag, __global int *out)
{
    if (flag[0])
        out[0] = 1;
    else
        out[0] = 2;
}
