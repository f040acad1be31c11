/* SPDX-License-Identifier: Apache-2.0 */
//! global 8 out int 64 out uchar 128 out float 32 in int 64 in uint 64 in uchar 128 in float 32
kernel void test(global int8 *a, global uchar16 *b, global float4 *c, global const int8 *x, global const uint8 *m, global const uchar16 *z, global const float4 *y)
{
    size_t i = get_global_id(0), j = 7 - i;
    a[i] = shuffle(x[i], m[i]) + shuffle2(x[i].lo, x[j].hi, m[j]);
    b[i] = shuffle(z[i], z[j]) ^ shuffle2(z[i].lo, z[j].hi, z[(i + 1) & 7]);
    float2 two = y[i].xy;
    c[i] = shuffle(two, m[i].lo) ;
    if (isnan(c[i].x))
        c[i] = shuffle2(two, two, (uint4)(3, 2, 1, 0));
}
