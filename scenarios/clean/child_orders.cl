/* Rules (2), (3), (12), (13) and (14) of 3.3.6: everything here is ordered. */
kernel void orders(global int *a, global int *b, global atomic_int *flag)
{
    queue_t q = get_default_queue();
    int me = get_global_id(0), mine = get_group_id(0) * 2;
    a[me] = me;
    /* (14): of its own work-group; of the other one what that released to it */
    if (get_local_id(0) == 0) {
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(2), ^{
            b[mine + get_global_id(0)] = a[mine + get_global_id(0)] + 1;
        });
        if (get_group_id(0) == 1) {
            a[8] = 5;
            atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
        }
    }
    if (me == 0) {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
            ;
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(1), ^{
            b[4] = a[8];
        });
    }
    if (me)
        return;
    /* (13) and (2), (3): grandchildren are part of what an event stands for, a user event of what came before it was set */
    clk_event_t first, user = create_user_event(), list[2], marker;
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), 0, NULL, &first, ^{
        b[5] = a[0] + a[1] + a[2] + a[3];
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
            b[6] = b[5] + 1;
        });
    });
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), 1, &first, &list[0], ^{
        b[6] += 10;
        set_user_event_status(user, CL_COMPLETE);
        release_event(user);
    });
    list[1] = user;
    enqueue_marker(q, 2, list, &marker);
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &marker, NULL, ^{
        b[7] = b[6] + 100;
    });
    release_event(first);
    release_event(list[0]);
    release_event(marker);
}
