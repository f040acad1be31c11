// The group's waves reach the copy one after another, each after what it has acquired itself; a list of events whose
// length the host chooses.
kernel void copy(global int *far, global int *out, global atomic_int *flag, int events)
{
    local int tile[4], many[40];
    event_t event[40];
    uint l = get_local_id(0);
    if (l == 511) {
        far[0] = 7;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    }
    while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
        ;
    event[0] = async_work_group_copy(tile, far, 1, 0);
    wait_group_events(1, event);
    out[l] = tile[0];
    for (int i = 0; i < 40; i++)
        event[i] = async_work_group_copy(many + i, far + 1 + i, 1, 0);
    wait_group_events(events, event);
    if (l < 20)
        out[l] += many[l];
    wait_group_events(40 - events, event + events);
    if (l < 20)
        out[l] += many[20 + l];
}
