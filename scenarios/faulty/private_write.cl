/* SPDX-License-Identifier: Apache-2.0 */
__kernel void count(__global const int *in, __global int *out)
{
    int bins[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; i++)
        bins[in[i]] = i;
    out[0] = bins[0];
}
