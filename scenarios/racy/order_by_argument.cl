/* SPDX-License-Identifier: Apache-2.0 */
kernel void publish(global atomic_int *flag, global int *data, int order, int scope)
{
    if (get_global_id(0) == 0) {
        data[0] = 42;
        atomic_store_explicit(flag, 1, order, scope);
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 1) {
        data[1] = data[0];
    }
}

kernel void exchange(global atomic_int *flag, global int *data, int success, int failure)
{
    int expected = 0;
    if (get_global_id(0) == 0)
        data[0] = 42;
    if (!atomic_compare_exchange_strong_explicit(flag, &expected, 1, success, failure, memory_scope_device))
        data[1] = data[0];
}

/* Two pairs: the first work-item releases, the second does not. */
kernel void by_item(global atomic_int *flags, global int *data)
{
    const int i = get_global_id(0);
    if (i < 2) {
        data[i] = 42;
        atomic_store_explicit(&flags[i], 1, i == 0 ? memory_order_release : memory_order_relaxed, memory_scope_device);
    } else if (atomic_load_explicit(&flags[i - 2], memory_order_acquire, memory_scope_device) == 1) {
        data[i] = data[i - 2];
    }
}

#pragma OPENCL EXTENSION cl_ext_float_atomics : enable
kernel void subtract(global atomic_float *flag, global int *data, int order, int scope)
{
    if (get_global_id(0) == 0) {
        data[0] = 42;
        atomic_fetch_sub_explicit(flag, 1.0f, order, scope);
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == -1.0f) {
        data[1] = data[0];
    }
}
