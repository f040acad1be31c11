kernel void apart(global int *data, global int *out) {
    local named_barrier_t *some = named_barrier_init(3);
    int l = get_local_id(0);
    data[l] = l;
    if (get_sub_group_id() < 3)
        work_group_named_barrier(some, CLK_GLOBAL_MEM_FENCE);
    out[l] = data[(l + 8) % 32];
}
