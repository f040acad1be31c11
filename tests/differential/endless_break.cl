/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out int 128 small int 64
/* endless_break.spvasm in OpenCL C. */
kernel void test(global uint *out, global const uint *x)
{
    size_t i = get_global_id(0);
    uint n = x[i];
    uint k = 0, s = 1;
    for (;; k++) {
        if (s > 100)
            break;
        s = s * 2 + n;
        if (k == n)
            break;
    }
    out[2 * i] = s;
    out[2 * i + 1] = k;
}
