kernel void late(global int *data, global atomic_int *flag, global int *out) {
    int i = get_global_id(0), seen = 1;
    if (i == 0) {
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
        *data = 7;
    }
    if (i == 5)
        seen = atomic_load_explicit(flag, memory_order_acquire, memory_scope_device);
    if (i > 4 && i < 7 && seen == 1)
        out[i] = *data;
}
