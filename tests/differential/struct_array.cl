/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 local 16 out int 64 inout float 256 small int 64
typedef struct { float4 position; float mass; int id; } body;
typedef struct { int key; char name[5]; float value; } record;
kernel void test(global int *out, global float *f, global const int *x)
{
    local record table[16];
    body own[4];
    size_t i = get_global_id(0), l = get_local_id(0);
    for (int k = 0; k < 4; k++) {
        own[k].position = (float4)(k, x[i], f[4 * i + k], 1);
        own[k].mass = k + 0.5f;
        own[k].id = k * x[i];
    }
    table[l].key = x[i];
    for (int k = 0; k < 5; k++)
        table[l].name[k] = (char)(x[i] * k);
    table[l].value = own[x[i] & 3].mass;
    barrier(CLK_LOCAL_MEM_FENCE);
    record r = table[15 - l];
    body *p = &own[x[i] & 3], *last = own + 3;
    out[i] = r.key * 1000 + r.name[l % 5] + (int)(r.value * 2) + (int)(last - p) + p->id;
    vstore4(p->position * last->mass, i, f);
}
