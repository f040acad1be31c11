/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 local 32 out int 64 small int 64
kernel void test(global int *out, global const int *x)
{
    local int a[32];
    size_t i = get_global_id(0), l = get_local_id(0);
    a[l] = x[i];
    for (int step = 1; step < 32; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int t = l >= step ? a[l - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[l] += t;
        if (l == 5)
            for (int k = 0; k < x[i]; k++)
                a[l] += k;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a[31 - l];
}
