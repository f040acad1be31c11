/* Each iteration has a barrier of the work-group, and after it one of the sub-group. */
kernel void k(local int *l, global int *out)
{
    const int i = get_local_id(0);
    int sum = i;
    for (int turn = 0; turn < 3; turn++) {
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
        if (i == 1)
            l[0] = sum;
        sum += l[0];
    }
    out[i] = sum;
}
