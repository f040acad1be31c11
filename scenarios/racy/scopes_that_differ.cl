kernel void atomics(global int *d, global atomic_int *f) {
    if (get_local_id(0) == 0) {
        d[0] = 1;
        atomic_store_explicit(f, 1, memory_order_release, memory_scope_device);
    } else if (atomic_load_explicit(f, memory_order_acquire, memory_scope_work_group) == 1)
        d[1] = d[0];
}
kernel void fence(global int *d, global atomic_int *f) {
    if (get_local_id(0) == 0) {
        d[0] = 1;
        atomic_store_explicit(f, 1, memory_order_release, memory_scope_device);
    } else if (atomic_load_explicit(f, memory_order_relaxed, memory_scope_device) == 1) {
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        d[1] = d[0];
    }
}
