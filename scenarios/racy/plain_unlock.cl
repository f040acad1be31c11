kernel void locked(volatile global int *lock, global int *c) {
    while (atomic_cmpxchg(lock, 0, 1) != 0)
        ;
    c[0]++;
    *lock = 0;
}

kernel void between_groups(global int *data, global atomic_flag *lock) {
  while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire, memory_scope_device))
    ;
  data[0]++;
  *(volatile global int *)lock = 0;
}
