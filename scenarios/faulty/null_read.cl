/* SPDX-License-Identifier: Apache-2.0 */
__kernel void follow(__global const int *in, __global int *out)
{
    out[0] = in[0];
}
