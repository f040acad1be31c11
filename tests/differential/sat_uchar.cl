/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out uchar 640 in uchar 64 in uchar 64
/* Saturating, halving and three-operand integer functions on uchar. */
typedef uchar T;
kernel void test(global T *out, global const T *x, global const T *y)
{
    size_t i = get_global_id(0);
    T a = x[i], b = y[i], c = x[63 - i];
    global T *o = out + 10 * i;
    o[0] = add_sat(a, b);
    o[1] = sub_sat(a, b);
    o[2] = hadd(a, b);
    o[3] = rhadd(a, b);
    o[4] = mad_sat(a, b, c);
    o[5] = mad_hi(a, b, c);
    o[6] = mul_hi(a, c);
    o[7] = (T)abs_diff(b, c);
    o[8] = bitselect(a, b, c);
    o[9] = select(a, b, (T)(c & 1));
}
