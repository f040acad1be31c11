/* SPDX-License-Identifier: Apache-2.0 */
//! global 16 out short 128 out char 256 out ulong 64 in short 128 in char 256 in ulong 64
/* Vector shifts count modulo the element's width, also for narrow elements. */
kernel void test(global short8 *s, global char16 *c, global ulong4 *l, global const short8 *x, global const char16 *y, global const ulong4 *z)
{
    size_t i = get_global_id(0);
    s[i] = (x[i] << x[15 - i]) ^ (x[i] >> (short8)3);
    c[i] = (y[i] << y[15 - i]) ^ (y[i] >> y[(i + 3) & 15]);
    l[i] = (z[i] << z[15 - i]) ^ (z[i] >> z[(i + 5) & 15]);
}
