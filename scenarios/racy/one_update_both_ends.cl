kernel void both(global atomic_int *count) {
    local int data;
    int l = get_local_id(0);
    if (l == 0)
        data = 5;
    atomic_fetch_add_explicit(count, 1, memory_order_acq_rel, memory_scope_work_group);
    if (l == 9)
        data = 7;
}
