// In and out through a tile: each copy waited for before its bytes are used, and a barrier before the copy out.
kernel void copy(global const int *in, global int *out)
{
    local int tile[8];
    event_t event = async_work_group_copy(tile, in, 8, 0);
    wait_group_events(1, &event);
    tile[get_local_id(0)] += 1;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    event = async_work_group_copy(out, tile, 8, 0);
    wait_group_events(1, &event);
    tile[get_local_id(0)] = out[7 - get_local_id(0)];
}
