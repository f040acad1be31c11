// Message passing with relaxed operations: the flag arrives, the data written before it need not.
kernel void mp(global int *data, global atomic_int *flag, global int *out)
{
    if (get_group_id(0) == 0) {
        data[0] = 42;
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 1) {
        out[0] = data[0];
    }
}
