/* The order in which work-items come to the counter is what they print. */
kernel void k(global atomic_int *counter, global int *order)
{
    int i = get_global_id(0);
    int place = atomic_fetch_add_explicit(counter, 1, memory_order_relaxed, memory_scope_device);
    order[place] = i; /* came */
    printf("%d is number %d\n", i, place);
}
