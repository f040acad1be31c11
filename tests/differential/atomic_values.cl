/* SPDX-License-Identifier: Apache-2.0 */
//! global 50 local 25 out int 50 inout int 1
/* What updates return: each ticket once. */
kernel void test(global int *seen, volatile global int *counter)
{
    if (get_global_id(0) == 0)
        ;
    int before = atomic_inc(counter);
    seen[(before + 50 - (before / 50) * 50) % 50] += 1;
}
