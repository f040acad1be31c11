// A work-item reads its own write to an image only after a fence for images, or a barrier that names them.
kernel void no_fence(read_write image2d_t im, global int *o)
{
    int g = get_global_id(0);
    write_imagei(im, (int2)(g, 0), (int4)(g));
    o[g] = read_imagei(im, (int2)(g, 0)).x;
}

kernel void other_memory(read_write image2d_t im, global int *o)
{
    int g = get_global_id(0);
    write_imagei(im, (int2)(g, 0), (int4)(g));
    barrier(CLK_GLOBAL_MEM_FENCE);
    o[g] = read_imagei(im, (int2)(g, 0)).x;
}

kernel void release(read_write image2d_t im, global int *o)
{
    int g = get_global_id(0);
    write_imagei(im, (int2)(g, 0), (int4)(g));
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_release, memory_scope_work_item);
    o[g] = read_imagei(im, (int2)(g, 0)).x;
}

// A fence of other memory has another scope: one for images has to stand beside it.
kernel void beside(read_write image2d_t im, global int *o)
{
    int g = get_global_id(0);
    write_imagei(im, (int2)(g, 0), (int4)(g));
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);
    o[g] = read_imagei(im,
                       (int2)(g, 0)).x;
}

// In a loop there is no place that all execute once.
kernel void in_turns(read_write image2d_t im, global int *o)
{
    int g = get_global_id(0);
    for (int k = 0; k < 2; k++) {
        write_imagei(im, (int2)(g, 0), (int4)(g));
        o[g] = read_imagei(im, (int2)(g, 0)).x;
    }
}

kernel void of_another(read_write image2d_t im, global int *o)
{
    int g = get_global_id(0);
    write_imagei(im, (int2)(g, 0), (int4)(g));
    o[g] = read_imagei(im, (int2)(g ^ 1, 0)).x;
}
