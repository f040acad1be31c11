// A ticket lock: drawing a ticket may be relaxed, looking at the number and passing it on may not.
kernel void count(global atomic_int *ticket, global atomic_int *serving, global int *total)
{
    int mine = atomic_fetch_add_explicit(ticket, 1, memory_order_relaxed, memory_scope_device);
    while (atomic_load_explicit(serving, memory_order_acquire, memory_scope_device) != mine)
        ;
    total[0] += 1;
    atomic_store_explicit(serving, mine + 1, memory_order_release, memory_scope_device);
}
