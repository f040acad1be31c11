// One event for two copies, a list of events whose length the host chooses, and a copy after a flag that every
// work-item has acquired.
kernel void copy(global const int *in, global int *out, int events, global int *far, global atomic_int *flag)
{
    local int tile[8], other[8], late[1];
    event_t event[2];
    event[0] = async_work_group_copy(tile, in, 4, 0);
    event[0] = async_work_group_copy(tile + 4, in + 4, 4, event[0]);
    event[1] = async_work_group_copy(other, in + 8, 8, 0);
    wait_group_events(1, event);
    out[get_global_id(0)] = tile[7 - get_local_id(0)];
    wait_group_events(events, event + 1);
    out[get_global_id(0)] += other[get_local_id(0)];

    if (get_global_id(0) == 0) {
        far[0] = 7;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    }
    while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
        ;
    if (get_group_id(0) == 1)
        event[0] = async_work_group_copy(late, far, 1, 0);
    if (get_group_id(0) == 1)
        wait_group_events(1, event);
    if (get_group_id(0) == 1)
        out[get_global_id(0)] += late[0];
}
