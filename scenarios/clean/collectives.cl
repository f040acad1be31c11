/* SPDX-License-Identifier: Apache-2.0 */
__kernel void group(__global int *out)
{
    int i = get_local_id(0);
    out[i] = work_group_reduce_add(i) + 1000 * work_group_scan_inclusive_max(i % 3);
    out[8] = work_group_all(i < 8) + 2 * work_group_any(i == 9) + 4 * (work_group_broadcast(i, 5) == 5);
}
