/* SPDX-License-Identifier: Apache-2.0 */
//! self global 500 local 250 out int 6500 small int 500 options -cl-std=CL2.0
kernel void test(global int *ok, global const int *x)
{
    int l = (int)get_local_id(0), n = (int)get_local_size(0), sum = 0, least = 99, most = -99, before = 0, low = 0x7fffffff, high = 0;
    size_t i = get_global_id(0);
    global const int *mine = x + get_group_id(0) * n;
    for (int k = 0; k < n; k++) {
        sum += mine[k];
        least = min(least, mine[k]);
        most = max(most, mine[k]);
        if (k < l)
            before += mine[k], low = min(low, mine[k]), high = max(high, mine[k]);
    }
    global int *o = ok + 13 * i;
    int v = x[i];
    o[0] = work_group_reduce_add(v) == sum;
    o[1] = work_group_reduce_min(v) == least && work_group_reduce_max(v) == most;
    o[2] = work_group_scan_exclusive_add(v) == before;
    o[3] = work_group_scan_inclusive_add(v) == before + v;
    o[4] = work_group_scan_exclusive_min(v) == low;
    o[5] = work_group_scan_inclusive_max((uint)v) == (uint)max(high, v);
    o[6] = work_group_all(v >= 0) && !work_group_all(v < 0) && work_group_any(l == n - 1) && !work_group_any(v > 20);
    o[7] = work_group_broadcast(v, n / 2) == mine[n / 2];
    o[8] = work_group_reduce_add(v * 0.5f) == sum * 0.5f;
    o[9] = work_group_reduce_add((long)v << 33) == (long)sum << 33;
    o[10] = work_group_scan_exclusive_max((double)v) == (l ? (double)high : -(double)INFINITY);
    o[11] = work_group_reduce_max(as_float(as_int((float)v))) == (float)most;
    int rounds = 0;
    for (int k = 0; k < work_group_reduce_max(v); k++)
        rounds += work_group_reduce_add(k == 0);
    o[12] = rounds == (most > 0 ? n : 0);
}
