// A sum over a tree in local memory, without the barrier between the steps.
kernel void sum(global const int *in, global int *out)
{
    local int tile[8];
    size_t i = get_local_id(0);
    tile[i] = in[i];
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t step = 4; step > 0; step /= 2) {
        if (i < step)
            tile[i] += tile[i + step];
    }
    if (i == 0)
        out[0] = tile[0];
}
