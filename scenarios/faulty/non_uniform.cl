kernel void broadcast(global int *out)
{
    int l = get_local_id(0);
    out[l] = work_group_broadcast(l, (size_t)(l & 1));
}
kernel void broadcast_2d(global int *out)
{
    int l = get_local_linear_id();
    out[l] = work_group_broadcast(l, (size_t)0, get_local_id(0));
}
kernel void sub_broadcast(global int *out)
{
    int l = get_local_id(0);
    out[l] = sub_group_broadcast(l, get_sub_group_local_id() == 3 ? 1u : 0u);
}
kernel void copy_count(global int *out)
{
    local int tile[8];
    event_t done = async_work_group_copy(tile, (const global int *)out, 4 + get_local_id(0) % 2 * 2, 0);
    wait_group_events(1, &done);
    barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void copy_target(global int *out)
{
    local int tile[64];
    event_t done = async_work_group_copy(tile + get_local_id(0), (const global int *)out, 4, 0);
    wait_group_events(1, &done);
    barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void wait_for(global int *out)
{
    local int tile[8];
    event_t done[2];
    done[0] = async_work_group_copy(tile, (const global int *)out, 4, 0);
    done[1] = async_work_group_copy(tile + 4, (const global int *)out, 4, 0);
    wait_group_events(1, &done[get_local_id(0) & 1]);
    wait_group_events(1, &done[~get_local_id(0) & 1]);
    barrier(CLK_LOCAL_MEM_FENCE);
}
