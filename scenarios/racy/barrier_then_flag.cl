// One work-item speaks for its group, after a barrier, and reaches its own group only.
kernel void tell(global int *data, global atomic_int *flag, global int *out)
{
    size_t i = get_local_id(0);
    if (get_group_id(0) == 0) {
        data[i] = (int)i;
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);
        if (i == 3)
            atomic_store_explicit(flag, 1, memory_order_release, memory_scope_work_group);
    } else if (i == 0) {
        while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 0)
            ;
        *out = data[1];
    }
}
