// Races whose fix is not a barrier between the two accesses, or one in a loop.
kernel void counter(global int *c) { c[0]++; }

kernel void bits(global uint *c, global char *d)
{
    c[get_global_id(0) & 1] |= 1u << get_local_id(0);
    d[0] = 7;
}

kernel void reuse(global int *out)
{
    local int t[8];
    size_t l = get_local_id(0);
    for (int k = 0; k < 3; k++) {
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
        if (l >= s)
            t[l] += t[l - s];
    }
}

kernel void once(global int *out)
{
    if (get_global_id(0) == 0)
        out[0] = 1;
    if (get_global_id(0) == 1)
        out[0] = 2;
}

kernel void halves(global int *d, global int *out)
{
    d[get_local_id(0)] = 3;
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_local_id(0)] = d[(get_local_id(0) + 4) % 8];
}

kernel void copy(global int *d, global int *out)
{
    local int t[8];
    event_t e = async_work_group_copy(t, d, 8, 0);
    out[get_local_id(0)] = t[get_local_id(0)];
    wait_group_events(1, &e);
}

kernel void old(global int *n, global int *d)
{
    if (get_global_id(0) == 0) {
        d[0] = 1;
        atomic_inc(n);
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
        if (l < 4)
            t[l] = k;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[l] += t[3 - (l & 3)];
    }
}

// Some may have left the loop when the others reach this place.
kernel void leaves(global int *out)
{
    local int t[8];
    size_t l = get_local_id(0);
    for (int k = 0; k < 3; k++) {
        t[l] = k;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (out[l] > 9)
            break;
        out[l] += t[7 - l];
    }
}

kernel void reset(global int *n)
{
    atomic_inc(n);
    if (get_global_id(0) == 3)
        n[0] = 0;
}
