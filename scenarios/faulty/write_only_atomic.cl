/* SPDX-License-Identifier: Apache-2.0 */
kernel void add(global int *out)
{
    atomic_add(out, 1);
}

kernel void exchange(global int *out)
{
    atomic_xchg(out, 1);
}

kernel void compare(global int *out)
{
    atomic_cmpxchg(out, 0, 1);
}
