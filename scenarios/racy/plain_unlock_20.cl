kernel void opened(global int *data, global atomic_int *lock)
{
    int expected = 0;
    while (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device)) expected = 0;
    data[0] = data[0] + 1;
    *(global int *)lock = 0;
}
