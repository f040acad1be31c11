/* SPDX-License-Identifier: Apache-2.0 */
__kernel void sum(__global const int *in, __global int *out, __local int *tile)
{
    size_t i = get_local_id(0);
    tile[i] = in[get_global_id(0)];
    for (size_t half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < half_size)
            tile[i] += tile[i + half_size];
    }
    if (i == 0)
        out[get_group_id(0)] = tile[0];
}
