/* Work-item 4 skips an iteration and has one more: as many barriers, but not the same ones. */
kernel void skips(global int *out)
{
    int l = get_local_id(0);
    for (int i = 0; i < 4 + (l == 4); i++) {
        if (l == 4 && i == 1)
            continue;
        out[l] += i;
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
    }
}
kernel void skips_while(global int *out)
{
    int l = get_local_id(0), i = 0;
    while (i++ < 4 + (l == 4)) {
        if (l == 4 && i == 1)
            continue;
        out[l] += work_group_reduce_add(i);
    }
}
/* As many barriers in all, and one fewer in the outer loop's first iteration. */
kernel void nested(global int *out)
{
    int l = get_local_id(0);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < (l == 2 ? 1 + 2 * i : 2); j++) {
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);
            out[l] += j;
        }
}
