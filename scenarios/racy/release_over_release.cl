kernel void over(global int *d, global atomic_int *f) {
    if (get_group_id(0) == 0) {
        d[0] = 1;
        atomic_store_explicit(f, 1, memory_order_release, memory_scope_device);
    } else if (get_group_id(0) == 1) {
        d[1] = 1;
        atomic_store_explicit(f, 2, memory_order_release, memory_scope_device);
    } else if (atomic_load_explicit(f, memory_order_acquire, memory_scope_device) != 0)
        d[2] = d[0] + d[1];
}
