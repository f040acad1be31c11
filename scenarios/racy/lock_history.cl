/* SPDX-License-Identifier: Apache-2.0 */
kernel void count(global int *sum, global atomic_int *lock)
{
    for (int turn = 0; turn < 480; turn++) {
        bool done = false;
        while (!done) {
            int expected = 0;
            if (atomic_compare_exchange_weak_explicit(lock, &expected, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device)) {
                sum[turn] += 1;
                done = true;
                if (turn == 479 && get_global_id(0) == 44)
                    atomic_store_explicit(lock, 0, memory_order_relaxed, memory_scope_device);
                else
                    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
            }
        }
    }
}
