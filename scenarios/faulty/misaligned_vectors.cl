/* SPDX-License-Identifier: Apache-2.0 */
typedef struct {
    float4 v;
} wide;

kernel void reads(global float *f, constant float *c, global half *h, local float *l, global float *out, int i)
{
    float own[12];
    for (int k = 0; k < 12; k++)
        own[k] = l[k] = k;
    float4 v = *(global float4 *)(f + 1);
    v += *(constant float4 *)(c + 2);
    v += *(local float4 *)(l + 1 + i);
    v += *(float4 *)(own + 1 + i);
    v += *(float4 *)(own + 5);
    v.xyz += *(global float3 *)(f + 2);
    v += vloada_half4(0, h + 1);
    v.xyz += vloada_half3(0, h + 2);
    v += ((global wide *)(f + 5))->v;
    v += *(global float4 *)(f + (i ? 1 : 4 * get_global_id(0) + 3));
    v.xy += ((global float4 *)(f + 1))->zw;
    out[4 * get_global_id(0) + 0] = v.x;
    out[4 * get_global_id(0) + 1] = v.y;
    out[4 * get_global_id(0) + 2] = v.z;
    out[4 * get_global_id(0) + 3] = v.w;
}

kernel void writes(global float *f, global half *h, local float *l, global float *out, int i)
{
    float own[12] = {0};
    *(global float4 *)(f + 1) = (float4)(1, 2, 3, 4);
    *(global float3 *)(f + 6) = (float3)(5, 6, 7);
    vstorea_half4((float4)(1, 2, 3, 4), 0, h + 1);
    *(local float4 *)(l + 1 + i) = (float4)(1);
    *(float4 *)(own + 2 + i) = (float4)(2);
    ((global float4 *)(f + 9))->xyz = (float3)(8, 9, 10);
    for (int k = 0; k < 4; k++)
        out[k] = l[k + 1] + own[k + 2];
}

/* Every index is constant. */
kernel void fixed(global float *out)
{
    float own[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    *(float4 *)(own + 2) = (float4)(out[0]);
    out[1] = own[1] + own[5];
}
