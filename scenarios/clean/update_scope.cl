/* SPDX-License-Identifier: Apache-2.0 */
kernel void elect(global int *winner, global atomic_int *counters)
{
    global atomic_int *counter = &counters[get_group_id(0)];
    if (get_local_id(0) == 0)
        atomic_store_explicit(counter, 0, memory_order_relaxed, memory_scope_work_group);
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    if (atomic_fetch_add_explicit(counter, 1, memory_order_relaxed, memory_scope_work_group) == 1)
        winner[get_group_id(0)] = atomic_load_explicit(counter, memory_order_relaxed, memory_scope_work_group) > 1;
}
