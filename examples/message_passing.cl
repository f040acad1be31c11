// Work-group 0 passes a value to work-group 1. The scope of the flag holds one work-group only.
kernel void mp(global int *data, global atomic_int *flag, global int *out)
{
    if (get_local_id(0) != 0)
        return;
    if (get_group_id(0) == 0) {
        data[0] = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_work_group);
    } else {
        if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_work_group) == 1)
            out[0] = data[0];
    }
}
