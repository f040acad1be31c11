/* SPDX-License-Identifier: Apache-2.0 */
kernel void k(global int *a, global int *log)
{
    int i = get_global_id(0);
    for (int n = 0; n < 3; n++) {
        int v = a[0];
        a[0] = v + 1;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    int o = atomic_inc(&log[0]);
    log[1 + o] = i;
}
