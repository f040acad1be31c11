/* All work-items have the same number of iterations and execute the barrier in each, whatever else they do. */
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
/* Memory, or a function of the whole work-group, decides the number of iterations. */
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
