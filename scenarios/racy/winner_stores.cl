kernel void insert(global atomic_int *key, global int *value, global int *out) {
  int mine = get_global_id(0) % 2 + 1;
  for (int h = mine * 7 & 7;; h = (h + 1) & 7) {
    int seen = 0;
    if (atomic_compare_exchange_strong_explicit(&key[h], &seen, mine, memory_order_acq_rel, memory_order_acquire, memory_scope_device)) {
      value[h] = mine * 100;
      break;
    }
    if (seen == mine) {
      out[get_global_id(0)] = value[h];
      break;
    }
  }
}

kernel void locked(global atomic_int *turn, global int *data, global int *out) {
  int seen = 0;
  if (get_global_id(0) == 0) {
    while (!atomic_compare_exchange_strong_explicit(turn, &seen, 1, memory_order_acq_rel, memory_order_acquire, memory_scope_device))
      seen = 0;
    data[0] = 42;
  } else if (get_global_id(0) == 2) {
    while (atomic_load_explicit(turn, memory_order_acquire, memory_scope_device) != 1)
      ;
    out[0] = data[0];
  }
}

kernel void counted(global atomic_int *count, global int *data, global int *out) {
  if (get_global_id(0) == 0) {
    if (atomic_fetch_add_explicit(count, 1, memory_order_acq_rel, memory_scope_device) == 7)
      out[1] = 1;
    data[0] = 42;
  } else if (get_global_id(0) == 2) {
    while (atomic_load_explicit(count, memory_order_acquire, memory_scope_device) != 1)
      ;
    out[0] = data[0];
  }
}
