/* SPDX-License-Identifier: Apache-2.0 */
__kernel void half_filled(__global int *out)
{
    __local int tile[8];
    int i = get_local_id(0);
    if (i < 4)
        tile[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[i];
}
