// A lock that is given back by a relaxed store guards two values; a third has none.
kernel void count(global atomic_int *lock, global int *total, global int *most, global int *loose)
{
    int expected = 0;
    while (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device))
        expected = 0;
    total[0] += 1;
    most[0] = max(most[0], (int)get_global_id(0));
    atomic_store_explicit(lock, 0, memory_order_relaxed, memory_scope_device);
    loose[0] += 1;
}
