// Every order, scope and flag that the text allows.
kernel void forms(global atomic_int *a, global int *out)
{
    local atomic_int b;
    int expected = 7;
    if (get_local_id(0) == 0)
        atomic_init(&b, 0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&b, 1, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_add_explicit(&b, 1, memory_order_acq_rel, memory_scope_work_group);
    atomic_fetch_add_explicit(a, 1, memory_order_seq_cst, memory_scope_device);
    atomic_store_explicit(a, 1, memory_order_release, memory_scope_device);
    atomic_store_explicit(a, 1, memory_order_seq_cst, memory_scope_device);
    atomic_store_explicit(a, 1, memory_order_relaxed, memory_scope_device);
    int seen = atomic_load_explicit(a, memory_order_acquire, memory_scope_device);
    seen += atomic_load_explicit(a, memory_order_seq_cst, memory_scope_device);
    atomic_compare_exchange_strong_explicit(a, &expected, 2, memory_order_acq_rel, memory_order_acquire, memory_scope_device);
    atomic_compare_exchange_strong_explicit(a, &expected, 1, memory_order_release, memory_order_relaxed, memory_scope_device);
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_sub_group);
    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_work_group);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_all_svm_devices);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = (seen == 2) + atomic_load_explicit(&b, memory_order_relaxed, memory_scope_work_group);
}
