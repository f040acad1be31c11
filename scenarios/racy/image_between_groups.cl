kernel void pass(read_write image2d_t image, global atomic_int *flag, global int *out) {
    if (get_global_id(0) == 0) {
        write_imagei(image, (int2)(1, 1), (int4)(5));
        atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (get_global_id(0) == 9) {
        if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device)) {
            atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
            *out = read_imagei(image, (int2)(1, 1)).x;
        }
    }
}
