// Each barrier has the flag of the memory that it orders.
kernel void swap(global int *data, global int *out)
{
    local int tile[4];
    size_t i = get_local_id(0);
    tile[i] = (int)i;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    data[i] = tile[3 - i];
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = data[3 - i];
}
