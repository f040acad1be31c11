// One work-item waits for its neighbour; and one counts while it waits.
kernel void wait(global atomic_int *flag, global int *out, int patient)
{
    int turns = 0;
    if (get_global_id(0) == 1)
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
            turns += patient;
    else if (get_global_id(0) == 0)
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    out[get_global_id(0)] = turns >= 0;
}
