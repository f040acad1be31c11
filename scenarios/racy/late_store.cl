kernel void late(global int *data, global atomic_int *flag, global int *out) {
    if (get_global_id(0) == 0) {
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
        *data = 7;
    } else if (get_global_id(0) == 5) {
        if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1)
            *out = *data;
    }
}

kernel void on_one_line(global int *data, global atomic_int *flag, global int *out) {
    if (get_global_id(0) == 0) {
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device); *data = 7;
    } else if (get_global_id(0) == 5) {
        if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1)
            *out = *data;
    }
}
