// Work-items of one work-group wait at two barriers: each orders the work-items that wait at it, and not the others.
kernel void exchange(local int *tile, global int *out)
{
    int i = get_local_id(0);
    tile[i] = i;
    if (i & 1)
        barrier(CLK_LOCAL_MEM_FENCE);
    else
        barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[i ^ 1];
}

// Flags for this memory at either would order nothing more.
kernel void other_flags(local int *tile, global int *out)
{
    int i = get_local_id(0);
    tile[i] = i;
    if (i < 4) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        out[i] = tile[i + 4];
    } else {
        barrier(CLK_GLOBAL_MEM_FENCE);
        out[i] = tile[i - 4];
    }
}

// These work-items race with none: they waited together, or met at a barrier later.
kernel void together(local int *tile, global int *out)
{
    int i = get_local_id(0);
    tile[i] = i;
    if (i < 4)
        barrier(CLK_LOCAL_MEM_FENCE);
    else
        barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[i ^ 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] += tile[i ^ 4];
}
