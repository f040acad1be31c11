/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out int 384 in int 64 in int 64 in long 64
/* A shift counts modulo the width of the promoted left operand. */
kernel void test(global int *out, global const int *x, global const int *y, global const long *z)
{
    size_t i = get_global_id(0);
    uint a = x[i];
    int s = x[i];
    out[6 * i] = a << y[i];
    out[6 * i + 1] = a >> y[i];
    out[6 * i + 2] = s >> y[i];
    out[6 * i + 3] = (int)((z[i] << y[i]) >> 32);
    out[6 * i + 4] = (int)(z[i] >> y[i]);
    out[6 * i + 5] = (int)((ulong)z[i] >> (y[i] & 127));
}
