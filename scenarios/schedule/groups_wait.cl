// Work-groups that wait, on a device that runs one work-group after another.
kernel void later(global atomic_int *flag)
{
    if (get_global_id(0) == 0)
        while (atomic_load(flag) == 0)
            ;
    if (get_group_id(0) == 2 && get_local_id(0) == 0)
        atomic_store(flag, 1);
}

// Work-group 0 waits for 1, and 1 for 2.
kernel void relay(global atomic_int *flag)
{
    if (get_local_id(0) != 0)
        return;
    if (get_group_id(0) == 0)
        while (atomic_load(flag) == 0)
            ;
    if (get_group_id(0) == 1) {
        atomic_store(flag, 1);
        while (atomic_load(flag + 1) == 0)
            ;
    }
    if (get_group_id(0) == 2)
        atomic_store(flag + 1, 1);
}

// Each holds the lock for longer than its time slice.
kernel void lock(global atomic_int *flag, global int *sum)
{
    if (get_local_id(0) != 0)
        return;
    while (atomic_exchange(flag, 1))
        ;
    for (int i = 0; i < 30000; i++)
        sum[0] += 1 + (i & sum[1]);
    atomic_store(flag, 0);
}

// The first arrival has the first ticket, in whatever order they begin.
kernel void ticket(global atomic_int *flag, global int *sum)
{
    if (get_local_id(0) != 0)
        return;
    int mine = atomic_fetch_add(flag, 1);
    while (atomic_load(flag + 1) != mine)
        ;
    sum[0] += 1;
    atomic_fetch_add(flag + 1, 1);
}

// It leaves the loop without the others, after a while.
kernel void patient(global atomic_int *flag)
{
    if (get_global_id(0) == 0)
        for (int turn = 0; turn < 5000 && atomic_load(flag) == 0; turn++)
            ;
    if (get_group_id(0) == 2 && get_local_id(0) == 0)
        atomic_store(flag, 1);
}

// The others run, and do not help.
kernel void never(global atomic_int *flag)
{
    if (get_global_id(0) == 0)
        while (atomic_load(flag) == 0)
            ;
    if (get_group_id(0) == 2 && get_local_id(0) == 0)
        atomic_store(flag + 1, 1);
}
