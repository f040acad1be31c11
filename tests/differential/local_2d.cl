/* SPDX-License-Identifier: Apache-2.0 */
//! global 26 22 local 13 11 out int 572 in int 572
/* A transposed tile of odd size. */
kernel void test(global int *out, global const int *x)
{
    local int tile[11][13];
    int lx = (int)get_local_id(0), ly = (int)get_local_id(1), gx = (int)get_global_id(0), gy = (int)get_global_id(1), w = (int)get_global_size(0);
    tile[ly][lx] = x[gy * w + gx];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int k = -1; k <= 1; k++)
        for (int m = -1; m <= 1; m++) {
            int a = ly + k, b = lx + m;
            if (a < 0 || b < 0 || a >= 11 || b >= 13)
                continue;
            sum += tile[a][b] * (k * 3 + m + 5);
        }
    out[gy * w + gx] = sum + tile[10 - ly][12 - lx];
}
