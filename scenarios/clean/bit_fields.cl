/* SPDX-License-Identifier: Apache-2.0 */
#ifndef cl_khr_extended_bit_ops
#error the extension is there
#endif
kernel void fields(global int *o, global ulong *w, uint x, uint four, uint zero, uint whole)
{
    o[0] = bitfield_insert((int)0x12345678, (int)0xab, 8, four);  /* only b fits */
    o[1] = bitfield_insert((int)0x12345678, -1, 0, whole);
    o[2] = bitfield_insert((int)0x12345678, -1, 5, zero);
    o[3] = bitfield_extract_signed(x, 28, four);
    o[4] = (int)bitfield_extract_unsigned(x, 28, four);
    o[5] = bitfield_extract_signed(x, 0, whole) == (int)x;
    o[6] = bitfield_extract_signed(x, 3, zero);
    o[7] = bit_reverse((int)1);
    o[8] = bit_reverse((uchar)0x13);
    o[9] = bit_reverse((ushort)0x8001);
    w[0] = bit_reverse(0x1ul);
    w[1] = bitfield_insert(0ul, 0xffful, 40, 8);
    int2 v = bitfield_insert((int2)(0, -1), (int2)(5, 5), 4, 4);
    o[10] = v.x;
    o[11] = v.y;
}
