/* SPDX-License-Identifier: Apache-2.0 */
kernel void split(global int *out)
{
    int i = get_local_id(0);
    if (i < 3)
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
    else if (i < 5)
        work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    else
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = i;
}
