/* SPDX-License-Identifier: Apache-2.0 */
//! global 16 out int 64 out float 64 out char 64 out int 64 in int 64 in float 64 in char 64
kernel void test(global int4 *a, global float4 *b, global char4 *c, global int *d, global const int4 *x, global const float4 *y, global const char4 *z)
{
    size_t i = get_global_id(0), j = 15 - i;
    a[i] = select(x[i], x[j], x[i] ^ x[j]) + (x[i] < 0 ? x[j] : 5) + bitselect(x[i], x[j], (int4)(0x00ff00ff));
    b[i] = select(y[i], y[j], x[i]) + bitselect((float4)(1.0f), (float4)(2.0f), as_float4(x[i]));
    c[i] = select(z[i], z[j], z[i] > z[j]) + (z[i] ? z[j] : (char4)(3));
    d[4 * i] = any(x[i] < 0);
    d[4 * i + 1] = all(x[i] >= x[j]);
    d[4 * i + 2] = any(isnan(y[i])) + 2 * all(y[i] == y[i]);
    d[4 * i + 3] = any(z[i]) + all(z[i]);
}
