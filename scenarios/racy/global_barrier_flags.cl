// A barrier of all work-groups whose last barrier orders local memory only.
kernel void exchange(global int *data, global atomic_int *arrived, global int *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    data[i] = (int)i;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        atomic_fetch_add_explicit(arrived, 1, memory_order_acq_rel, memory_scope_device);
        while (atomic_load_explicit(arrived, memory_order_acquire, memory_scope_device) != (int)get_num_groups(0))
            ;
    }
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = data[n - 1 - i];
}
