/* In each iteration the words are others': a barrier in each orders the updates of two, though a wave's first came after another's last. */
kernel void shifted(global int *out)
{
    local int tile[64];
    int me = get_local_id(0);
    tile[me] = 0;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    for (int turn = 0; turn < 3; turn++) {
        tile[(me + turn) & 63] += 1;
    }
    out[me] = me;
}

kernel void two_buffers(local float *tile, global float *out)
{
    int me = get_local_id(0), all = get_local_size(0);
    local float *from = tile, *to = tile + all;
    from[me] = me;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    for (int turn = 0; turn < 3; turn++) {
        to[me] = from[(me + 1) % all];
        local float *other = from;
        from = to;
        to = other;
    }
    out[me] = from[me];
}

/* The update is before the loop: its load was reported first, and its store conflicts with the iterations after a barrier, too. */
kernel void before_loop(global int *out)
{
    local int tile[64];
    int me = get_local_id(0);
    tile[me] += 1;
    out[me] = 1;
    for (int turn = 0; turn < 3; turn++) {
        tile[me ^ 1] = me;
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
