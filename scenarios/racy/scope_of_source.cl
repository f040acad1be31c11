// SPDX-License-Identifier: Apache-2.0
// More synchronises here than is remembered.
static void be_busy(global atomic_int *counter)
{
    for (int i = 0; i < 4000; i++)
        atomic_fetch_add_explicit(counter, 1, memory_order_acq_rel, memory_scope_device);
}

kernel void updates(global atomic_int *busy, global atomic_int *x, global int *data)
{
    be_busy(&busy[get_group_id(0)]);
    if (get_global_id(0) == 0)
        atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_work_group);
    else if (get_group_id(0) == 1)
        atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_all_svm_devices);
}

kernel void message(global atomic_int *busy, global atomic_int *x, global int *data)
{
    be_busy(&busy[get_group_id(0)]);
    if (get_global_id(0) == 0) {
        *data = 1;
        atomic_store_explicit(x, 1, memory_order_release, memory_scope_all_svm_devices);
    } else if (get_local_id(0) == 1 && get_group_id(0) == 0) {
        while (!atomic_load_explicit(x, memory_order_acquire, memory_scope_work_group))
            ;
        *data += 1;
    }
}
