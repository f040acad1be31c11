kernel void nobody(global int *data, global atomic_int *flag, global int *out) {
    if (get_global_id(0) == 0) {
        data[0] = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_work_item);
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_work_item) == 1) {
        out[0] = data[0];
    }
}
kernel void failure(global int *data, global atomic_int *flag, global int *out) {
    if (get_global_id(0) == 0) {
        data[0] = 42;
        atomic_store_explicit(flag, 1, memory_order_release);
    } else {
        int seen = 0;
        if (!atomic_compare_exchange_strong_explicit(flag, &seen, 2, memory_order_acquire, memory_order_relaxed))
            out[0] = data[0];
    }
}
kernel void old_fences(global int *data, global atomic_int *flag, global int *out) {
    if (get_global_id(0) == 0) {
        data[0] = 42;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 1) {
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        out[0] = data[0];
    }
}
kernel void other_memory(global int *data) {
    local atomic_int flag;
    int item = get_local_id(0);
    if (item == 0)
        atomic_init(&flag, 0);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (item == 0) {
        data[0] = 1;
        atomic_store_explicit(&flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (atomic_load_explicit(&flag, memory_order_acquire, memory_scope_sub_group)) {
        data[1] = data[0];
    }
}
