/* SPDX-License-Identifier: Apache-2.0 */
//! self global 500 local 250 out int 4000 small int 500 options -cl-std=CL2.0 -Dcl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void test(global int *ok, global const int *x)
{
    local int ids[256], sizes[256];
    size_t i = get_global_id(0);
    int l = (int)get_local_linear_id(), n = (int)get_local_size(0);
    uint size = get_sub_group_size(), lane = get_sub_group_local_id(), id = get_sub_group_id(), count = get_num_sub_groups();
    global int *o = ok + 8 * i;
    ids[l] = (int)id;
    sizes[l] = (int)lane;
    barrier(CLK_LOCAL_MEM_FENCE);
    int members = 0, sum = 0, before = 0;
    for (int k = 0; k < n; k++)
        if (ids[k] == (int)id) {
            members++;
            sum += x[get_group_id(0) * n + k];
            if (sizes[k] < (int)lane)
                before += x[get_group_id(0) * n + k];
        }
    int v = x[i];
    o[0] = members == (int)size && lane < size && size <= get_max_sub_group_size() && id < count;
    o[1] = count == (n + get_max_sub_group_size() - 1) / get_max_sub_group_size() && get_enqueued_num_sub_groups() == count;
    o[2] = sub_group_reduce_add(v) == sum;
    o[3] = sub_group_scan_exclusive_add(v) == before && sub_group_scan_inclusive_add((long)v) == before + v;
    o[4] = sub_group_all(v < 16) && !sub_group_any(v < 0) && sub_group_any(lane == size - 1);
    o[5] = sub_group_broadcast(lane, size - 1) == size - 1;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    o[6] = sub_group_reduce_max(v * 0.25f) >= v * 0.25f && sub_group_reduce_min(v) <= v;
    int odd = 0;
    if (id & 1)
        odd = sub_group_reduce_add(1);
    o[7] = odd == (id & 1 ? (int)size : 0);
}
