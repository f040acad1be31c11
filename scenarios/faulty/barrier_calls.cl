static void sync(void)
{
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void twice(global int *out)
{
    int l = get_local_id(0);
    if (l < 5)
        sync();
    else
        sync();
    out[l] = 1;
    if (l < 2)
        sync();
    else
        sync();
}
