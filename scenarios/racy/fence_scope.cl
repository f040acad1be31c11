// The store reaches its sub-group only, and lies in the other memory than the data: the fence that the fix adds has the scope that it gives the store.
__attribute__((intel_reqd_sub_group_size(8)))
kernel void k(global int *data, local atomic_int *flag)
{
    const int me = get_local_id(0);
    if (me == 0)
        atomic_init(flag, 0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (me == 0) {
        data[0] = 1;
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_sub_group);
    }
    if (me == 8) {
        while (!atomic_load_explicit(flag, memory_order_relaxed, memory_scope_work_group))
            ;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
        data[1] = data[0];
    }
}
