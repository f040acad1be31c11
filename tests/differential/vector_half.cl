/* SPDX-License-Identifier: Apache-2.0 */
//! global 16 out ushort 208 out float 112 in float 128 in half 128
/* half as a storage format: loads, stores, every rounding mode, the aligned forms. */
kernel void test(global half *out, global float *back, global const float *x, global const half *h)
{
    size_t i = get_global_id(0);
    float a = x[i];
    if (isnan(a))
        a = 3;
    vstore_half(a, i, out);
    vstore_half_rte(a * 1.0009765f, i, out + 16);
    vstore_half_rtz(a * 1.0009765f, i, out + 32);
    vstore_half_rtp(a * 0.001f, i, out + 48);
    vstore_half_rtn(a * 0.001f, i, out + 64);
    float4 v = vload4(i, x);
    v = select(v, (float4)(1.25f), isnan(v));
    vstore_half4(v, i, out + 80);
    vstorea_half4(v * 0.5f, i, out + 144);
    back[i] = vload_half(i, h);
    vstore2(vload_half2(i, h), i, back + 16);
    vstore4(vloada_half4(i, h), i, back + 48);
}
