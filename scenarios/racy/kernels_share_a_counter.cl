/* SPDX-License-Identifier: Apache-2.0 */
/* Two kernels that nothing orders count in one variable: that tells neither what the other did. */
global atomic_int counter = ATOMIC_VAR_INIT(0);

kernel void fill(global int *data)
{
    data[get_global_id(0)] = 42;
    atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
}

kernel void twice(global int *data)
{
    data[get_global_id(0)] *= 2;
    atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
}
