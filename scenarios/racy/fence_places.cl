kernel void one_line(global int *data) {
  local atomic_int flag;
  if (get_local_id(0) == 0)
    atomic_init(&flag, 0);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) { data[1] = 5; atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group); }
  if (get_local_id(0) == 1) { while (atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group) != 1) ; data[2] = data[1]; }
}

kernel void loop_with_body(global int *data) {
  local atomic_int flag;
  if (get_local_id(0) == 0)
    atomic_init(&flag, 0);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    data[1] = 5;
    atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);
  } else if (get_local_id(0) == 1) {
    int turns = 0;
    while (atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group) != 1) {
      turns++;
    }
    data[2] = data[1] + (turns > 1000000);
  }
}

kernel void left_within(global int *data) {
  local atomic_int flag;
  if (get_local_id(0) == 0)
    atomic_init(&flag, 0);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    data[1] = 5;
    atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);
  } else if (get_local_id(0) == 1) {
    for (;;)
      if (atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group))
        break;
    data[2] = data[1];
  }
}

kernel void without_braces(global int *data) {
  local atomic_int flag;
  if (get_local_id(0) == 0)
    atomic_init(&flag, 0);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0)
    data[1] = 5;
  if (get_local_id(0) == 0)
    atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);
  if (get_local_id(0) == 1)
    if (atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group) == 1)
      data[2] = data[1];
}

kernel void not_yet(global int *data) {
  local atomic_int flag;
  if (get_local_id(0) == 0)
    atomic_init(&flag, 0);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    data[1] = 5;
    atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);
  } else if (atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group) != 1) {
    return;
  }
  if (get_local_id(0) == 1)
    data[2] = data[1];
}
