/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 local 16 out int 64 out float 64 small int 64 shared 128
kernel void test(global int *out, global float *f, global const int *x, local long *given)
{
    local char c[16];
    local short s[16][2];
    local float g[17];
    local double d[16];
    local int4 v[16];
    size_t i = get_global_id(0), l = get_local_id(0);
    c[l] = (char)(x[i] - 8);
    s[l][l & 1] = (short)(x[i] * 1000);
    s[l][1 - (l & 1)] = 5;
    g[l + 1] = x[i] * 0.25f;
    if (l == 0)
        g[0] = -1;
    d[15 - l] = x[i];
    v[l] = (int4)(x[i], l, 3, 4);
    given[l] = (long)x[i] << 40;
    barrier(CLK_LOCAL_MEM_FENCE);
    size_t k = (l * 7 + 3) & 15;
    out[i] = c[k] + s[k][0] + s[k][1] * 3 + v[k].x + v[15 - k].y + (int)(given[k] >> 38);
    f[i] = g[l] + (float)d[k];
}
