// Work-group 0 writes data, then a flag; the others read the flag, then the data.
kernel void message(global int *data, volatile global atomic_int *flag, global int *seen)
{
    size_t i = get_global_id(0);
    if (get_group_id(0) == 0) {
        data[i] = 42;
        atomic_fetch_add_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else {
        int f = atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device);
        seen[2 * (i - get_local_size(0))] = f;
        seen[2 * (i - get_local_size(0)) + 1] = data[0];
    }
}
