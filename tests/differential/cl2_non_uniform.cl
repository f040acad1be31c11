/* SPDX-License-Identifier: Apache-2.0 */
//! self global 37 11 local 8 4 out int 814 options -cl-std=CL2.0
/* The last groups of a row and of a column are smaller. */
kernel void test(global int *ok)
{
    local int count;
    size_t x = get_global_id(0), y = get_global_id(1);
    if (get_local_linear_id() == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    size_t w = get_group_id(0) == 4 ? 5 : 8, h = get_group_id(1) == 2 ? 3 : 4;
    global int *o = ok + 2 * (y * 37 + x);
    o[0] = get_local_size(0) == w && get_local_size(1) == h && get_enqueued_local_size(0) == 8 && get_enqueued_local_size(1) == 4 && count == (int)(w * h);
    o[1] = x == get_group_id(0) * 8 + get_local_id(0) && y == get_group_id(1) * 4 + get_local_id(1) && get_num_groups(0) == 5 && get_num_groups(1) == 3 &&
           get_local_linear_id() == get_local_id(1) * w + get_local_id(0) && get_global_linear_id() == y * 37 + x;
}
