/* Work-item 0 acquires, 1 stores, 3 releases: the second work-group takes the message of the first one, and two of it store. */
kernel void k(global int *data, global atomic_int *flag)
{
    const int i = get_local_id(0);
    if (i == 0)
        atomic_load_explicit(flag, memory_order_acquire, memory_scope_device);
    if (i == 1 || i == 1 + (int)get_group_id(0))
        data[0] = i;
    if (i == 3)
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
}
