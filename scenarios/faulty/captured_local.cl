kernel void hand_over(global int *a, local int *mine)
{
    mine[0] = 7;
    int number = 5;
    int *nearby = &number;
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ a[0] = mine[0]; });
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ a[1] = number; });
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ a[2] = *nearby; });
}
