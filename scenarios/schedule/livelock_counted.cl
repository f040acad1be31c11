/* SPDX-License-Identifier: Apache-2.0 */
#define SEEN(flag) atomic_load_explicit(flag, memory_order_acquire, memory_scope_device)

kernel void turns(global atomic_int *flag, global int *out)
{
    int n = 0;
    while (!SEEN(flag))
        n++;
    out[get_global_id(0)] = n;
}

kernel void lanes(global atomic_int *flag, global int *out)
{
    int n = 0;
    uint mixed = get_global_id(0);
    if (get_local_id(0) & 1)
        do {
            n += get_local_id(0);
            mixed = mixed * 1664525u + 1013904223u;
        } while (!SEEN(flag));
    out[get_global_id(0)] = n ^ (int)mixed;
}

kernel void tries(global atomic_int *lock, global int *out)
{
    int n = 0, expected = 0;
    while (!atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device)) {
        expected = 0;
        n++;
    }
    out[get_global_id(0)] = n;
}

kernel void nested(global atomic_int *flag, global int *out)
{
    int n = 0;
    for (int i = 0; i < 3; i++)
        while (SEEN(flag) != i)
            n += i;
    out[get_global_id(0)] = n;
}

/* ---- these end: their conditions change with every iteration ---- */

kernel void gives_up(global atomic_int *flag, global int *out)
{
    int n = 0, sum = 0;
    while (!SEEN(flag) && n < 30000) {
        n++;
        sum += n & 3;
    }
    out[get_global_id(0)] = n + sum;
}

kernel void gives_up_late(global atomic_int *flag, global int *out)
{
    uint state = 1, before = 0;
    while (!SEEN(flag)) {
        if ((before >> 15) == 77777)
            break;
        before = state;
        state = state * 1664525u + 1013904223u;
    }
    out[get_global_id(0)] = (before >> 15) == 77777;
}

kernel void rounds(global atomic_int *flag, global int *out)
{
    int n = 0;
    for (int i = 0; i < 200; i++)
        for (int k = 0; k < 200 && !SEEN(flag); k++)
            n++;
    out[get_global_id(0)] = n;
}

kernel void each_its_own(global atomic_int *flag, global int *out)
{
    int n = 0;
    while (!SEEN(flag) && n < 3000 * (int)get_local_id(0))
        n++;
    out[get_global_id(0)] = n;
}
