/* SPDX-License-Identifier: Apache-2.0 */
//! global 32 out int 96 small int 32
/* phi_cycle.spvasm in OpenCL C. */
kernel void test(global uint *out, global const uint *x)
{
    size_t i = get_global_id(0);
    uint n = x[i];
    uint a = n, b = 100, c = 7, d = 1, e = 2, a0, b0, c0, d0, e0;
    for (uint k = 0;; k++) {
        a0 = a, b0 = b, c0 = c, d0 = d, e0 = e;
        a = b0;
        b = c0;
        c = a0 + k;
        d = e0;
        e = d0;
        if (!(k < n))
            break;
    }
    out[3 * i] = a0;
    out[3 * i + 1] = b0 + c0 * 3;
    out[3 * i + 2] = d0 * 10 + e0;
}
