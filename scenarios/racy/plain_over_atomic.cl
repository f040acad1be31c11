kernel void branches(global int *d, global atomic_int *f) {
    if (get_local_id(0) == 1) {
        atomic_store_explicit(f, 7, memory_order_release, memory_scope_device);
        d[0] = 1;
        *(global int *)f = 1;
    }
    if (get_local_id(0) == 0 && atomic_load_explicit(f, memory_order_acquire, memory_scope_device) == 1)
        d[1] = d[0];
}
kernel void reads(global int *d, global atomic_int *f) {
    if (get_local_id(0) == 1) {
        atomic_store_explicit(f, 7, memory_order_relaxed, memory_scope_device);
        d[0] = 1;
        *(global int *)f = 1;
    }
    if (get_local_id(0) == 0) {
        int seen = atomic_load_explicit(f, memory_order_seq_cst, memory_scope_device);
        d[1] = d[0] + seen;
    }
}
