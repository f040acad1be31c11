// Each sub-group takes a ticket of its work-group, sub-group 0 first by right.
kernel void tickets(volatile global atomic_int *next, global int *taken)
{
    if (get_sub_group_local_id() == 0)
        taken[get_sub_group_id()] = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device);
}
