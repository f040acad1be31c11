// SPDX-License-Identifier: Apache-2.0
kernel void all_wait(global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == get_global_size(0) - 1)
        atomic_store(flag, 1);
    else
        while (atomic_load(flag) == 0)
            ;
    out[get_global_id(0) & 7] = 1;
}

kernel void some_wait(global atomic_int *flag, global int *out)
{
    const size_t i = get_global_id(0);
    if (i == get_global_size(0) - 1)
        atomic_store(flag, 1);
    else if (i % 2 == 0)
        while (atomic_load(flag) == 0)
            ;
    out[i & 7] = 1;
}
