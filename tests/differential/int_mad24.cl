/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out int 256 small int 64 small int 64
kernel void test(global int *out, global const int *x, global const int *y)
{
    size_t i = get_global_id(0);
    out[4 * i] = mul24(x[i] * 1000 - 7000, y[i] - 8);
    out[4 * i + 1] = mad24(x[i] - 5, y[i] * 77, x[i]);
    out[4 * i + 2] = mul24((uint)x[i] * 100000, (uint)y[i]);
    out[4 * i + 3] = mad24((uint)x[i], (uint)y[i] * 1000, 5u) + upsample((short)x[i], (ushort)y[i]) + upsample((char)-x[i], (uchar)y[i]);
}
