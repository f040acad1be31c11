// SPDX-License-Identifier: Apache-2.0
kernel void later(global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        while (atomic_load(flag) == 0)
            ;
        out[0] = 1;
    } else if (get_global_id(0) == get_global_size(0) - 1) {
        atomic_store(flag, 1);
    }
}
