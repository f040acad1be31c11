/* SPDX-License-Identifier: Apache-2.0 */
__kernel void sum(__global const int *in, __global int *out)
{
    int total;
    for (int i = 0; i < 4; i++)
        total += in[i];
    out[0] = total;
}
