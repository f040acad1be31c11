/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out int 512 in int 64 in short 64 in char 64
/* Division and remainder of mixed signs and widths, powers of two and constants. */
kernel void test(global int *out, global const int *x, global const short *y, global const char *z)
{
    size_t i = get_global_id(0);
    int a = x[i];
    uint u = a;
    int d = z[i] == 0 ? 7 : z[i] == -1 ? -7 : z[i];
    global int *o = out + 8 * i;
    o[0] = a / 8 + a % 8;
    o[1] = a / -8 + a % -8;
    o[2] = u / 10 + u % 10;
    o[3] = a / 10 - a % 10;
    o[4] = a / d;
    o[5] = a % d;
    o[6] = y[i] / d + (ushort)y[i] % (uint)d;
    o[7] = (int)((long)a * 1000003 / d) + (int)((ulong)u * 1000003 % (ulong)(uint)d);
}
