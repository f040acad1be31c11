/* SPDX-License-Identifier: Apache-2.0 */
//! global 32 out int 32 small int 32
kernel void test(global int *out, global const int *x)
{
    size_t i = get_global_id(0);
    int n = x[i], s = 0;
again:
    s += n;
    if (n & 1)
        goto odd;
    n /= 2;
    if (n == 0)
        goto end;
    goto again;
odd:
    n--;
    s += 100;
    if (s < 1000)
        goto again;
end:
    out[i] = s;
}
