/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out int 192 small int 64
/* irreducible_kept.spvasm in OpenCL C. */
kernel void test(global uint *out, global const uint *x)
{
    size_t i = get_global_id(0);
    uint n = x[i];
    uint x1 = n, y = 7, r = 0, v, h, g, y2;
    if (!(n & 1))
        goto Y;
X:
    v = x1 * 3;
    h = x1;
    g = 0;
H:
    h += v;
    g++;
    if (g < (h & 3))
        goto H;
    y = h + v;
Y:
    y2 = y % 100;
    r++;
    if (r < n) {
        x1 = y2;
        goto X;
    }
    out[3 * i] = y;
    out[3 * i + 1] = y2;
    out[3 * i + 2] = r;
}
