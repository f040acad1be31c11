/* SPDX-License-Identifier: Apache-2.0 */
//! global 32 out uint 96 small int 32
/* One array seen through pointers to other types. */
kernel void test(global uint *out, global const int *x)
{
    size_t i = get_global_id(0);
    uint words[4];
    uchar *bytes = (uchar *)words;
    ushort *halves = (ushort *)words;
    for (int k = 0; k < 16; k++)
        bytes[k] = (uchar)(x[i] * k + k);
    halves[x[i] & 7] ^= 0x5555;
    ulong *wide = (ulong *)(words + 2 * (x[i] & 1));
    *wide += 0x100000000ul;
    out[3 * i] = words[x[i] & 3];
    out[3 * i + 1] = words[3] ^ words[1];
    out[3 * i + 2] = bytes[x[i]] | halves[3] << 8;
}
