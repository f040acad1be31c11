static void put(global int *p, int value) {
    *p = value;
}
kernel void calls(global int *data, global int *out) {
    int i = get_local_id(0);
    put(data + i, i);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = data[(i + 1) % 8];
    put(data + i, 5);
}
