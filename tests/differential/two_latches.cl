/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out int 192 small int 64
/* two_latches.spvasm in OpenCL C. */
kernel void test(global uint *out, global const uint *x)
{
    size_t i = get_global_id(0);
    uint n = x[i];
    uint k = 0, s = n, r, k0, s0;
    for (;;) {
        k0 = k;
        s0 = s;
        if (s & 1) {
            k = k + 2;
            s = s / 2;
            if (s < 3) {
                r = k * 10;
                break;
            }
        } else {
            k = k + 1;
            s = s * 3 + 1;
            if (k > 5) {
                r = s + 100;
                break;
            }
        }
    }
    out[3 * i] = r;
    out[3 * i + 1] = k0;
    out[3 * i + 2] = s0;
}
