/* If the flag is set, the exchange fails, and its read has the failure order alone. */
kernel void found(global int *data, global atomic_int *flag, global int *out)
{
    int clear = 0;
    if (get_global_id(0) == 0) {
        data[0] = 1;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (!atomic_compare_exchange_strong_explicit(flag, &clear, 5,
                                                        memory_order_relaxed, memory_order_relaxed, memory_scope_device)) {
        out[0] = data[0];
    }
}

/* One place that both work-items execute: one succeeds, the other fails. */
kernel void once(global int *data, global atomic_int *flag, global int *out)
{
    int clear = 0;
    if (get_global_id(0) == 0)
        data[0] = 1;
    if (!atomic_compare_exchange_strong_explicit(flag, &clear, 1, memory_order_release, memory_order_relaxed, memory_scope_device))
        out[get_global_id(0)] = data[0];
}

kernel void once_relaxed(global int *data, global atomic_int *flag, global int *out)
{
    int clear = 0;
    if (get_global_id(0) == 0)
        data[0] = 1;
    if (!atomic_compare_exchange_strong_explicit(flag, &clear, 1, memory_order_relaxed, memory_order_relaxed, memory_scope_device))
        out[get_global_id(0)] = data[0];
}

kernel void once_acquired(global int *data, global atomic_int *flag, global int *out)
{
    int clear = 0;
    if (get_global_id(0) == 0)
        data[0] = 1;
    if (!atomic_compare_exchange_strong_explicit(flag, &clear, 1, memory_order_acq_rel, memory_order_relaxed, memory_scope_device))
        out[get_global_id(0)] = data[0];
}

/* The waiting exchange fails as well: its success has to acquire. */
kernel void locked(global int *data, global atomic_int *lock)
{
    int clear = 0;
    while (!atomic_compare_exchange_strong_explicit(lock, &clear, 1, memory_order_relaxed, memory_order_relaxed, memory_scope_device))
        clear = 0;
    data[0]++;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}

/* The order is right, and the exchange that fails is in another work-group. */
kernel void found_near(global int *data, global atomic_int *flag, global int *out)
{
    int clear = 0;
    if (get_global_id(0) == 0) {
        data[0] = 1;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (!atomic_compare_exchange_strong_explicit(flag, &clear, 5,
                                                        memory_order_acquire, memory_order_acquire, memory_scope_work_group)) {
        out[0] = data[0];
    }
}
