/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out int 192 small int 64
/* irreducible_three.spvasm in OpenCL C. */
kernel void test(global uint *out, global const uint *x)
{
    size_t i = get_global_id(0);
    uint n = x[i];
    uint s, r = 0, keep = n * 7, old;
    switch (n % 3) {
    case 1: s = 5; goto B;
    case 2: s = 7; goto C;
    default: s = n;
    }
A:
    s += keep;
    r++;
    if (r >= 20)
        goto end;
    if (!(s & 1))
        goto C;
B:
    s = (s ^ keep) + r;
    r++;
    if (r < 20)
        goto A;
    goto end;
C:
    old = s;
    s *= 3;
    r += 2;
    if ((s & 4) && r < 20)
        goto B;
    if (r < 20) {
        s = old;
        r -= 2;
    }
end:
    out[3 * i] = s;
    out[3 * i + 1] = r;
    out[3 * i + 2] = keep;
}
