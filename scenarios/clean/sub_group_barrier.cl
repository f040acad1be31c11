// Each work-item reads what its mirror image in the sub-group wrote.
kernel void mirror(global int *out)
{
    local int tile[8];
    uint first = get_sub_group_id() * get_max_sub_group_size(), i = get_sub_group_local_id();
    tile[first + i] = (int)(first + i);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[first + i] = tile[first + 3 - i];
}
