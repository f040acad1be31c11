kernel void message(global int *d, global atomic_int *f, global int *out) {
    if (get_local_id(0) == 0) {
        while (!atomic_load_explicit(f, memory_order_acquire, memory_scope_device))
            ;
        out[0] = d[0] + d[1];
    } else {
        d[0] = 1;
        atomic_store_explicit(f, 1, memory_order_release, memory_scope_device);
        d[1] = 2;
    }
}
kernel void unlocked(global int *d, global atomic_int *lock) {
    while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device))
        ;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
    d[0]++;
}
