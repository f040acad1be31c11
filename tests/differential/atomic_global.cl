/* SPDX-License-Identifier: Apache-2.0 */
//! global 192 local 48 inout int 16 inout uint 16 inout float 2
/* Updates whose result does not depend on order. */
kernel void test(volatile global int *a, volatile global uint *u, volatile global float *f)
{
    int i = (int)get_global_id(0);
    atomic_add(&a[0], i);
    atomic_sub(&a[1], i * 3);
    atomic_inc(&a[2]);
    atomic_dec(&a[3]);
    atomic_min(&a[4], 50 - i);
    atomic_max(&a[5], i - 50);
    atomic_and(&a[6], ~(1 << (i & 15)));
    atomic_or(&a[7], 1 << (i & 31));
    atomic_xor(&a[8], 1 << (i % 31));
    if (i == 7)
        a[9] = atomic_xchg(&a[10], 1234);
    if (i < 40)
        atomic_cmpxchg(&a[11], a[12] * 0 - 1, 5);
    atomic_add(&u[0], i);
    atomic_min(&u[1], 0xfffffff0u + (uint)i % 16);
    atomic_max(&u[2], 0x80000000u + (uint)i);
    atomic_sub(&u[3], 0x7fffffff);
    if (i == 3)
        f[0] = atomic_xchg(&f[1], 2.5f);
}
