/* SPDX-License-Identifier: Apache-2.0 */
struct entry { char tag; int number; float3 place; };

/* Three components are stored as four. */
__kernel void threes(__global float3 *p, __global float *q)
{
    int i = get_global_id(0);
    p[i] = (float3)(q[i], 2, 3);
    float3 v = p[i];
    v.x += 1;
    p[i] = v;
    q[i] = v.x + v.z;
}

/* Padding is copied and never looked at. */
__kernel void padding(__global struct entry *all, __global float *q)
{
    int i = get_global_id(0);
    __local struct entry kept[4];
    struct entry one;
    one.tag = 1;
    one.number = 2;
    one.place = (float3)(1, q[i], 3);
    all[i] = one;
    kept[i & 3] = all[i];
    one = kept[i & 3];
    q[i] = one.place.y + one.number;
}

/* Bytes that were never written are read, after a condition that excludes them. */
__kernel void kept_out(__global int *out, int n)
{
    int i = get_global_id(0), table[8], filled[8] = {1, 2, 3}, total = 0;
    uchar bytes[4];
    bool before;
    for (int k = 0; k < n; k++)
        table[k] = k;
    for (int k = 0; k < 8; k++)
        if (k < n && table[k] > 1)
            total += table[k];
    for (int k = 0; k < 4; k++)
        bytes[k] = k + n;
    if (i > 0)
        before = total > i;
    out[i] = total + filled[(i + n) & 7] + *(uint *)bytes + (i > 0 && before ? 1 : 0);
}
