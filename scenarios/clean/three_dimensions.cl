/* SPDX-License-Identifier: Apache-2.0 */
__kernel void ids(__global int *out)
{
    size_t x = get_global_id(0) - get_global_offset(0);
    size_t i = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + x;
    out[i] = get_global_id(0) + 10 * get_local_id(1) + 100 * get_group_id(2) + 1000 * get_num_groups(0);
}
