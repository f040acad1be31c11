// The lock is given back inside the loop that takes it; and one sub-group waits for another.
kernel void count(global atomic_int *lock, global int *total, global atomic_int *flag)
{
    for (bool done = false; !done;) {
        int expected = 0;
        if (atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device)) {
            total[0] += 1;
            atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
            done = true;
        }
    }
    if (get_sub_group_id() == 0)
        while (!atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device))
            ;
    else
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
}
