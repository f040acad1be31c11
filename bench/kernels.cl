/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of orrery-bench, by class. Contraction is off so that devices may agree to the bit. */
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* ---- stream ---- */

kernel void triad(float scale, global const float *left, global const float *right, global float *out)
{
    size_t i = get_global_id(0);
    out[i] = left[i] + scale * right[i];
}

kernel void soften(global const float *from, global float *to, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1), at = y * width + x;
    bool inside = x > 0 && y > 0 && x + 1 < width && y + 1 < height;
    float value = from[at];
    if (inside)
        value = 0.25f * value + 0.1875f * (from[at - 1] + from[at + 1] + from[at - width] + from[at + width]);
    to[at] = value;
}

/* ---- float, uniform loops ---- */

kernel void correlate(global const float *signal, global const float *probe, global float *out, int length)
{
    size_t i = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < length; k++)
        sum += signal[i + k] * probe[k];
    out[i] = sum;
}

kernel void potential(global const float4 *charges, global float *out, int count, float softness)
{
    int i = get_global_id(0);
    float4 me = charges[i];
    float sum = 0.0f;
    for (int k = 0; k < count; k++) {
        float4 other = charges[k];
        float x = other.x - me.x, y = other.y - me.y, z = other.z - me.z;
        sum += other.w / sqrt(x * x + y * y + z * z + softness);
    }
    out[i] = sum;
}

/* ---- local memory and barriers ---- */

kernel void transpose(global const float *from, global float *to, int width)
{
    local float tile[16][17];
    int x = get_local_id(0), y = get_local_id(1), column = get_group_id(0) * 16, row = get_group_id(1) * 16;
    tile[y][x] = from[(row + y) * width + column + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    to[(column + y) * width + row + x] = tile[x][y];
}

kernel void group_maximum(global const int *from, global int *out, local int *best)
{
    int at = get_local_id(0);
    best[at] = from[get_global_id(0)];
    for (int half_size = get_local_size(0) >> 1; half_size; half_size >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (at < half_size)
            best[at] = max(best[at], best[at + half_size]);
    }
    if (at == 0)
        out[get_group_id(0)] = best[0];
}

/* ---- divergent ---- */

kernel void julia(global int *out, int width, float step, int limit)
{
    int column = get_global_id(0), row = get_global_id(1), count = 0;
    float re = step * column - 1.6f, im = step * row - 1.2f;
    while (count < limit && re * re + im * im < 4.0f) {
        float next = re * re - im * im - 0.7885f;
        im = 2.0f * re * im + 0.15f;
        re = next;
        count++;
    }
    out[row * width + column] = count;
}

kernel void divisor(global const uint *left, global const uint *right, global uint *out)
{
    size_t i = get_global_id(0);
    uint a = left[i], b = right[i];
    while (b != 0) {
        uint rest = a % b;
        a = b;
        b = rest;
    }
    out[i] = a;
}

/* ---- mathematics ---- */

kernel void damped(global const float *time, global float *out, float rate)
{
    size_t i = get_global_id(0);
    float t = time[i];
    out[i] = exp(-rate * t) * sin(6.0f * t) + pow(t + 0.5f, 0.3f) * cos(2.0f * t) + log(1.0f + t);
}

/* ---- integers, private memory ---- */

kernel void scramble(global const uint *in, global uint *out, int rounds)
{
    size_t i = get_global_id(0);
    uint a = in[i], b = a ^ 0x9e3779b9u, c = ~a;
    for (int k = 0; k < rounds; k++) {
        a += b; c ^= a; c = rotate(c, 16u);
        b += c; a ^= b; a = rotate(a, 7u);
        c += a; b ^= c; b = rotate(b, 13u);
        a += (uint)k * 0x85ebca6bu;
    }
    out[i] = a ^ b ^ c;
}

kernel void tally(global const uint *in, global uint *out, int words)
{
    uchar counts[16];
    size_t i = get_global_id(0), items = get_global_size(0);
    for (int k = 0; k < 16; k++)
        counts[k] = 0;
    for (int w = 0; w < words; w++) {
        uint bits = in[w * items + i];
        for (int k = 0; k < 8; k++, bits >>= 4)
            counts[bits & 15]++;
    }
    uint sum = 0;
    for (int k = 0; k < 16; k++)
        sum = sum * 17 + counts[k];
    out[i] = sum;
}

/* ---- 64 bits, vectors ---- */

kernel void wide(global const ulong *in, global ulong *out, global double *mean, int rounds)
{
    size_t i = get_global_id(0);
    ulong state = in[i] | 1;
    double sum = 0.0;
    for (int k = 0; k < rounds; k++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        sum += (double)(state * 0x2545f4914f6cdd1dul >> 12) * 2.220446049250313e-16 - 0.5;
        state += mul_hi(state, (ulong)(k + 12345) << 40) % (ulong)(k + 7);
    }
    out[i] = state;
    mean[i] = sum / rounds;
}

float4 turn(float4 a, float4 b)
{
    return (float4)(a.w * b.xyz + b.w * a.xyz + a.yzx * b.zxy - a.zxy * b.yzx,
                    a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z);
}

kernel void quaternions(global const float4 *in, global float4 *out, int rounds)
{
    size_t i = get_global_id(0);
    float4 me = in[i], by = in[i].wzyx;
    for (int k = 0; k < rounds; k++) {
        me = turn(me, by) * 0.5f + by * 0.5f;
        by = by.yxwz;
    }
    out[i] = me;
}

/* ---- gather ---- */

kernel void pick(global const float *table, global const int *where, global float *out, int each)
{
    size_t i = get_global_id(0), items = get_global_size(0);
    float sum = 0.0f;
    for (int k = 0; k < each; k++)
        sum += table[where[k * items + i]];
    out[i] = sum;
}

kernel void ragged(global const int *first, global const float *values, global float *out)
{
    int i = get_global_id(0);
    float sum = 0.0f;
    for (int k = first[i]; k < first[i + 1]; k++)
        sum += values[k] * values[k];
    out[i] = sum;
}

/* ---- many launches ---- */

kernel void relax(global const float *from, global float *to, int last)
{
    int i = get_global_id(0);
    to[i] = i == 0 || i == last ? from[i] : 0.5f * (from[i - 1] + from[i + 1]);
}

/* ---- atomics ---- */

kernel void vote(global const uint *in, global uint *votes, int each)
{
    local uint here[64];
    int at = get_local_id(0);
    size_t items = get_global_size(0), i = get_global_id(0);
    if (at < 64)
        here[at] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < each; k++)
        atomic_add(&here[in[k * items + i] & 63], 1u + (in[k * items + i] >> 31));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (at < 64)
        atomic_add(&votes[at], here[at]);
}

kernel void guarded(global volatile int *locks, global volatile int *totals, int rounds)
{
    int place = get_group_id(0) & 1;
    for (int k = 0; k < rounds; k++) {
        bool done = false;
        while (!done) {
            if (atomic_cmpxchg(&locks[place], 0, 1) == 0) {
                totals[place] += k + 1;
                mem_fence(CLK_GLOBAL_MEM_FENCE);
                atomic_xchg(&locks[place], 0);
                done = true;
            }
        }
        atomic_max(&totals[2], (int)get_global_id(0) + k);
    }
}
