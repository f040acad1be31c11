/* SPDX-License-Identifier: Apache-2.0 */
__kernel void pick(__global const int *index, __global const int *in, __global int *out)
{
    out[0] = in[index[0]];
}
