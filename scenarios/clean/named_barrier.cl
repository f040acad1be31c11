// Sub-groups meet in pairs, and in pairs of other neighbours, at barriers that are initialised once and used again and again.
kernel void relay(global int *out, int rounds)
{
    local int cells[32];
    local named_barrier_t *left = named_barrier_init(2), *right = named_barrier_init(2), *all = named_barrier_init(get_num_sub_groups());
    uint own = get_sub_group_id(), i = get_local_id(0), width = get_max_sub_group_size(), last = get_num_sub_groups() - 1;
    cells[i] = 0;
    work_group_named_barrier(all, CLK_LOCAL_MEM_FENCE);
    for (int round = 0; round < rounds; round++) {
        // 0 with 1, 2 with 3: the first of the pair adds to what the second has
        local named_barrier_t *mine = own < 2 ? left : right;
        if (own % 2 == 0)
            cells[i + width] += (int)own + 1;
        work_group_named_barrier(mine, CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
        if (own % 2 == 1)
            cells[i] += 10;
        work_group_named_barrier(mine, CLK_LOCAL_MEM_FENCE);
    }
    if (own != last)
        work_group_named_barrier(all, CLK_LOCAL_MEM_FENCE);
    else
        work_group_named_barrier(all, CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = cells[get_local_size(0) - 1 - i];
}

// One produces, two consume, the fourth does not execute it.
kernel void produce(global int *data, global int *out)
{
    local named_barrier_t *ready = named_barrier_init(3);
    uint own = get_sub_group_id(), i = get_sub_group_local_id();
    if (own == 0)
        data[i] = (int)i + 1;
    if (own < 3)
        work_group_named_barrier(ready, CLK_GLOBAL_MEM_FENCE);
    if (own == 1 || own == 2)
        out[(own - 1) * get_sub_group_size() + i] = data[i] * (int)own;
}
