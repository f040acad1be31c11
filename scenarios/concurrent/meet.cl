/* SPDX-License-Identifier: Apache-2.0 */
/* Each announces itself and waits for the other. */
kernel void meet(global volatile atomic_int *here, int mine, int theirs)
{
    atomic_store_explicit(&here[mine], 1, memory_order_release, memory_scope_all_svm_devices);
    while (!atomic_load_explicit(&here[theirs], memory_order_acquire, memory_scope_all_svm_devices))
        ;
}

/* In which order the work-groups of two launches came. */
kernel void number(global volatile atomic_int *next, global int *order, int who)
{
    order[atomic_fetch_add(next, 1)] = who;
}

kernel void wait_for(global volatile atomic_int *here, int theirs)
{
    while (!atomic_load_explicit(&here[theirs], memory_order_acquire, memory_scope_all_svm_devices))
        ;
}

kernel void come(global volatile atomic_int *here, int mine)
{
    atomic_store_explicit(&here[mine], 1, memory_order_release, memory_scope_all_svm_devices);
}

kernel void fill(global int *a, int value)
{
    a[get_global_id(0)] = value;
}
