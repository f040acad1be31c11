/* SPDX-License-Identifier: Apache-2.0 */
__kernel void optional(__global int *maybe, __global int *out)
{
    out[0] = maybe ? maybe[0] : -1;
}
