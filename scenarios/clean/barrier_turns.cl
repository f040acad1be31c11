/* All go round alike, and come by the barrier in each turn, whatever else they do there. */
kernel void alike(global int *out)
{
    int l = get_local_id(0);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            for (int m = 0; m < l; m++)
                out[l] += m;
            work_group_barrier(CLK_LOCAL_MEM_FENCE);
            if (l == 3 && j == 1)
                continue;
            out[l]++;
        }
}
/* How often is decided by what is in memory, and by all together. */
kernel void together(global int *out)
{
    int l = get_local_id(0), left = l;
    do {
        while (out[l] % 3)
            out[l]++;
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
        out[l]++;
    } while (out[l] < 9);
    while (work_group_any(left > 0)) {
        if (left-- > 0)
            continue;
        out[l]++;
    }
}
