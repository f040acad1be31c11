// Passes a message on, and announces it with a relaxed store.
kernel void pass(global int *data, global atomic_int *first, global atomic_int *second, global int *out)
{
    size_t group = get_group_id(0);
    if (get_local_id(0) != 0)
        return;
    if (group == 0) {
        *data = 42;
        atomic_store_explicit(first, 1, memory_order_release, memory_scope_device);
    } else if (group == 1) {
        while (atomic_load_explicit(first, memory_order_acquire, memory_scope_device) == 0)
            ;
        atomic_store_explicit(second, 1, memory_order_relaxed, memory_scope_device);
    } else {
        while (atomic_load_explicit(second, memory_order_acquire, memory_scope_device) == 0)
            ;
        *out = *data;
    }
}
