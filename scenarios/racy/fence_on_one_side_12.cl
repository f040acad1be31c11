kernel void releases(volatile global int *lock, global int *c) {
    for (int done = 0; !done;)
        if (atomic_cmpxchg(lock, 0, 1) == 0) {
            c[0] = c[0] + 1;
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            atomic_xchg(lock, 0);
            done = 1;
        }
}
kernel void both(volatile global int *lock, global int *c) {
    for (int done = 0; !done;)
        if (atomic_cmpxchg(lock, 0, 1) == 0) {
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            c[0] = c[0] + 1;
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            atomic_xchg(lock, 0);
            done = 1;
        }
}
kernel void acquires(volatile global int *lock, global int *c) {
    for (int done = 0; !done;)
        if (atomic_cmpxchg(lock, 0, 1) == 0) {
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            c[0] = c[0] + 1;
            atomic_xchg(lock, 0);
            done = 1;
        }
}
kernel void neither(volatile global int *f, global int *d) {
    if (get_local_id(0) == 0) {
        d[0] = 1;
        atomic_xchg(f, 1);
    } else if (atomic_add(f, 0) == 1)
        atomic_xchg(f, d[0]);
}
kernel void other_flag(volatile global int *f, global int *d) {
    if (get_local_id(0) == 0) {
        d[0] = 1;
        atomic_xchg(f, 1);
    } else if (atomic_add(f, 0) == 1) {
        mem_fence(CLK_LOCAL_MEM_FENCE);
        atomic_xchg(f, d[0]);
    }
}
