kernel void count(global atomic_int *count, global int *out) {
    int value = atomic_fetch_add_explicit(count, 1, memory_order_acq_rel, memory_scope_device);
    if (get_group_id(0) == 1)
        value += atomic_load_explicit(count, memory_order_acquire, memory_scope_work_group);
    out[get_global_id(0)] = value;
}
