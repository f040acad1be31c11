/* The barrier of a work-group orders the reads of its own members, and none of other work-groups. */
kernel void together(global int *a, global int *out)
{
    const int i = get_global_id(0), group = get_group_id(0);
    a[64 + group * 64 + (i * 37 & 63)] = i;
    out[i] = a[0];
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (group == 1 && get_local_id(0) == 5)
        a[0] = 2;
}

kernel void one_by_one(global int *a, global int *out)
{
    const int i = get_global_id(0), group = get_group_id(0);
    a[64 + group * 64 + (i * 37 & 63)] = i;
    out[i] = a[i * 37 >> 3 & 3];
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (group == 1 && get_local_id(0) == 5)
        a[0] = 2;
}
