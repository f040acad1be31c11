kernel void turns(global int *data) {
    int l = get_local_id(0), v = l;
    for (int i = 0; i < 2; i++) {
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
        data[l] = v;
        data[(l + 1) % 8] = v;
    }
}
