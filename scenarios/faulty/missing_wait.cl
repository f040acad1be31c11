/* SPDX-License-Identifier: Apache-2.0 */
__kernel void copy(__global const int *in, __global int *out)
{
    __local int tile[8];
    async_work_group_copy(tile, in, 8, 0);
    out[get_local_id(0)] = in[get_local_id(0)];
}
