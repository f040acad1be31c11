// The lanes that wait and the lanes that store run separately: a store may be loaded in the same iteration.
kernel void turns(global atomic_int *flag, global int *out, local int *t)
{
    int l = get_local_id(0), sum = 0;
    t[l] = 1;
    if (l < 4)
        while (!atomic_load_explicit(flag, memory_order_relaxed, memory_scope_work_group));
    else if (l == 4)
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 0; s < 4; s++) {
        if (l < 4)
            sum += t[l + 4];
        if (l >= 4)
            t[l] = s;
    }
    out[l] = sum;
}
