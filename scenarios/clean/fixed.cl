// The kernels of racy/fixes_that_fit.cl with the fixes suggested there.
kernel void counter(global atomic_int *c)
{
    atomic_fetch_add_explicit(c, 1, memory_order_relaxed, memory_scope_device);
}

kernel void bits(global atomic_uint *c, global char *d)
{
    atomic_fetch_or_explicit(c + (get_global_id(0) & 1), 1u << get_local_id(0), memory_order_relaxed, memory_scope_work_group);
    if (get_global_id(0) == 0)
        d[0] = 7;
}

kernel void reuse(global int *out)
{
    local int t[8];
    size_t l = get_local_id(0);
    for (int k = 0; k < 3; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = k;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 8; j++)
            out[l] += t[j];
    }
}

kernel void scan(local int *t)
{
    size_t l = get_local_id(0);
    t[l] = 1;
    for (int s = 1; s < 8; s <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int more = l >= s ? t[l - s] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] += more;
    }
}

kernel void once(global int *out)
{
    if (get_global_id(0) == 0)
        out[0] = 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_global_id(0) == 1)
        out[0] = 2;
}

kernel void halves(global int *d, global int *out)
{
    d[get_local_id(0)] = 3;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_local_id(0)] = d[(get_local_id(0) + 4) % 8];
}

kernel void copy(global int *d, global int *out)
{
    local int t[8];
    event_t e = async_work_group_copy(t, d, 8, 0);
    wait_group_events(1, &e);
    out[get_local_id(0)] = t[get_local_id(0)];
}

kernel void old(global int *n, global int *d)
{
    if (get_global_id(0) == 0) {
        d[0] = 1;
        atomic_fetch_add_explicit((global atomic_int *)n, 1, memory_order_release, memory_scope_device);
    } else if (get_global_id(0) == 1) {
        if (atomic_fetch_add_explicit((global atomic_int *)n, 0, memory_order_acquire, memory_scope_device))
            d[1] = d[0];
    }
}

kernel void guarded(global int *out)
{
    local int t[4];
    size_t l = get_local_id(0);
    for (int k = 0; k < 3; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < 4)
            t[l] = k;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[l] += t[3 - (l & 3)];
    }
}
