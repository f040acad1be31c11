// Counts arrivals at each of three barriers.
kernel void rounds(volatile global atomic_int *count, global int *seen)
{
    for (int round = 0; round < 3; round++) {
        int i = (int)get_global_id(0);
        if (get_group_id(0) == 1)
            seen[round * 2 + i - 2] =
                atomic_load_explicit(count, memory_order_relaxed, memory_scope_device);
        else
            atomic_fetch_add_explicit(count, 1, memory_order_relaxed, memory_scope_device);
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
