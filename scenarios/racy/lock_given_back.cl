kernel void spin(volatile global int *lock, global int *count)
{
    while (atomic_cmpxchg(lock, 0, 1) != 0)
        ;
    count[0]++;
    *lock = 0;
}

kernel void ticket(volatile global int *lock, global int *count)
{
    int mine = atomic_inc(lock);
    while (lock[1] != mine)
        ;
    count[0]++;
    lock[1] = mine + 1;
}
