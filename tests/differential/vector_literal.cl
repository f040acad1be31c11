/* SPDX-License-Identifier: Apache-2.0 */
//! global 8 out int 128 out char 24 small int 8
kernel void test(global int *out, global char *bytes, global const int *x)
{
    size_t i = get_global_id(0);
    int a = x[i];
    int2 two = (int2)(a, a + 1);
    int3 three = (int3)(two, 7);
    int4 four = (int4)(three.yz, two);
    int8 eight = (int8)(four, (int3)(1, two), a * a);
    int16 all = (int16)(eight, four.wzyx, three, -1);
    all = all * 3 - (int16)(a);
    all.lo |= eight << 4;
    vstore16(all, i, out);
    char3 c = convert_char3(three) + (char)5;
    vstore3(c, i, bytes);
}
