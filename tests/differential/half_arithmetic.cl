/* SPDX-License-Identifier: Apache-2.0 */
//! self global 64 out int 384 in half 64 in half 64
/* Half arithmetic is float arithmetic rounded once, as float has more than twice the bits. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF
bool same(half a, float b) { half store[1]; vstore_half_rte(b, 0, store); return as_ushort(a) == as_ushort(store[0]) || (isnan((float)a) && isnan(b)); }
kernel void test(global int *ok, global const half *x, global const half *y)
{
    size_t i = get_global_id(0);
    half a = x[i], b = y[i];
    float p = vload_half(i, x), q = vload_half(i, y);
    global int *o = ok + 6 * i;
    o[0] = same(a + b, p + q) && same(a - b, p - q) && same(a * b, p * q);
    o[1] = same(a / b, p / q) && same(-a, -p) && same(sqrt(a), sqrt(p));
    o[2] = (a < b) == (p < q) && (a <= b) == (p <= q) && (a == b) == (p == q) && (a != b) == (p != q) && isnan(a) == isnan(p) && (a > b) == (p > q);
    o[3] = ((float)a == p || isnan(p)) && same(fabs(a), fabs(p)) && same(floor(a), floor(p)) && same(fmax(a, b), fmax(p, q));
    half4 v = (half4)(a, b, a, b) * (half4)(b, a, b, a);
    o[4] = same(v.x, p * q) && same(v.w, q * p) && same(convert_half((short)i), (float)i) && convert_int_rte((half)2.5h) == 2 && convert_int_rtp((half)2.25h) == 3;
    o[5] = isnan(p) || isinf(p) || convert_int_sat_rtz(a) == convert_int_sat_rtz(p);
}
