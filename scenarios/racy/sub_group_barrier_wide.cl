// A sub-group barrier of device scope is a fence of each work-item: a release of that one's clock at its entry, an acquire for that one alone at its exit.
__attribute__((intel_reqd_sub_group_size(2)))
kernel void released_at_entry(global int *data, global atomic_int *flag, global int *out)
{
    const int me = get_global_id(0);
    if (me == 0)
        *data = 1;
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    if (me == 1)
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    if (me == 2) {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
            ;
        *out = *data;
    }
}

__attribute__((intel_reqd_sub_group_size(2)))
kernel void acquired_at_exit(global int *data, global atomic_int *flag, global int *out)
{
    const int me = get_global_id(0);
    if (me == 2) {
        *data = 1;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    }
    if (me == 0)
        while (!atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device))
            ;
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    if (me == 1)
        *out = *data;
}

// The work-item that stores also releases, and the one that loads also acquires: its own fences order it.
__attribute__((intel_reqd_sub_group_size(2)))
kernel void of_one(global int *data, global atomic_int *flag, global int *out)
{
    const int me = get_global_id(0);
    if (me == 0)
        *data = 1;
    if (me == 2)
        while (!atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device))
            ;
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    if (me == 0)
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    if (me == 2)
        *out = *data;
}
