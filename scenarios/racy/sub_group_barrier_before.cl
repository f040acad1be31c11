kernel void before(global int *data) {
    int l = get_local_id(0);
    data[16 + l] = 3;
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    data[l] = 1;
    data[(l + 8) % 16] = 2;
}
