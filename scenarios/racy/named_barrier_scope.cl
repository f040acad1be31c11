// A named barrier of a wider scope is a release fence before it and an acquire fence after it.
kernel void message(global int *data, global atomic_int *flag, global int *out)
{
    local named_barrier_t *pair = named_barrier_init(2);
    bool speaks = get_local_id(0) == 0;
    if (get_group_id(0) == 0) {
        if (speaks)
            *data = 42;
        if (get_sub_group_id() < 2)
            work_group_named_barrier(pair, CLK_GLOBAL_MEM_FENCE, SCOPE);
        if (speaks)
            atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else {
        while (speaks && !atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device));
        if (get_sub_group_id() < 2)
            work_group_named_barrier(pair, CLK_GLOBAL_MEM_FENCE, SCOPE);
        if (speaks)
            *out = *data;
    }
}
