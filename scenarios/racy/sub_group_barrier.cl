// Each work-item reads the write of its mirror image in the work-group, which is in the other sub-group.
kernel void mirror(global int *out)
{
    local int tile[8];
    size_t i = get_local_id(0);
    tile[i] = (int)i;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[7 - i];
}
