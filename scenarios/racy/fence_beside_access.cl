kernel void acquire_added(global atomic_int *flag, global int *out)
{
  if (get_group_id(0) == 0) {
    atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_work_group);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
    atomic_store_explicit(flag, 2, memory_order_relaxed, memory_scope_device);
  } else {
    out[0] = atomic_load_explicit(flag, memory_order_relaxed, memory_scope_work_group);
  }
}

kernel void release_added(global atomic_int *flag, global int *out)
{
  if (get_group_id(0) == 0) {
    atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_work_group);
  } else {
    int a = atomic_load_explicit(flag, memory_order_relaxed, memory_scope_work_group);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
    atomic_store_explicit(flag, 3, memory_order_relaxed, memory_scope_work_group);
    out[0] = a;
  }
}

kernel void release_moved(global atomic_int *flag, global int *out)
{
  if (get_group_id(0) == 0) {
    atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_work_group);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
  } else {
    int a = atomic_load_explicit(flag, memory_order_relaxed, memory_scope_work_group);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
    atomic_store_explicit(flag, 3, memory_order_relaxed, memory_scope_work_group);
    out[0] = a;
  }
}

kernel void acquire_moved(global atomic_int *flag, global int *out)
{
  if (get_group_id(0) == 0) {
    atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_work_group);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
    atomic_store_explicit(flag, 2, memory_order_relaxed, memory_scope_device);
  } else {
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
    out[0] = atomic_load_explicit(flag, memory_order_relaxed, memory_scope_work_group);
  }
}
