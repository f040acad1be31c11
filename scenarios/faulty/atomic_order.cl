// Orders that the operations do not allow.
kernel void orders(global atomic_int *flag, global int *out)
{
    atomic_store_explicit(flag, 1, memory_order_acquire, memory_scope_device);
    atomic_store_explicit(flag, 1, memory_order_acq_rel, memory_scope_device);
    int seen = atomic_load_explicit(flag, memory_order_release, memory_scope_device);
    seen += atomic_load_explicit(flag, memory_order_acq_rel, memory_scope_device);
    out[0] = seen;
}
