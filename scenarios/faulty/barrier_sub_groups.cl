/* In each sub-group: half of it waits at either barrier. */
kernel void halves(global int *out)
{
    int l = get_local_id(0);
    if (l & 1)
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    else
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    out[l] = 1;
}
/* Sub-group 1 alone: one of its work-items is reported. */
kernel void second(global int *out)
{
    int l = get_local_id(0);
    if (l != 11)
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = 1;
}
/* Orrery released the work-items that waited in the branch, so they are missing after it. */
kernel void displaced(global int *out)
{
    int l = get_local_id(0);
    if (l < 9)
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = 1;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
}
