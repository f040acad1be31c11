// A read-modify-write continues the release sequence of work-group 0.
kernel void mp(global int *data, global atomic_int *flag, global int *out)
{
    if (get_group_id(0) == 0) {
        data[0] = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (get_group_id(0) == 1) {
        atomic_fetch_add_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) != 0) {
        out[0] = data[0];
    }
}
