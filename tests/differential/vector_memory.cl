/* SPDX-License-Identifier: Apache-2.0 */
//! global 16 local 16 out int 160 out short 96 out float 96 in int 200 in float 64
/* vload and vstore at every width through global, local and private pointers, unaligned too. */
kernel void test(global int *out, global short *narrow, global float *f, global const int *x, global const float *y)
{
    local int shared[136];
    int own[12] = {0};
    size_t i = get_global_id(0);
    vstore8(vload8(i, x + 1), i, shared + 4);
    barrier(CLK_LOCAL_MEM_FENCE);
    int3 three = vload3(i, shared + 5);
    vstore3(three, 0, own);
    vstore4(vload4(i, x + 3), 1, own + 2);
    own[3] = vload2(i, x).y;
    vstore8(vload8(0, own) + (int8)(own[9 - 9]), i, out);
    vstore2(vload2(1, own + 3), i, out + 128);
    vstore3(convert_short3(three), i, narrow);
    vstore3(convert_short3_sat(vload4(0, own + 2).yzw), i, narrow + 48);
    vstore2(vload2(i, y).yx, i, f);
    vstore4(vload4(i, y), i, f + 32);
}
