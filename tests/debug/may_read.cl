/* Which writes a load may return: of the work-item's own, hidden ones, ones that race, ones that a release ordered. */
kernel void k(global int *data, global atomic_int *flag, global int *out, global atomic_int *count)
{
    local int part[2];
    int i = get_global_id(0), mine = get_local_id(0);
    if (i == 0) {
        data[0] = 10; /* hidden by the next one */
        data[0] = 11;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
        data[0] = 12; /* after the release: it races with what acquired it */
    }
    part[mine] = i; /* first */
    barrier(CLK_LOCAL_MEM_FENCE);
    part[mine] = i + 10; /* second */
    if (i == 2 && atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1)
        out[0] = data[0]; /* acquired */
    if (i == 3)
        out[1] = data[0]; /* nothing orders it */
    atomic_store_explicit(count, i + 20, memory_order_relaxed, memory_scope_device);
    if (i == 3)
        out[2] = atomic_load_explicit(count, memory_order_relaxed, memory_scope_device); /* count */
}
