/* A list is summed in halves by kernels of which each waits for the one before; the last one prints from a child. */
kernel void sum(global int *a, global int *log)
{
    if (get_global_id(0))
        return;
    queue_t q = get_default_queue();
    clk_event_t halved[3];
    for (int i = 0, n = 4; i < 3; i++, n /= 2)
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(n), i > 0, i ? &halved[i - 1] : NULL, &halved[i],
                       ^{ a[get_global_id(0)] += a[get_global_id(0) + n]; });
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(8, 4), 1, &halved[2], NULL,
                   ^(local void *room) {
                       local int *copy = room;
                       copy[get_local_id(0)] = a[0];
                       barrier(CLK_LOCAL_MEM_FENCE);
                       log[get_global_id(0)] = copy[3 - get_local_id(0)] + get_group_id(0);
                       if (get_global_id(0) == 0)
                           enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(1),
                                          ^{ printf("the sum is %d\n", log[3]); });
                   }, 16);
    for (int i = 0; i < 3; i++)
        release_event(halved[i]);
}
