kernel void alone(global int *out) {
    local named_barrier_t *own = named_barrier_init(1);
    local int data[32];
    int l = get_local_id(0);
    data[l] = l;
    if (get_sub_group_id() == 0)
        work_group_named_barrier(own, CLK_GLOBAL_MEM_FENCE);
    if (l == 0)
        out[l] = data[9];
}
