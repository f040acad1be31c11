/* SPDX-License-Identifier: Apache-2.0 */
//! global 9 local 3 out int 3 in int 9
#define SIZE 3
kernel __attribute__((reqd_work_group_size(SIZE, 1, 1))) void test(global int *out, global const int *x)
{
    local int a[SIZE];
    int l = (int)get_local_id(0), n = SIZE;
    a[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    while (n > 1) {
        int middle = (n + 1) / 2;
        if (l + middle < n)
            a[l] += a[l + middle];
        n = middle;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = a[0];
}
