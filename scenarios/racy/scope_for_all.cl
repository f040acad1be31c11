kernel void fence_of_group(global int *data, global atomic_int *flag, global int *out)
{
  if (get_global_id(0) == 0) {
    data[0] = 42;
    atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
  } else {
    while (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 0);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
    out[get_global_id(0)] = data[0];
  }
}

kernel void atomics_of_group(global int *data, global atomic_int *flag, global int *out)
{
  if (get_global_id(0) == 0) {
    data[0] = 42;
    atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_work_group);
  } else {
    while (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_work_group) == 0);
    out[get_global_id(0)] = data[0];
  }
}
