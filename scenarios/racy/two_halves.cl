// Sums in place, of which the load and the store race: the fix that is found for one of them is that of all.
kernel void in_loop(local short *t)
{
    int l = get_local_id(0);
    for (int k = 0; k < 3; k++) {
        t[l] += 1;
        t[l ^ 1] += 2;
    }
}

/* Work-item 0 acquires, 1 adds, 3 releases: the second work-group takes the message of the first one. */
kernel void message(global float *data, global atomic_int *flag)
{
    const int i = get_local_id(0);
    if (i == 0)
        atomic_load_explicit(flag, memory_order_acquire, memory_scope_device);
    if (i == 1)
        data[0] += 1.0f;
    if (i == 3)
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
}
