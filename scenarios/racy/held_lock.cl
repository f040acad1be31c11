kernel void count(global int *data, global atomic_flag *lock) {
  while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire, memory_scope_device))
    ;
  data[0]++;
  *(volatile global int *)lock = 0;
}

kernel void two(global int *data, global atomic_int *lock) {
  while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device))
    ;
  data[0] = data[1] + 1;
  data[1] = data[0] + 1;
  *(volatile global int *)lock = 0;
}

kernel void ticket(global int *data, global atomic_int *next, global atomic_int *serving) {
  int mine = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device);
  while (atomic_load_explicit(serving, memory_order_acquire, memory_scope_device) != mine)
    ;
  data[0] = data[1] + 1;
  data[1] = data[0] + 1;
  *(volatile global int *)serving = mine + 1;
}

kernel void between_groups(global int *data, global atomic_flag *lock) {
  while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire, memory_scope_device))
    ;
  data[0]++;
  *(volatile global int *)lock = 0;
}
