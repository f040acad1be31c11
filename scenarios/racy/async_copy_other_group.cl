kernel void waited(global int *out) {
    local int t[12];
    size_t g = get_group_id(0), l = get_local_id(0);
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_strided_copy(out + g * 24, t, 12, 2, 0);
    wait_group_events(1, &e);
    out[g * 24 + 2 * l + 2] = 4;
}
kernel void not_waited(global int *out) {
    local int t[12];
    size_t g = get_group_id(0), l = get_local_id(0);
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_strided_copy(out + g * 24, t, 12, 2, 0);
    out[g * 24 + 2 * l + 2] = 4;
    wait_group_events(1, &e);
}
