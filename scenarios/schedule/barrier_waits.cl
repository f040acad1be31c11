// Work-groups that wait for a store of group `setter`, and execute a barrier or a collective function in each iteration.
void set(global atomic_int *flag)
{
    if (get_local_id(0) == 0)
        atomic_store(flag, 1);
}

// One work-item loads the flag and passes it to the others.
kernel void one_looks(global atomic_int *flag, int setter)
{
    local int seen;
    if (get_group_id(0) == setter) {
        set(flag);
        return;
    }
    for (;;) {
        if (get_local_id(0) == 1)
            seen = atomic_load(flag);
        barrier(CLK_LOCAL_MEM_FENCE);
        int go = seen;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (go)
            return;
    }
}

kernel void all_look(global atomic_int *flag, int setter)
{
    local int seen;
    if (get_group_id(0) == setter) {
        set(flag);
        return;
    }
    do {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) == 0)
            seen = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (atomic_load(flag))
            seen = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    } while (!seen);
}

kernel void any(global atomic_int *flag, int setter)
{
    if (get_group_id(0) == setter) {
        set(flag);
        return;
    }
    while (!work_group_any(atomic_load(flag)))
        ;
}

kernel void any_of_sub_group(global atomic_int *flag, int setter)
{
    if (get_group_id(0) == setter) {
        set(flag);
        return;
    }
    while (!sub_group_any(atomic_load(flag)))
        ;
}

kernel void plain_barrier(global atomic_int *flag, int setter)
{
    if (get_group_id(0) == setter) {
        set(flag);
        return;
    }
    while (atomic_load(flag) == 0)
        barrier(CLK_GLOBAL_MEM_FENCE);
}

// Between sub-groups of one work-group: the last one sets.
kernel void sub_groups(global atomic_int *flag, int setter)
{
    if (get_sub_group_id() == setter) {
        if (get_sub_group_local_id() == 0)
            atomic_store(flag, 1);
    } else {
        while (!sub_group_any(atomic_load(flag)))
            ;
    }
}

// No work-group is waited for: memory, of the work-group or of all, counts the iterations.
kernel void counts(global atomic_int *flag, int turns)
{
    local int turn;
    if (get_local_id(0) == 0)
        turn = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    while (turn < turns) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) == 0)
            turn++;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    while (work_group_broadcast(get_local_id(0) == 0 ? atomic_load(flag) : 0, 0) < turns)
        if (get_local_id(0) == 0)
            atomic_fetch_add(flag, 1);
}

// The same values of a collective function for a while, and memory unchanged: a wave alone may look as if it stood still.
kernel void adds_up(global atomic_int *flag, int turns)
{
    uint sum = 0, step = get_local_id(0) == 3;
    do
        sum += step;
    while (!work_group_any(sum == turns));
    if (get_local_id(0) == 3)
        atomic_fetch_add(flag, sum);
}

// Work-groups alternate in counting: a work-group counts again only after another one did.
kernel void turns_about(global atomic_int *flag, int turns)
{
    const int me = get_group_id(0), groups = get_num_groups(0);
    for (int i = 0; i < turns; i++) {
        while (work_group_broadcast(atomic_load(flag), 0) % groups != me)
            barrier(CLK_LOCAL_MEM_FENCE);
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (get_local_id(0) == 0)
            atomic_fetch_add(flag, 1);
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

// It waits, and counts its iterations in memory.
kernel void counts_and_waits(global atomic_int *flag, global int *turns, int setter)
{
    if (get_group_id(0) == setter)
        set(flag);
    else
        while (!work_group_any(atomic_load(flag)))
            if (get_local_id(0) == 0)
                turns[get_group_id(0)]++;
}
