/* SPDX-License-Identifier: Apache-2.0 */
/* Two kernels that nothing but a flag orders: the second acquires the release of the first (OpenCL 2.2 API, 3.3.6). */
global atomic_int ready = ATOMIC_VAR_INIT(0);

kernel void fill(global int *data)
{
    *data = 42;
    atomic_store_explicit(&ready, 1, memory_order_release, memory_scope_device);
}

kernel void twice(global int *data)
{
    if (atomic_load_explicit(&ready, memory_order_acquire, memory_scope_device))
        *data *= 2;
}
