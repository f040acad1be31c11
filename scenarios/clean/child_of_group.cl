/* The work-group that enqueues ends, and its child with it begins; the other work-groups wait for what the child stores. */
kernel void wait_for_child(global atomic_int *flag, global int *a)
{
    if (get_global_id(0) == 0) {
        a[0] = 41;
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(1), ^{
            a[0]++;
            atomic_store(flag, 1);
        });
    } else if (get_group_id(0)) {
        while (!atomic_load(flag))
            ;
        a[get_global_id(0)] = 1;
    }
}

/* The place of the groups follows from no group id. */
kernel void wait_by_global_id(global atomic_int *flag, global int *a)
{
    if (get_global_id(0) == 0)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(1), ^{ atomic_store(flag, 1); });
    else if (get_global_id(0) > 3)
        while (!atomic_load(flag))
            ;
    a[get_global_id(0)] = 1;
}
