/* SPDX-License-Identifier: Apache-2.0 */
//! self global 96 local 32 out int 96 inout int 1 options -cl-std=CL2.0
global atomic_int total = ATOMIC_VAR_INIT(0);
global atomic_uint high;
global atomic_long wide;
kernel void test(global int *ok, global int *unused)
{
    local atomic_int a, b, c;
    local atomic_uint u;
    local atomic_flag flag;
    local int winners;
    int l = (int)get_local_id(0);
    if (l == 0) {
        atomic_init(&a, 0);
        atomic_init(&b, -1);
        atomic_init(&c, 0);
        atomic_init(&u, 5u);
        atomic_flag_clear(&flag);
        winners = 0;
        unused[0] = 1;
    }
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    int before = atomic_fetch_add(&a, 2);
    atomic_fetch_and_explicit(&b, ~(1 << (l & 15)), memory_order_relaxed);
    atomic_fetch_max(&u, (uint)l);
    atomic_fetch_or_explicit(&c, 1 << l, memory_order_acq_rel, memory_scope_work_group);
    if (!atomic_flag_test_and_set_explicit(&flag, memory_order_acquire, memory_scope_work_group))
        winners++;
    int expected = atomic_load(&a);
    for (int k = 0; k < 1000 && !atomic_compare_exchange_weak(&a, &expected, expected + 3); k++)
        ;
    atomic_fetch_add_explicit(&total, 1, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(&high, (uint)get_global_id(0), memory_order_relaxed);
    atomic_fetch_add(&wide, 1l << 33);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    ok[get_global_id(0)] = (before & 1) + 1 >= 1 && atomic_load(&a) == 32 * 5 && (uint)atomic_load(&b) == 0xffff0000u && atomic_load(&c) == -1 && atomic_load(&u) == 31 &&
                           winners == 1 && atomic_load(&total) > 0 && atomic_load_explicit(&high, memory_order_relaxed) <= 95 && atomic_load(&wide) >= 1l << 33;
}
