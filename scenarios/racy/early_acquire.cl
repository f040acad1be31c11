kernel void initial(global int *d, global atomic_int *f) {
    if (get_group_id(0) == 0) {
        int seen = atomic_load_explicit(f, memory_order_acquire, memory_scope_device);
        d[1] = d[0] + seen;
    } else {
        d[0] = 1;
        atomic_store_explicit(f, 1, memory_order_release, memory_scope_device);
    }
}
kernel void stale(global int *d, global atomic_int *f) {
    if (get_group_id(0) == 0) {
        atomic_store_explicit(f, 5, memory_order_relaxed, memory_scope_device);
        int seen = atomic_load_explicit(f, memory_order_acquire, memory_scope_device);
        d[1] = d[0] + seen;
    } else {
        d[0] = 1;
        atomic_store_explicit(f, 6, memory_order_release, memory_scope_device);
    }
}
