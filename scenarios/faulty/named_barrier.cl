// It waits for three and two arrive; part of a sub-group arrives; one that was not initialised; not all initialise.
kernel void too_few(global int *out)
{
    local named_barrier_t *b = named_barrier_init(3);
    if (get_sub_group_id() < 2)
        work_group_named_barrier(b, CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = 1;
}

kernel void part(global int *out)
{
    local named_barrier_t *b = named_barrier_init(2);
    if (get_sub_group_id() == 0 || get_local_id(0) == 5)
        work_group_named_barrier(b, CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = 1;
}

kernel void none(global int *out)
{
    local named_barrier_t *b = 0;
    work_group_named_barrier(b, CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = 1;
}

kernel void some(global int *out)
{
    if (get_sub_group_id() < 2) {
        local named_barrier_t *b = named_barrier_init(2);
        work_group_named_barrier(b, CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = 1;
}

// One waits at the named barrier, the others at that of the work-group.
kernel void crossed(global int *out)
{
    local named_barrier_t *b = named_barrier_init(2);
    if (get_sub_group_id() == 0)
        work_group_named_barrier(b, CLK_LOCAL_MEM_FENCE);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = 1;
}
