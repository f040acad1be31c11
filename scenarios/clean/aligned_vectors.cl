/* SPDX-License-Identifier: Apache-2.0 */
typedef struct __attribute__((packed)) {
    char tag;
    float4 v;
    int4 w[2];
} packed;
typedef struct {
    float x;
    float3 v;
    char8 c;
} padded;
typedef float4 __attribute__((aligned(4))) loose;

kernel void elements(global float *f, constant float *c, global half *h, local float *l, global float *out, int i)
{
    float own[12];
    for (int k = 0; k < 12; k++)
        own[k] = l[k] = k;
    float4 v = vload4(0, f + 1) + vload4(0, c + 3) + vload4(0, l + 1 + i) + vload4(0, own + 1 + i);
    v += vload_half4(0, h + 1) + vloada_half4(0, h + 4);
    v.xyz += vload3(0, f + 1) + vload_half3(0, h + 1) + vloada_half3(0, h + 4);
    v += *(global loose *)(f + 1) + *(loose *)(own + 1 + i);
    vstore4(v, 0, out + 1);
    vstore4(v, 0, own + 1 + i);
    vstore4(v, 0, l + 1 + i);
    vstore_half4(v, 0, h + 5);
    *(global loose *)(out + 5) = v + own[2] + l[2];
}

kernel void packs(global packed *p, global packed *q, global padded *s)
{
    const size_t i = get_global_id(0);
    q[i] = p[i];
    q[i].v = p[i].v + 1;
    q[i].v.y += p[i].v.z;
    q[i].w[1].yz = p[i].w[0].zw;
    packed own = p[i];
    own.v.xy += 1;
    q[i].w[0] = own.w[i % 2];
    s[i].v += (float3)(own.v.x);
    s[i].v.y = s[i].x;
    s[i].c.s67 = s[i].c.s01;
}

kernel void variables(global float *out, int i)
{
    char wide[128] __attribute__((aligned(128)));
    local char shared[128] __attribute__((aligned(128)));
    float16 *p = (float16 *)wide;
    float4 fixed[2] = {(float4)(1), (float4)(2)};
    p[i] = p[i + 1] = (float16)(3);
    *(local float16 *)shared = p[1 - i];
    vstore16(*(local float16 *)shared, 0, out + 1);
    ((float2 *)fixed)[1] = (float2)(4);
    out[0] = fixed[0].z;
}

/* A component has the alignment of what is accessed, whatever the vector has. */
kernel void parts(global float *f, int i)
{
    global float4 *p = (global float4 *)(f + 1);
    f[8] = p->x + p->y + (*p)[i];
    p->w = 2;
    ((global float4 *)(f + 8))->zw = ((global float4 *)f)[1].xy;
    ((global float4 *)(f + 2))->xy = ((global float4 *)f)[1].zw;
}
