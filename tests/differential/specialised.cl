/* SPDX-License-Identifier: Apache-2.0 */
//! global 16 out int 64 small int 16
/* specialised.spvasm in OpenCL C. */
kernel void test(global uint *out, global const uint *x)
{
    size_t i = get_global_id(0);
    uint n = x[i];
    out[4 * i] = 1 + n;
    out[4 * i + 1] = 100;
    out[4 * i + 2] = 63;
    out[4 * i + 3] = 9;
}
