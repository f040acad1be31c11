// Orders that the operations do not allow.
kernel void orders(global atomic_int *flag, global int *out)
{
    atomic_store_explicit(flag, 1, memory_order_acquire, memory_scope_device);
    atomic_store_explicit(flag, 1, memory_order_acq_rel, memory_scope_device);
    int seen = atomic_load_explicit(flag, memory_order_release, memory_scope_device);
    seen += atomic_load_explicit(flag, memory_order_acq_rel, memory_scope_device);
    int expected = 0;
    seen += atomic_compare_exchange_strong_explicit(flag, &expected, 1, memory_order_relaxed, memory_order_acquire, memory_scope_device);
    seen += atomic_compare_exchange_weak_explicit(flag, &expected, 1, memory_order_release, memory_order_seq_cst, memory_scope_device);
    seen += atomic_compare_exchange_strong_explicit(flag, &expected, 1, memory_order_acquire, memory_order_seq_cst, memory_scope_device);
    seen += atomic_compare_exchange_strong_explicit(flag, &expected, 2, memory_order_acq_rel, memory_order_acquire, memory_scope_device);
    seen += atomic_compare_exchange_weak_explicit(flag, &expected, 3, memory_order_release, memory_order_acquire, memory_scope_device);
    out[0] = seen;
}
