/* SPDX-License-Identifier: Apache-2.0 */
//! global 32 out int 288 out long 64 in int 128 in float 128
/* One pattern of bits in other shapes, and then used as what it became. */
kernel void test(global int *out, global long *wide, global const int4 *x, global const float4 *y)
{
    size_t i = get_global_id(0);
    int4 a = x[i];
    global int *o = out + 9 * i;
    char16 c = as_char16(a);
    short8 s = as_short8(a);
    o[0] = c.s0 + c.s5 * 3 + c.sa * 5 + c.sf * 7;
    o[1] = s.s0 + s.s3 * 3 + s.s7;
    o[2] = as_int(as_uchar4(a.y)) ^ as_int(as_short2(a.z).yx);
    o[3] = (int)(as_long2(a).y >> 16);
    o[4] = as_int(y[i].x) & 0x7fc00000 ? (int)as_uint(fabs(y[i].y)) : 7;
    o[5] = as_int4(as_char16(a).s3210ba98fedc7654).z;
    float f = as_float((a.x & 0x007fffff) | 0x41000000);
    o[6] = convert_int(f * 16.0f);
    o[7] = convert_int_rte(as_float((as_int(y[i].z) & 0x003fffff) | 0x42000000));
    o[8] = (int)(float)as_int(y[i].w * 0.0f == 0.0f ? y[i].w : 1.0f) + abs(as_int(y[i].w * 0.0f == 0.0f ? y[i].w : 1.0f));
    wide[2 * i] = as_long(as_int2(as_double(as_ulong(a.xy))));
    wide[2 * i + 1] = (long)as_double((as_long(a.zw) & 0x000fffffffffffff) | 0x40f0000000000000);
}
