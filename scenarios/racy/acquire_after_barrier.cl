/* An acquire by another work-item, after the place of a possible barrier, passes nothing on at that barrier. */
kernel void k(global int *a, global atomic_int *flag, global int *out)
{
    int l = get_local_id(0), g = get_global_id(0), v = g + 1;
    v += atomic_load_explicit(flag + 1, memory_order_acquire, memory_scope_device);
    if (l == 1) {
        a[0] = v;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    }
    if (l == 0)
        v += atomic_load_explicit(flag, memory_order_acquire, memory_scope_device);
    out[g] = v;
}
