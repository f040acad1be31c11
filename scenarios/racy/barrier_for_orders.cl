kernel void count(global uint *out) {
    local uint bins[4];
    int l = get_local_id(0);
    if (l < 4)
        bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[l & 3]);
    atomic_max(&bins[(l + 1) & 3], 1u);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 4)
        out[l] = bins[l];
}
