/* SPDX-License-Identifier: Apache-2.0 */
//! global 500 local 250 out int 2000
kernel void test(global int *out)
{
    size_t linear = get_global_id(0) - get_global_offset(0) + (get_global_id(1) - get_global_offset(1)) * get_global_size(0) +
                    (get_global_id(2) - get_global_offset(2)) * get_global_size(0) * get_global_size(1);
    global int *o = out + 4 * linear;
    o[0] = (int)(get_global_id(0) + get_global_id(1) * 1000 + get_global_id(2) * 1000000);
    o[1] = (int)(get_local_id(0) + get_local_id(1) * 1000 + get_local_id(2) * 1000000);
    o[2] = (int)(get_group_id(0) + get_group_id(1) * 1000 + get_group_id(2) * 1000000);
    o[3] = (int)(get_local_size(0) + get_local_size(1) * 300 + get_local_size(2) * 90000 + get_num_groups(0) * 7 + get_num_groups(1) * 11 + get_num_groups(2) * 13 +
                 get_global_size(2) * 5 + get_work_dim() + get_global_offset(1));
}
