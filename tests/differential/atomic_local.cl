/* SPDX-License-Identifier: Apache-2.0 */
//! global 96 local 48 out int 24
kernel void test(global int *out)
{
    local int a[8];
    local uint u[4];
    int l = (int)get_local_id(0);
    if (l < 8)
        a[l] = l == 4 ? 1000 : 0;
    if (l < 4)
        u[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&a[0], l);
    atomic_inc(&a[1]);
    atomic_or(&a[2], 1 << (l & 15));
    atomic_xor(&a[3], l);
    atomic_min(&a[4], l + 20);
    atomic_max(&a[5], l ^ 21);
    if (atomic_cmpxchg(&a[6], 0, 1) == 0)
        atomic_add(&a[7], 77);
    atomic_max(&u[0], (uint)-l);
    atomic_add(&u[1 + (l & 1)], 2u);
    atomic_dec(&u[3]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 12)
        out[get_group_id(0) * 12 + l] = l < 8 ? a[l] : (int)u[l - 8];
}
