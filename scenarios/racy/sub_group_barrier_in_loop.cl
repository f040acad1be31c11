/* The barrier stands before both stores, in each iteration. */
kernel void k(local int *l, global int *out)
{
    const int i = get_local_id(0);
    for (int turn = 0; turn < 1; turn++) {
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        if (i % 4 == 0)
            l[0] = i;
    }
    out[i] = i;
}
