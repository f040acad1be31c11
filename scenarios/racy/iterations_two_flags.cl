// Two barriers in each iteration have the wrong flags: all execute the one after the stores before the other.
kernel void scan(global int *sums, global int *out)
{
    int i = get_global_id(0);
    for (int step = 1; step < 8; step *= 2) {
        sums[i] += step;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[i] = sums[i ^ step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
