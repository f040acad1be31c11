// Local bins by atomics, many times; the last work-group of many reads them without a barrier.
kernel void histogram(global int *bins)
{
    local int h[16];
    int l = get_local_id(0);
    if (l < 16)
        h[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 16; i++)
        atomic_inc(&h[(l + i) & 15]);
    if (get_group_id(0) != get_num_groups(0) - 1)
        barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16)
        bins[get_group_id(0) * 16 + l] = h[l];
}
