// A ticket lock that is passed on by a relaxed store.
kernel void count(global atomic_int *ticket, global atomic_int *serving, global int *total)
{
    int mine = atomic_fetch_add_explicit(ticket, 1, memory_order_relaxed, memory_scope_device);
    while (atomic_load_explicit(serving, memory_order_acquire, memory_scope_device) != mine)
        ;
    total[0] += 1;
    atomic_store_explicit(serving, mine + 1, memory_order_relaxed, memory_scope_device);
}
