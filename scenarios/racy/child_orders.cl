/* Rules (2), (13) and (14) of 3.3.6, each broken: what a child does is not ordered with what it meets. */
kernel void no_wait(global int *a)
{
    a[0] = 7;
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
        a[1] = a[0];
    });
}

kernel void wrong_group(global int *a)
{
    a[get_global_id(0)] = 7;
    if (get_global_id(0) == 0)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(4), ^{
            a[4 + get_global_id(0)] = a[get_global_id(0)];
        });
}

kernel void siblings(global int *a)
{
    queue_t q = get_default_queue();
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
        a[0] = 1;
    });
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
        a[1] = a[0];
    });
}

/* The event of A stands for what A enqueued too; that of the marker for those of its list, and no more. */
kernel void marker(global int *a)
{
    queue_t q = get_default_queue();
    clk_event_t first, both;
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &first, ^{
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
            a[0] = 1;
        });
    });
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
        a[1] = 1;
    });
    enqueue_marker(q, 1, &first, &both);
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &both, NULL, ^{
        a[2] = a[0] + a[1];
    });
    release_event(first);
    release_event(both);
}
