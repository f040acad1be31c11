kernel void one(global atomic_int *cells, global int *expected, global int *out) {
    int i = get_global_id(0);
    if (i == 3)
        out[i] = atomic_compare_exchange_strong_explicit(&cells[i], expected, 5, memory_order_seq_cst, memory_order_relaxed, memory_scope_device);
    if (i == 6)
        out[i] = expected[0];
}
kernel void all(global atomic_int *cells, global int *out) {
    local int expected;
    int i = get_local_id(0);
    if (i == 0)
        expected = 0;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = i > 8 || atomic_compare_exchange_weak_explicit(&cells[i], &expected, 7, memory_order_seq_cst, memory_order_relaxed, memory_scope_device) ? i : -1;
}
kernel void failing(global atomic_int *cells, global int *expected, global int *out) {
    int i = get_global_id(0);
    if (i == 0) {
        expected[1] = 9;
        out[0] = atomic_compare_exchange_strong(&cells[0], &expected[1], 5);
        out[1] = expected[1];
    }
}
