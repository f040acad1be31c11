/* SPDX-License-Identifier: Apache-2.0 */
//! self global 32 out int 224 small float 128 small float 128
bool near(float a, float b) { return fabs(a - b) <= 1e-5f * (1 + fabs(b)); }
kernel void test(global int *ok, global const float4 *x, global const float4 *y)
{
    size_t i = get_global_id(0);
    float4 a = x[i] - 3.0f, b = y[i] + 1.0f;
    global int *o = ok + 7 * i;
    float4 c = cross(a, b);
    o[0] = near(c.x, a.y * b.z - a.z * b.y) && near(c.y, a.z * b.x - a.x * b.z) && near(c.z, a.x * b.y - a.y * b.x) && c.w == 0;
    o[1] = near(dot(a, b), a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
    o[2] = near(length(a), sqrt(dot(a, a)));
    o[3] = near(distance(a, b), length(a - b));
    o[4] = near(length(normalize(b)), 1) && near(normalize(b).y * length(b), b.y);
    o[5] = near(fast_length(b.xyz), length(b.xyz)) && near(fast_distance(a.xy, b.xy), distance(a.xy, b.xy));
    o[6] = all(normalize((float2)(0)) == 0.0f) && dot(a.x, b.x) == a.x * b.x && near(fast_normalize(b.xyz).z, normalize(b.xyz).z);
}
