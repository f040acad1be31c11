/* SPDX-License-Identifier: Apache-2.0 */
__kernel void copy(__global const int *in, __global int *out)
{
    __local int tile[8], other[8];
    event_t event = async_work_group_copy(tile, in, 8, 0);
    async_work_group_copy(other, in, 8, 0);
    wait_group_events(1, &event);
    out[get_local_id(0)] = tile[get_local_id(0)];
}
