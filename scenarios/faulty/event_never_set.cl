kernel void wait_for_ever(global int *a)
{
    clk_event_t go = create_user_event();
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), 1, &go, NULL, ^{ a[get_global_id(0)] = 1; });
    release_event(go);
}
