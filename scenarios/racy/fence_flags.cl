// Fences that stand where they have to, with flags that do not name the memory.
kernel void flag_in_local(global int *d, local atomic_int *f)
{
    int l = get_local_id(0);
    if (l == 0)
        atomic_init(f, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        d[0] = 1;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_work_group);
        atomic_store_explicit(f, 1, memory_order_release, memory_scope_work_group);
    } else if (l == 1) {
        while (!atomic_load_explicit(f, memory_order_acquire, memory_scope_work_group));
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
        d[1] = d[0];
    }
}

// The other side has no fence, and no order.
kernel void one_fence(global int *d, global atomic_int *f)
{
    int l = get_local_id(0);
    if (l == 0) {
        d[0] = 1;
        atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_work_group);
        atomic_store_explicit(f, 1, memory_order_relaxed, memory_scope_work_group);
    } else if (l == 1) {
        while (!atomic_load_explicit(f, memory_order_relaxed, memory_scope_work_group));
        d[1] = d[0];
    }
}

// A barrier for all of the work-group has to do for the local memory, too.
kernel void of_sub_groups(global int *d, local int *t)
{
    int l = get_local_id(0);
    t[l] = l;
    d[l] = l;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    d[8 + l] = d[l ^ 4] + t[l ^ 1];
}
