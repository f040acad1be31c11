kernel void two(global int *in, global int *out) {
    local int tile[12];
    event_t done[2];
    done[0] = async_work_group_copy(tile, in, 8, 0);
    done[1] = async_work_group_copy(tile + 4, in, 8, 0);
    wait_group_events(2, done);
    out[get_local_id(0)] = tile[get_local_id(0)];
}
kernel void some(global int *in, global int *out) {
    local int tile[8];
    event_t done = 0;
    if (get_local_id(0) < 4)
        done = async_work_group_copy(tile, in, 8, 0);
    wait_group_events(1, &done);
}
