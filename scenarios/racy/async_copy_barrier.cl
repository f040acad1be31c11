// The copy reads the whole tile, which the work-items wrote just before: no barrier orders all writes before it.
kernel void copy(global int *out)
{
    local int tile[8];
    tile[get_local_id(0)] = (int)get_local_id(0);
    event_t event = async_work_group_copy(out, tile, 8, 0);
    wait_group_events(1, &event);
}
