/* SPDX-License-Identifier: Apache-2.0 */
/* Two unordered kernels count in one variable: the counter orders nothing between them. */
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
