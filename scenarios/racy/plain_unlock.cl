kernel void locked(volatile global int *lock, global int *c) {
    while (atomic_cmpxchg(lock, 0, 1) != 0)
        ;
    c[0]++;
    *lock = 0;
}
