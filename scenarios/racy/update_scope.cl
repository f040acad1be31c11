/* SPDX-License-Identifier: Apache-2.0 */
kernel void count(global atomic_int *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed, memory_scope_work_group);
}
