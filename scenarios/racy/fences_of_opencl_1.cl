kernel void pass(global int *data, volatile global int *flag, global int *out) {
    if (get_global_id(0) == 0) {
        *data = 7;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        atomic_inc(flag);
    } else if (get_global_id(0) == 5) {
        if (atomic_add(flag, 0) == 1) {
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            *out = *data;
        }
    }
}
kernel void neighbours(global int *data, global int *out) {
    int i = get_global_id(0);
    data[i] = i;
    out[i] = data[(i + 1) % 8];
}
