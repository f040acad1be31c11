/* SPDX-License-Identifier: Apache-2.0 */
__kernel void copy(__global const int *in, __global int *out)
{
    __local int tile[8];
    event_t event = async_work_group_copy(tile, in + 8 * get_group_id(0), 8, 0);
    wait_group_events(1, &event);
    out[get_global_id(0)] = tile[7 - get_local_id(0)];
}
