// Sub-group 0 writes, sub-group 1 meets it at the barrier, sub-group 2 is at none.
kernel void hand_over(global int *data, global int *out, int with)
{
    local named_barrier_t *ready = named_barrier_init(2);
    uint own = get_sub_group_id(), i = get_sub_group_local_id();
    if (own == 0)
        data[i] = (int)i + 1;
    if (own < 2)
        work_group_named_barrier(ready, CLK_GLOBAL_MEM_FENCE);
    if (own == (uint)with)
        out[i] = data[i];
}

kernel void no_flag(global int *data, global int *out)
{
    local named_barrier_t *ready = named_barrier_init(2);
    uint own = get_sub_group_id(), i = get_sub_group_local_id();
    if (own == 0)
        data[i] = (int)i + 1;
    if (own < 2)
        work_group_named_barrier(ready, CLK_LOCAL_MEM_FENCE);
    if (own == 1)
        out[i] = data[i];
}

// Two barriers, one after the other: the second passes on the clocks of the first.
kernel void chain(global int *data, global int *out, int last)
{
    local named_barrier_t *first = named_barrier_init(2), *second = named_barrier_init(2);
    uint own = get_sub_group_id(), i = get_sub_group_local_id();
    if (own == 0)
        data[i] = (int)i + 1;
    if (own < 2)
        work_group_named_barrier(first, CLK_GLOBAL_MEM_FENCE);
    if (own == 1 || own == 2)
        work_group_named_barrier(second, CLK_GLOBAL_MEM_FENCE);
    if (own == (uint)last)
        out[i] = data[i];
}
