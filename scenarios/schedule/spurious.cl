// SPDX-License-Identifier: Apache-2.0
#define EXPLICIT(a, e, d) a, e, d, memory_order_acq_rel, memory_order_relaxed, memory_scope_device

kernel void tries_once(global atomic_int *places, global int *succeeded, global int *found)
{
    const int g = get_global_id(0);
    int expected = 0;
    succeeded[g] = atomic_compare_exchange_weak_explicit(EXPLICIT(&places[g], &expected, 1));
    found[g] = expected;
}

// Other functions, types and address spaces, expected values in shared memory, and orders that are known at run time only.
kernel void tries_otherwise(global atomic_int *places, global atomic_long *wide, global int *expected, global int *succeeded, int order)
{
    local atomic_int near[8];
    const int g = get_global_id(0);
    long zero = 0;
    atomic_init(&near[g], 0);
    int none = 0;
    succeeded[4 * g] = atomic_compare_exchange_weak(&places[g], &expected[g], 1);
    succeeded[4 * g + 1] = atomic_compare_exchange_weak_explicit(EXPLICIT(&wide[g], &zero, 1));
    succeeded[4 * g + 2] = atomic_compare_exchange_weak_explicit(EXPLICIT(&near[g], &none, 1)) + 2 * atomic_load(&near[g]);
    none = 1;
    succeeded[4 * g + 3] = atomic_compare_exchange_weak_explicit(&places[g], &none, 2, order ? memory_order_seq_cst : memory_order_relaxed, memory_order_relaxed, memory_scope_device);
}

kernel void tries_again(global atomic_int *sum)
{
    int expected = atomic_load(sum);
    while (!atomic_compare_exchange_weak_explicit(EXPLICIT(sum, &expected, expected + 1)))
        ;
}

kernel void strong(global atomic_int *places, global int *succeeded)
{
    const int g = get_global_id(0);
    int expected = 0;
    succeeded[g] = atomic_compare_exchange_strong_explicit(EXPLICIT(&places[g], &expected, 1));
}

// It is never released.
kernel void waits_for_ever(global atomic_int *lock)
{
    int expected = 0;
    while (!atomic_compare_exchange_weak_explicit(EXPLICIT(lock, &expected, 1)))
        expected = 0;
}

kernel void takes_in_turn(global atomic_int *lock, global int *sum)
{
    int expected = 0;
    while (!atomic_compare_exchange_weak_explicit(EXPLICIT(lock, &expected, 1)))
        expected = 0;
    *sum += 1;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}

// It reads the stored value; the plain read is after it, whether it succeeds or not.
kernel void failure_acquires_nothing(global atomic_int *flag, global int *data, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 5;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
        return;
    }
    int expected;
    do {
        expected = 1;
        atomic_compare_exchange_weak_explicit(EXPLICIT(flag, &expected, 2));
    } while (expected != 1);
    *out = *data;
}
