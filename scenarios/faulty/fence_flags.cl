// Fences whose flags, or order and scope beside them, mean nothing.
kernel void fences(global int *out)
{
    out[0] = 1;
    atomic_work_item_fence(0, memory_order_release, memory_scope_device);
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_release, memory_scope_work_item);
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_work_group);
    out[0] = 2;
}
