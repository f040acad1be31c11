// Scopes that no atomic operation and no fence on global or local memory has.
kernel void scopes(global atomic_int *sum, global int *out)
{
    atomic_store_explicit(sum, 1, memory_order_release, memory_scope_work_item);
    int seen = atomic_load_explicit(sum, memory_order_relaxed, memory_scope_work_item);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_work_item);
    atomic_store_explicit(sum, 2, memory_order_relaxed, (memory_scope)__OPENCL_MEMORY_SCOPE_SUB_GROUP);
    out[0] = seen;
}
