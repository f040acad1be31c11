// The copy runs beside the work-group: no work-item waits for it before the tile is read.
kernel void copy(global const int *in, global int *out)
{
    local int tile[8];
    event_t event = async_work_group_copy(tile, in, 8, 0);
    out[get_local_id(0)] = tile[7 - get_local_id(0)];
    wait_group_events(1, &event);
}
