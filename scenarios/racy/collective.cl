// A sum over the work-group makes all work-items wait, and is no barrier for memory.
kernel void mirror(global int *out)
{
    local int tile[4];
    size_t i = get_local_id(0);
    tile[i] = (int)i;
    int sum = work_group_reduce_add((int)i);
    out[i] = tile[3 - i] + sum;
}
