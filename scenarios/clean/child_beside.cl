/* Progress between kernels is nothing that OpenCL promises; a device that does may run the child beside its parent. */
kernel void wait_for_child(global atomic_int *flag, global int *a)
{
    if (get_global_id(0) == 0)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ atomic_store(flag, 1); });
    while (!atomic_load(flag))
        ;
    a[get_global_id(0)] = 1;
}
