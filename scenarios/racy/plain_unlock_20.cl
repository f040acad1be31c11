kernel void opened(global int *data, global atomic_int *lock)
{
    int expected = 0;
    while (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device)) expected = 0;
    data[0] = data[0] + 1;
    *(global int *)lock = 0;
}

kernel void fenced(global int *data, global atomic_int *lock)
{
  for (int i = 0; i < 2; i++) {
    int expected = 0;
    while (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device)) expected = 0;
    data[0] = data[0] + 1;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
    *(global int *)lock = 0;
  }
}
