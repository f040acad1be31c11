kernel void after(global int *data) {
    int l = get_local_id(0);
    data[l] = 1;
    data[(l + 8) % 16] = 2;
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    data[16 + l] = 3;
}
