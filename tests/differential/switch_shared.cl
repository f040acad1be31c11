/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out int 192 small int 64
/* switch_shared.spvasm in OpenCL C. */
kernel void test(global uint *out, global const uint *x)
{
    size_t i = get_global_id(0);
    uint n = x[i];
    uint r, s, w;
    switch (n) {
    case 0: case 1: case 4: r = 5; s = 1; break;
    case 9: r = 20; s = 2; break;
    case 5: r = 15; s = 3; break;
    case 3: case 10: r = n * 3; s = 4; break;
    default: r = 1; s = 4;
    }
    switch ((ulong)n << 20) {
    case 1048576: w = 1; break;
    case 3145728: w = 3; break;
    default: w = 100;
    }
    out[3 * i] = r;
    out[3 * i + 1] = s;
    out[3 * i + 2] = w;
}
