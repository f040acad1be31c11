// The owner of the lock leaves the loop and waits there for the others of its sub-group, which spin for the lock.
kernel void count(global atomic_int *lock, global int *total)
{
    int expected = 0;
    while (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device))
        expected = 0;
    total[0] += 1;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}
