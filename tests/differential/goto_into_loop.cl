/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out int 128 small int 64
/* A loop with two entries. */
kernel void test(global int *out, global const int *x)
{
    size_t i = get_global_id(0);
    int n = x[i], s = 0, t = 1;
    if (n & 1)
        goto middle;
top:
    s += n * 3;
    t ^= s;
middle:
    s += 1;
    t += n;
    if (--n > 0)
        goto top;
    out[2 * i] = s;
    out[2 * i + 1] = t;
}
