/* SPDX-License-Identifier: Apache-2.0 */
//! self global 4 out int 4 out int 4
/* Dimensions that the launch does not have, by a computed number. */
kernel void test(global int *ok, volatile global int *n)
{
    uint d = (uint)n[get_global_id(0)] + 3;
    n[get_global_id(0)] = 1;
    ok[get_global_id(0)] = get_global_id(d) == 0 && get_local_id(d) == 0 && get_group_id(d) == 0 && get_global_size(d) == 1 && get_local_size(d) == 1 &&
                           get_num_groups(d) == 1 && get_global_offset(d) == 0 && get_global_size(d - 2) == 1 && get_global_id(d - 1) == 0;
}
