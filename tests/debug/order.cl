/* Edges of each kind: the work-item's own order, barriers for one memory or both, a release that is acquired. */
kernel void k(global int *data, global int *out, global atomic_int *flag, global const int *table)
{
    local int part[2];
    int i = get_global_id(0), mine = get_local_id(0);
    data[i] = table[i] * 2;
    part[mine] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = part[1 - mine]; /* local */
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i == 0)
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    if (i == 2 && atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1)
        out[4] = data[1]; /* acquired */
    for (int turn = 0; turn < 2; turn++)
        out[i] += turn; /* turn */
}
