// A sub-group waits for the next one: for a flag, at a barrier, or for a lock that the other releases.
kernel void by_flag(global int *out)
{
    local atomic_int flag;
    if (get_local_id(0) == 0)
        atomic_init(&flag, 0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() == 1) {
        if (get_sub_group_local_id() == 0)
            atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);
    } else if (get_sub_group_local_id() == 0) {
        while (!atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group))
            ;
        out[0] = 1;
    }
}
kernel void by_barrier(global int *out)
{
    local int flag;
    if (get_local_id(0) == 4)
        flag = 1;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[0] = flag;
}
kernel void by_lock(global int *out, global atomic_int *lock)
{
    int expected = 0;
    if (get_sub_group_local_id() == 0) {
        while (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device))
            expected = 0;
        for (int i = 0; i < 10000; i++)
            out[0] += i & 1;
        atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
    }
}
