kernel void announce(read_write image2d_t image, global int *out, global atomic_int *flag) {
    if (get_local_id(0) == 0) {
        write_imagei(image, (int2)(0, 0), (int4)(5, 0, 0, 0));
        atomic_work_item_fence(CLK_IMAGE_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_work_group);
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_work_group);
    } else {
        while (!atomic_load_explicit(flag, memory_order_relaxed, memory_scope_work_group))
            ;
        atomic_work_item_fence(CLK_IMAGE_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
        *out = read_imagei(image, (int2)(0, 0)).x;
    }
}
