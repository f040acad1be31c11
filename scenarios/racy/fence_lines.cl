kernel void in_body(global int *data, global atomic_int *flag, global int *out)
{
  int g = get_group_id(0);
  data[g] = 42;
  if (g == 0)
    atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_work_group);
  if (g == 1) {
    while (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_work_group) == 0);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
    out[0] = data[0];
  }
}

kernel void empty_loop(global int *data, global atomic_int *flag, global int *out)
{
  if (get_group_id(0) == 0) {
    data[0] = 42;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
    atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_work_group);
  } else {
    while (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_work_group) == 0)
      ;
    out[0] = data[0];
  }
}
