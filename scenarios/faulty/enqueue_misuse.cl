kernel void released_twice(global int *a)
{
    clk_event_t done;
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), 0, NULL, &done, ^{ a[get_global_id(0)] = 1; });
    set_user_event_status(done, CL_COMPLETE);
    release_event(done);
    release_event(done);
}
