/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out int 256 small int 64
kernel void test(global int *out, global const int *x)
{
    size_t i = get_global_id(0);
    char c[16];
    short s[8] = {1, 2, 3};
    long l[4];
    float f[5] = {0};
    int m[3][4] = {{1, 2}, {3}};
    for (int k = 0; k < 16; k++)
        c[k] = (char)(k * x[i] - 50);
    for (int k = 0; k < 8; k++)
        s[(k * 3) & 7] += c[k + x[i] % 8];
    for (int k = 0; k < 4; k++)
        l[k] = s[2 * k] * 1000000007l;
    f[x[i] % 5] = c[x[i]] * 0.5f;
    f[4] += f[0];
    m[x[i] % 3][x[i] & 3] += s[x[i] & 7];
    out[4 * i] = c[x[i]] + s[x[(i + 1) & 63] & 7];
    out[4 * i + 1] = (int)(l[x[i] & 3] >> 8);
    out[4 * i + 2] = (int)(f[4] * 4 + f[x[i] % 5]);
    out[4 * i + 3] = m[0][1] + m[1][0] * 10 + m[x[i] % 3][i & 3];
}
