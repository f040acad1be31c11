// SPDX-License-Identifier: Apache-2.0
kernel void mark(global int *a)
{
    a[get_global_id(0)] = (int)get_group_id(0);
}

kernel void sum(global const int *a, global int *out)
{
    int total = 0;
    for (int i = 0; i < 16; i++)
        total += a[get_global_id(0) * 16 + i];
    out[get_global_id(0) * 16] = total;
}
