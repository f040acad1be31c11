// Test and test-and-set, given back by a relaxed store.
kernel void count(global atomic_int *lock, global int *total)
{
    int expected = 0;
    do {
        while (atomic_load_explicit(lock, memory_order_relaxed, memory_scope_device) != 0)
            ;
        expected = 0;
    } while (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device));
    total[0] += 1;
    atomic_store_explicit(lock, 0, memory_order_relaxed, memory_scope_device);
}
