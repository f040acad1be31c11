/* SPDX-License-Identifier: Apache-2.0 */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define CALL(prefix, name) prefix##_##name

kernel void all(volatile global int *i, volatile global uint *u, volatile global float *f, volatile global long *l,
                volatile global ulong *ul, global int *of_group)
{
    local int own;
    const int me = get_global_id(0);
    if (get_local_id(0) == 0)
        own = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    CALL(atomic, add)(&i[0], me);
    CALL(atomic, sub)(&i[1], me);
    CALL(atomic, inc)(&i[2]);
    CALL(atomic, dec)(&i[3]);
    CALL(atomic, min)(&i[4], -me);
    CALL(atomic, max)(&i[5], me);
    CALL(atomic, cmpxchg)(&i[6], 0, 5);
    CALL(atomic, xchg)(&i[7], 3);
    CALL(atom, add)(&i[8], 2);
    CALL(atomic, min)(&u[0], 4u + me);
    CALL(atomic, max)(&u[1], 4000000000u - me);
    CALL(atomic, and)(&u[2], ~(1u << me));
    CALL(atomic, or)(&u[3], 1u << me);
    CALL(atomic, xor)(&u[4], 1u << me);
    CALL(atomic, xchg)(&f[0], 1.5f);
    CALL(atom, add)(&l[0], 1l << 33);
    CALL(atom, min)(&l[1], -(1l << 40) - me);
    CALL(atom, max)(&ul[0], (1ul << 63) + me);
    CALL(atomic, inc)(&own);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        of_group[get_group_id(0)] = own;
}

/* They have the device's scope: an atomic operation of that scope agrees with them. */
kernel void meet(volatile global int *count, global int *seen)
{
    atomic_add(count, 1);
    if (atomic_load_explicit((volatile global atomic_int *)count, memory_order_relaxed, memory_scope_device) > 0)
        seen[get_global_id(0)] = 1;
}
