// Takes the lock and never gives it back: the second work-item waits for ever.
kernel void locked(volatile global atomic_int *lock, global int *count)
{
    int expected;
    do
        expected = 0;
    while (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire,
                                                    memory_order_relaxed, memory_scope_device));
    *count += 1;
}
