// Two copies under way, and the wait is for the first one's event only.
kernel void copy(global const int *in, global int *out)
{
    local int tile[8], other[8];
    event_t event[2];
    event[0] = async_work_group_copy(tile, in, 8, 0);
    event[1] = async_work_group_copy(other, in + 8, 8, 0);
    wait_group_events(1, event);
    out[get_local_id(0)] = tile[7 - get_local_id(0)] + other[get_local_id(0)];
    wait_group_events(1, event + 1);
}
