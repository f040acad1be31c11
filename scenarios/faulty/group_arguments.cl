// The first half of the group gives other arguments than the second: no work-item of one wave differs from its neighbours.
kernel void count(global int *out)
{
    local int tile[8];
    event_t done = async_work_group_copy(tile, (const global int *)out, get_local_id(0) < 256 ? 4 : 6, 0);
    wait_group_events(1, &done);
}
kernel void wait_for(global int *out)
{
    local int tile[8];
    event_t done[2];
    done[0] = async_work_group_copy(tile, (const global int *)out, 4, 0);
    done[1] = async_work_group_copy(tile + 4, (const global int *)out, 4, 0);
    wait_group_events(1, &done[get_local_id(0) / 256]);
    wait_group_events(1, &done[1 - get_local_id(0) / 256]);
}
kernel void alike(global int *out)
{
    local int tile[8];
    for (int i = 0; i < 4; i++) {
        event_t done = async_work_group_copy(tile, (const global int *)out + i * get_num_groups(0), 4 + i, 0);
        wait_group_events(1, &done);
    }
}
kernel void nobody(global int *out)
{
    int i = (int)get_local_linear_id();
    out[i] = work_group_broadcast(i, get_local_size(0)) + work_group_broadcast(i, get_local_size(0) - 1);
}
kernel void nobody_2d(global int *out, int row)
{
    int i = (int)get_local_linear_id();
    out[i] = work_group_broadcast(i, (size_t)1, (size_t)row);
}
kernel void nobody_sub(global int *out)
{
    int i = (int)get_local_linear_id();
    out[i] = sub_group_broadcast(i, 3u);
}
