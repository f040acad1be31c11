// SPDX-License-Identifier: Apache-2.0
kernel void by_flag(global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        while (atomic_load(flag) == 0)
            ;
        out[0] = 1;
    } else if (get_local_id(0) == 4) {
        out[8] = 1;
        atomic_store(flag, 1);
    }
}

kernel void endless(global int *out)
{
    int x = out[1];
    while (x == 0) {
    }
    out[1] = 2;
}
