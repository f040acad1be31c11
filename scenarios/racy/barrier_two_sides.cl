/* SPDX-License-Identifier: Apache-2.0 */
kernel void hand_over(global int *data, global int *copy, global atomic_int *flag)
{
    const int me = get_local_id(0);
    if (get_group_id(0) == 0) {
        data[me] = me + 1;
        work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
        if (me == 0)
            atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else {
        while (me == 0 && atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 0)
            ;
        work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
        copy[me] = data[3 - me];
    }
}
