// Work-group 0 waits for a store of the last one.
kernel void wait(volatile global atomic_int *flag, global int *seen)
{
    if (get_group_id(0) == get_num_groups(0) - 1)
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    if (get_group_id(0) == 0)
        while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 0)
            ;
    seen[get_group_id(0)] = 1;
}
