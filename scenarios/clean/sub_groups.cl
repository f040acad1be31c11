/* SPDX-License-Identifier: Apache-2.0 */
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
__kernel void groups(__global uint *size, __global uint *id, __global int *total, __global int *before, __global int *first)
{
    size_t i = get_global_id(0);
    size[i] = get_sub_group_size();
    id[i] = get_sub_group_id() * 100 + get_sub_group_local_id();
    total[i] = sub_group_reduce_add((int)i);
    before[i] = sub_group_scan_exclusive_add(1);
    first[i] = sub_group_broadcast((int)i, 0);
}
