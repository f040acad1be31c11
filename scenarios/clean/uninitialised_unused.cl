/* SPDX-License-Identifier: Apache-2.0 */
__kernel void carry(__global const int *in, __global int *out)
{
    int values[4], copy[4];
    for (int i = 0; i < 3; i++)
        values[i] = in[i];
    for (int i = 0; i < 4; i++)
        copy[i] = values[i];
    out[0] = copy[0] + copy[1] + copy[2];
}
