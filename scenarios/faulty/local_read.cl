/* SPDX-License-Identifier: Apache-2.0 */
__kernel void neighbours(__global int *out)
{
    __local int tile[8];
    int i = get_local_id(0);
    tile[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[i + 1];
}
