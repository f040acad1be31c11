/* SPDX-License-Identifier: Apache-2.0 */
//! self global 1000 local 256 out int 1000 options -cl-std=CL2.0
kernel void test(global int *ok)
{
    local int a[256];
    int l = (int)get_local_id(0), n = (int)get_local_size(0);
    a[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    ok[get_global_id(0)] = a[n - 1 - l] == n - 1 - l && n == (get_group_id(0) == 3 ? 232 : 256) && work_group_reduce_add(1) == n;
}
