# SPDX-License-Identifier: Apache-2.0
# Kernels as courses have them, right and with one mistake, run by `orrery run kernel.cl` with what it makes of the signature.
# Nothing may be found in a right one; the mistake has to be found, as a finding of the kind that the row names.
# usage: student_kernels.py ORRERY WORK
import os, re, subprocess, sys

from student_kernels_more import BOUNDS_READ, BOUNDS_WRITE, GLOBAL, LOCAL, MORE, MORE_RIGHT, SAME, UNSET

# Name, the right kernel, what the mistake replaces and by what, the kind of the finding.
KERNELS = [
    ("saxpy", """
kernel void saxpy(int n, float a, global const float *x, global float *y)
{
    int i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}""", "i < n", "i <= n", BOUNDS_READ),
    ("add_guarded", """
kernel void add(global const float *a, global const float *b, global float *c, const unsigned int n)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    c[i] = a[i] + b[i];
}""", "i >= n", "i > n", BOUNDS_READ),
    ("add_unguarded", """
kernel void add(global const float *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}""", "    if (i < n)\n", "", BOUNDS_READ),
    ("bins_of_bytes", """
kernel void histogram(global const uchar *data, global uint *hist, int n)
{
    local uint bins[256];
    int l = get_local_id(0), i = get_global_id(0);
    for (int k = l; k < 256; k += get_local_size(0)) bins[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n) atomic_inc(&bins[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = l; k < 256; k += get_local_size(0)) atomic_add(&hist[k], bins[k]);
}""", "for (int k = l; k < 256; k += get_local_size(0)) bins[k] = 0;", "if (l < 64) bins[l] = 0;", UNSET),
    ("first_group_alone", """
kernel void label(global const int *in, global int *out, global int *head, int n)
{
    int i = get_global_id(0);
    if (get_group_id(0) == 0 && get_local_id(0) == 0)
        head[0] = n;
    if (i < n) out[i] = in[i] + 1;
}""", "get_group_id(0) == 0 && ", "", GLOBAL),
    ("grey_picture", """
kernel void grey(global const uchar4 *in, global uchar *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height) {
        uchar4 p = in[y * width + x];
        out[y * width + x] = p.x / 3 + p.y / 3 + p.z / 3;
    }
}""", "out[y * width + x]", "out[y * height + x]", BOUNDS_WRITE),
    ("sum_in_a_loop_body", """
kernel void rows(global const float *in, global float *out, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    for (int k = 0; k < 4; k++) {
        float sum = 0;
        for (int j = 0; j < n; j++) sum += in[j] * k;
        out[4 * i + k] = sum;
    }
}""", "float sum = 0;", "float sum; if (k == 0) sum = 0;", UNSET),
    ("add_exact", """
kernel void add(global const int *a, global const int *b, global int *c)
{
    int i = get_global_id(0);
    c[i] = a[i] + b[i];
}""", "c[i]", "c[i + 1]", BOUNDS_WRITE),
    ("structs", """
typedef struct { float4 p; float4 v; float mass; } Particle;
kernel void move(global Particle *p, float dt, int n)
{
    int i = get_global_id(0);
    if (i < n) p[i].p += p[i].v * dt;
}""", "i < n", "i <= n", BOUNDS_READ),
    ("attraction", """
typedef struct { float3 at; float mass; int id; } Body;
kernel void attract(global const Body *bodies, global float3 *force, int n)
{
    int i = get_global_id(0);
    float3 sum = (float3)(0);
    for (int j = 0; j < n; j++)
        sum += (bodies[j].at - bodies[i].at) * bodies[j].mass;
    force[i] = sum;
}""", "j < n", "j <= n", BOUNDS_READ),
    ("neighbours", """
kernel void neighbours(global const float *in, global float *out, int n)
{
    int i = get_global_id(0);
    if (i > 0 && i < n - 1)
        out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
    else if (i < n)
        out[i] = in[i];
}""", "i > 0 && i < n - 1", "i > 0 && i < n", BOUNDS_READ),
    ("difference", """
kernel void difference(global const float *in, global float *out, int n)
{
    int i = get_global_id(0);
    if (i + 1 < n)
        out[i] = in[i + 1] - in[i];
}""", "i + 1 < n", "i < n", BOUNDS_READ),
    ("stencil_2d", """
kernel void stencil(global const float *in, global float *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= 1 && x < width - 1 && y >= 1 && y < height - 1)
        out[y * width + x] = 0.25f * (in[y * width + x - 1] + in[y * width + x + 1] +
                                      in[(y - 1) * width + x] + in[(y + 1) * width + x]);
}""", "y < height - 1", "y <= height - 1", BOUNDS_READ),
    ("jacobi_local", """
kernel void jacobi(global const float *in, global float *out, int n)
{
    local float tile[66];
    int g = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
    tile[l + 1] = g < n ? in[g] : 0;
    if (l == 0)
        tile[0] = g > 0 ? in[g - 1] : 0;
    if (l == size - 1)
        tile[size + 1] = g + 1 < n ? in[g + 1] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g < n)
        out[g] = (tile[l] + tile[l + 1] + tile[l + 2]) / 3;
}""", "    barrier(CLK_LOCAL_MEM_FENCE);\n", "", LOCAL),
    ("transpose", """
kernel void transpose(global const float *in, global float *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        out[x * height + y] = in[y * width + x];
}""", "y < height", "y <= height", BOUNDS_READ),
    ("transpose_tile", """
#define TILE 16
kernel void transpose(global const float *in, global float *out, int n)
{
    local float tile[TILE][TILE + 1];
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    if (x < n && y < n)
        tile[ly][lx] = in[y * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    int tx = get_group_id(1) * TILE + lx, ty = get_group_id(0) * TILE + ly;
    if (tx < n && ty < n)
        out[ty * n + tx] = tile[lx][ly];
}""", "    barrier(CLK_LOCAL_MEM_FENCE);\n", "", LOCAL),
    ("matmul", """
kernel void matmul(global const float *a, global const float *b, global float *c, int n)
{
    int row = get_global_id(1), column = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}""", "k < n", "k <= n", BOUNDS_READ),
    ("matmul_mnk", """
kernel void matmul(const int M, const int N, const int K, global const float *A, global const float *B, global float *C)
{
    const int row = get_global_id(0), column = get_global_id(1);
    if (row < M && column < N) {
        float acc = 0.0f;
        for (int k = 0; k < K; k++)
            acc += A[row * K + k] * B[k * N + column];
        C[row * N + column] = acc;
    }
}""", "float acc = 0.0f", "float acc", UNSET),
    ("matmul_tiled", """
#define TS 16
kernel void matmul(const int M, const int N, const int K, const global float *A, const global float *B, global float *C)
{
    const int row = get_local_id(0), col = get_local_id(1);
    const int globalRow = TS * get_group_id(0) + row, globalCol = TS * get_group_id(1) + col;
    local float Asub[TS][TS], Bsub[TS][TS];
    float acc = 0.0f;
    for (int t = 0; t < K / TS; t++) {
        Asub[col][row] = A[(TS * t + col) * M + globalRow];
        Bsub[col][row] = B[globalCol * K + TS * t + row];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TS; k++)
            acc += Asub[k][row] * Bsub[col][k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[globalCol * M + globalRow] = acc;
}""", "        barrier(CLK_LOCAL_MEM_FENCE);\n        for", "        for", LOCAL),
    ("matvec", """
kernel void matvec(global const float *a, global const float *x, global float *y, int n)
{
    int row = get_global_id(0);
    if (row < n) {
        float sum = 0;
        for (int j = 0; j < n; j++)
            sum += a[row * n + j] * x[j];
        y[row] = sum;
    }
}""", "j < n", "j <= n", BOUNDS_READ),
    ("matvec_rows_columns", """
kernel void matvec(global const float *a, global const float *x, global float *y, int rows, int columns)
{
    int row = get_global_id(0);
    if (row >= rows)
        return;
    float sum = 0;
    for (int j = 0; j < columns; j++)
        sum += a[row * columns + j] * x[j];
    y[row] = sum;
}""", "float sum = 0", "float sum", UNSET),
    ("reduction", """
kernel void reduce(global const float *in, global float *out, local float *part, int n)
{
    int g = get_global_id(0), l = get_local_id(0);
    part[l] = g < n ? in[g] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (l < s)
            part[l] += part[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = part[0];
}""", "g < n ? in[g] : 0", "in[g]", BOUNDS_READ),
    ("reduction_plain", """
kernel void reduce(global const int *in, global int *out, local int *part)
{
    int l = get_local_id(0);
    part[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 1; s < get_local_size(0); s *= 2) {
        if (l % (2 * s) == 0)
            part[l] += part[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = part[0];
}""", "        barrier(CLK_LOCAL_MEM_FENCE);\n", "", LOCAL),
    ("reduction_stride", """
kernel void reduce(global const int *in, global int *out, int n)
{
    local int part[64];
    int l = get_local_id(0), sum = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        sum += in[i];
    part[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        for (int i = 1; i < get_local_size(0); i++)
            sum += part[i];
        atomic_add(&out[0], sum);
    }
}""", "i < n", "i <= n", BOUNDS_READ),
    ("dot", """
kernel void dot_product(global const float *a, global const float *b, global float *partial, local float *scratch, uint count)
{
    uint i = get_global_id(0), l = get_local_id(0);
    scratch[l] = i < count ? a[i] * b[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = get_local_size(0) / 2; half_size; half_size /= 2) {
        if (l < half_size)
            scratch[l] += scratch[l + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (!l)
        partial[get_group_id(0)] = scratch[0];
}""", "l < half_size", "l <= half_size", LOCAL),
    ("histogram", """
kernel void histogram(global const uchar *data, global uint *bins, int n)
{
    int i = get_global_id(0);
    if (i < n)
        atomic_inc(&bins[data[i]]);
}""", "atomic_inc(&bins[data[i]])", "bins[data[i]]++", GLOBAL),
    ("histogram_local", """
#define BINS 256
kernel void histogram(global const uchar *data, global uint *bins, uint n)
{
    local uint counts[BINS];
    for (uint b = get_local_id(0); b < BINS; b += get_local_size(0))
        counts[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&counts[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = get_local_id(0); b < BINS; b += get_local_size(0))
        atomic_add(&bins[b], counts[b]);
}""", "b < BINS; b += get_local_size(0))\n        counts", "b <= BINS; b += get_local_size(0))\n        counts", BOUNDS_WRITE),
    ("scan_hillis_steele", """
kernel void scan(global const int *in, global int *out, local int *a, local int *b)
{
    int l = get_local_id(0), size = get_local_size(0);
    a[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < size; d *= 2) {
        b[l] = l >= d ? a[l] + a[l - d] : a[l];
        barrier(CLK_LOCAL_MEM_FENCE);
        local int *t = a;
        a = b;
        b = t;
    }
    out[get_global_id(0)] = a[l];
}""", "l >= d ? a[l] + a[l - d] : a[l]", "a[l] + a[l - d]", BOUNDS_READ),
    ("scan_blelloch", """
kernel void scan(global const int *in, global int *out, local int *t, int n)
{
    int l = get_local_id(0), offset = 1;
    t[l] = l < n ? in[l] : 0;
    for (int d = get_local_size(0) / 2; d > 0; d /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d)
            t[offset * (2 * l + 2) - 1] += t[offset * (2 * l + 1) - 1];
        offset *= 2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        t[get_local_size(0) - 1] = 0;
    for (int d = 1; d < get_local_size(0); d *= 2) {
        offset /= 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) {
            int left = offset * (2 * l + 1) - 1, right = offset * (2 * l + 2) - 1, was = t[left];
            t[left] = t[right];
            t[right] += was;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_group_id(0) == 0 && l < n)
        out[l] = t[l];
}""", "t[offset * (2 * l + 2) - 1] +=", "t[offset * (2 * l + 2)] +=", LOCAL),
    ("convolution_1d", """
kernel void convolve(global const float *in, constant float *mask, global float *out, int n, int mask_width)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    float sum = 0;
    int start = i - mask_width / 2;
    for (int j = 0; j < mask_width; j++)
        if (start + j >= 0 && start + j < n)
            sum += in[start + j] * mask[j];
    out[i] = sum;
}""", "start + j < n", "start + j <= n", BOUNDS_READ),
    ("convolution_2d", """
kernel void convolve(global const float *in, global float *out, constant float *filter, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int sx = clamp(x + dx, 0, width - 1), sy = clamp(y + dy, 0, height - 1);
            sum += in[sy * width + sx] * filter[(dy + 1) * 3 + dx + 1];
        }
    out[y * width + x] = sum;
}""", "clamp(y + dy, 0, height - 1)", "clamp(y + dy, 0, height)", BOUNDS_READ),
    ("blur_image", """
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void blur(read_only image2d_t in, write_only image2d_t out)
{
    int x = get_global_id(0), y = get_global_id(1);
    float4 sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += read_imagef(in, nearest, (int2)(x + dx, y + dy));
    write_imagef(out, (int2)(x, y), sum / 9);
}""", "(int2)(x, y)", "(int2)(x - 1, y)", BOUNDS_WRITE),
    ("grayscale", """
kernel void gray(global const uchar4 *in, global uchar *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height) {
        uchar4 p = in[y * width + x];
        out[y * width + x] = (uchar)(0.3f * p.x + 0.59f * p.y + 0.11f * p.z);
    }
}""", "x < width && y < height", "x < width", BOUNDS_READ),
    ("mandelbrot", """
kernel void mandelbrot(global int *out, int width, int height, float scale, int max_iterations)
{
    int px = get_global_id(0), py = get_global_id(1);
    if (px >= width || py >= height)
        return;
    float x0 = px * scale - 2, y0 = py * scale - 1, x = 0, y = 0;
    int i = 0;
    while (x * x + y * y <= 4 && i < max_iterations) {
        float t = x * x - y * y + x0;
        y = 2 * x * y + y0;
        x = t;
        i++;
    }
    out[py * width + px] = i;
}""", "x = 0, y = 0", "x, y", "uninitialised-branch"),
    ("nbody", """
kernel void forces(global const float4 *position, global float4 *force, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    float4 f = 0;
    for (int j = 0; j < n; j++) {
        float4 d = position[j] - position[i];
        float r = dot(d.xyz, d.xyz) + 0.01f;
        f += d * (position[j].w / (r * sqrt(r)));
    }
    force[i] = f;
}""", "j < n", "j <= n", BOUNDS_READ),
    ("bitonic_sort", """
kernel void bitonic(global int *data, int stage, int pass)
{
    int i = get_global_id(0), partner = i ^ pass;
    if (partner > i) {
        bool up = (i & stage) == 0;
        int a = data[i], b = data[partner];
        if ((a > b) == up) {
            data[i] = b;
            data[partner] = a;
        }
    }
}""", "if (partner > i)", "if (partner != i)", GLOBAL),
    ("odd_even_sort", """
kernel void step(global int *data, int n)
{
    int i = 2 * get_global_id(0);
    if (i + 1 < n && data[i] > data[i + 1]) {
        int t = data[i];
        data[i] = data[i + 1];
        data[i + 1] = t;
    }
}""", "i + 1 < n", "i < n", BOUNDS_READ),
    ("prefix_max", """
kernel void running_max(global const int *in, global int *out, int n)
{
    int i = get_global_id(0);
    if (i < n) {
        int best = in[0];
        for (int j = 1; j <= i; j++)
            best = max(best, in[j]);
        out[i] = best;
    }
}""", "j <= i", "j <= n", BOUNDS_READ),
    ("reverse", """
kernel void reverse(global const int *in, global int *out, int n)
{
    int i = get_global_id(0);
    if (i < n)
        out[n - 1 - i] = in[i];
}""", "out[n - 1 - i]", "out[n - i]", BOUNDS_WRITE),
    ("rotate_local", """
kernel void rotate_group(global const int *in, global int *out)
{
    local int t[64];
    int l = get_local_id(0), n = get_local_size(0);
    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[(l + 1) % n];
}""", "t[(l + 1) % n]", "t[l + 1]", BOUNDS_READ),
    ("sum_atomic", """
kernel void sum(global const int *in, global int *total, int n)
{
    int i = get_global_id(0);
    if (i < n)
        atomic_add(total, in[i]);
}""", "atomic_add(total, in[i])", "*total += in[i]", GLOBAL),
    ("vector_add4", """
kernel void add4(global const float4 *a, global const float4 *b, global float4 *c, int n)
{
    int i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}""", "i < n", "i <= n", BOUNDS_READ),
    ("find", """
kernel void find(global const int *in, volatile global int *found, int n)
{
    int i = get_global_id(0);
    if (i < n && in[i] > 0)
        atomic_min(found, i);
}""", "atomic_min(found, i)", "*found = i", GLOBAL),
    ("gather", """
kernel void gather(global const float *in, global const int *index, global float *out, int n)
{
    int i = get_global_id(0);
    if (i < n)
        out[i] = in[index[i]];
}""", "in[index[i]]", "in[index[i + 1]]", BOUNDS_READ),
    ("monte_carlo", """
kernel void pi(global uint *seeds, global int *inside, int rounds)
{
    int i = get_global_id(0), hits = 0;
    uint s = seeds[i];
    for (int r = 0; r < rounds; r++) {
        s = s * 1664525u + 1013904223u;
        float x = (s >> 8) / 16777216.0f;
        s = s * 1664525u + 1013904223u;
        float y = (s >> 8) / 16777216.0f;
        hits += x * x + y * y < 1;
    }
    seeds[i] = s;
    inside[i] = hits;
}""", "hits = 0", "hits", UNSET),
    ("game_of_life", """
kernel void life(global const uchar *in, global uchar *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1), alive = 0;
    if (x >= width || y >= height)
        return;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                alive += in[(y + dy + height) % height * width + (x + dx + width) % width];
    uchar was = in[y * width + x];
    out[y * width + x] = alive == 3 || (was && alive == 2);
}""", "(y + dy + height) % height * width", "(y + dy) * width", BOUNDS_READ),
    ("laplace_3d", """
kernel void laplace(global const float *in, global float *out, int nx, int ny, int nz)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1)
        return;
    int i = (z * ny + y) * nx + x;
    out[i] = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny] - 6 * in[i];
}""", "z >= nz - 1", "z >= nz", BOUNDS_READ),
    ("barrier_in_if", """
kernel void shift(global const int *in, global int *out, local int *t, int n)
{
    int g = get_global_id(0), l = get_local_id(0);
    t[l] = g < n ? in[g] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g < n)
        out[g] = t[get_local_size(0) - 1 - l];
}""", "    t[l] = g < n ? in[g] : 0;\n", "    if (g >= n) return;\n    t[l] = in[g];\n", "barrier-divergence"),
    ("pitch_is_larger", """
kernel void scale(global float *image, int width, int height, int pitch, float factor)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        image[y * pitch + x] *= factor;
}""", "y < height", "y <= height", BOUNDS_READ),
    ("spmv", """
kernel void spmv(global const int *row_ptr, global const int *col, global const float *val,
                 global const float *x, global float *y, int n)
{
    int row = get_global_id(0);
    if (row < n) {
        float sum = 0;
        for (int j = row_ptr[row]; j < row_ptr[row + 1]; j++)
            sum += val[j] * x[col[j]];
        y[row] = sum;
    }
}""", "row < n", "row <= n", BOUNDS_READ),
    ("spmv_length", """
kernel void spmv(global const uint *ptr, global const int *col, global const float *val,
                 global const float *x, global float *y, int n)
{
    int r = get_global_id(0);
    if (r >= n)
        return;
    int begin = ptr[r], length = ptr[r + 1] - begin;
    float s = 0;
    for (int k = 0; k < length; k++)
        s += val[begin + k] * x[col[begin + k]];
    y[r] = s;
}""", "k < length", "k <= length", BOUNDS_READ),
    ("from", """
kernel void shifted(global int *a, int from)
{
    int i = get_global_id(0);
    if (i < from)
        return;
    a[i] = i;
}""", "a[i]", "a[i + 1]", BOUNDS_WRITE),
    ("slice", """
kernel void slice(global const int *src, global int *dst, uint begin, uint end)
{
    uint i = get_global_id(0);
    if (i >= begin && i < end)
        dst[i - begin] = src[i];
}""", "dst[i - begin]", "dst[begin]", GLOBAL),
    ("blur_radius", """
kernel void blur(global const uchar *in, global uchar *out, int width, int height, int radius)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < radius || y < radius || x >= width - radius || y >= height - radius)
        return;
    int sum = 0, count = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) {
            sum += in[(y + dy) * width + x + dx];
            count++;
        }
    out[y * width + x] = sum / count;
}""", "sum = 0, count", "sum, count", UNSET),
    ("smooth_radius", """
kernel void smooth(global const float *in, global float *out, int n, int r)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    if (i >= r && i < n - r) {
        float s = 0;
        for (int k = -r; k <= r; k++)
            s += in[i + k];
        out[i] = s / (2 * r + 1);
    } else
        out[i] = in[i];
}""", "i < n - r", "i < n", BOUNDS_READ),
    ("compact", """
kernel void compact(global const int *in, global int *out, global int *count, int n)
{
    int i = get_global_id(0);
    if (i < n && in[i] > 0)
        out[atomic_inc(count)] = in[i];
}""", "atomic_inc(count)", "(*count)++", GLOBAL),
    ("bfs", """
kernel void bfs(global const int *offsets, global const int *edges, global const int *reached, global int *next, int level, int n)
{
    int v = get_global_id(0);
    if (v >= n || reached[v] != level)
        return;
    for (int e = offsets[v]; e < offsets[v + 1]; e++)
        atomic_xchg(&next[edges[e]], level + 1);
}""", "atomic_xchg(&next[edges[e]], level + 1)", "next[edges[e]] = v", GLOBAL),
    ("invert", """
kernel void invert(global const uchar4 *in, global uchar4 *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h) {
        uchar4 p = in[y * w + x];
        out[y * w + x] = (uchar4)(255 - p.x, 255 - p.y, 255 - p.z, p.w);
    }
}""", "in[y * w + x]", "in[y * h + x]", BOUNDS_READ),
    ("threshold", """
kernel void threshold(global const uchar *in, global uchar *out, uchar limit, uint width, uint height)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    out[y * width + x] = in[y * width + x] > limit ? 255 : 0;
}""", "x >= width || y >= height", "x >= height || y >= width", BOUNDS_READ),
    ("rotate", """
kernel void rotate90(global const int *in, global int *out, int rows, int columns)
{
    int row = get_global_id(0), column = get_global_id(1);
    if (row < rows && column < columns)
        out[column * rows + rows - 1 - row] = in[row * columns + column];
}""", "out[column * rows + rows", "out[column * columns + rows", BOUNDS_WRITE),
    ("halve", """
kernel void halve(global const float *in, global float *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height) {
        int at = 2 * y * 2 * width + 2 * x;
        out[y * width + x] = (in[at] + in[at + 1] + in[at + 2 * width] + in[at + 2 * width + 1]) / 4;
    }
}""", "2 * width + 1", "2 * width + 2", BOUNDS_READ),
    ("pack_rgb", """
kernel void pack(global const uchar *rgb, global uint *out, int count)
{
    int i = get_global_id(0);
    if (i >= count)
        return;
    uchar3 p = vload3(i, rgb);
    out[i] = p.x | p.y << 8 | p.z << 16;
}""", "vload3(i, rgb)", "vload3(i + 1, rgb)", BOUNDS_READ),
    ("radix_count", """
kernel void radix_count(global const uint *keys, global uint *counts, int n, int shift)
{
    local uint c[16];
    int l = get_local_id(0), g = get_global_id(0);
    if (l < 16) c[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g < n) atomic_inc(&c[(keys[g] >> shift) & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16) counts[l * get_num_groups(0) + get_group_id(0)] = c[l];
}""", "    if (l < 16) c[l] = 0;\n    barrier(CLK_LOCAL_MEM_FENCE);\n", "    if (l < 16) c[l] = 0;\n", LOCAL),
    ("segments", """
kernel void segments(global const int *start, global const float *v, global float *out, int segments)
{
    local float t[64];
    int s = get_group_id(0), l = get_local_id(0);
    if (s >= segments)
        return;
    float a = 0;
    for (int i = start[s] + l; i < start[s + 1]; i += get_local_size(0))
        a += v[i];
    t[l] = a;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        float q = 0;
        for (int i = 0; i < get_local_size(0); i++)
            q += t[i];
        out[s] = q;
    }
}""", "    barrier(CLK_LOCAL_MEM_FENCE);\n", "", LOCAL),
    ("life_around", """
kernel void life(global const uchar *in, global uchar *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h)
        return;
    int s = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                s += in[((y + dy + h) % h) * w + (x + dx + w) % w];
    out[y * w + x] = s == 3 || (s == 2 && in[y * w + x]);
}""", "(y + dy + h) % h", "(y + dy) % h", BOUNDS_READ),
]


# Right ones alone, of other shapes.
RIGHT = [
    ("constant_rows", """
#define ROW 1000
kernel void fill(global int *a, global const int *b)
{
    int i = get_global_id(0);
    for (int j = 0; j < ROW; j++)
        a[i * ROW + j] = b[i];
}"""),
    ("addsums", """
kernel void add_sums(global int *out, global const int *sums, int n)
{
    int g = get_global_id(0), b = get_group_id(0);
    if (b > 0 && g < n) out[g] += sums[b - 1];
}"""),
    ("box", """
kernel void box(global const float *in, global float *out, int n, int radius)
{
    int i = get_global_id(0);
    if (i >= n) return;
    float s = 0; int c = 0;
    for (int j = max(0, i - radius); j <= min(n - 1, i + radius); j++) { s += in[j]; c++; }
    out[i] = s / c;
}"""),
    ("colmajor", """
#define IDX(r, c, ld) ((c) * (ld) + (r))
kernel void gemm(int M, int N, int K, float alpha, global const float *A, int lda, global const float *B, int ldb, float beta, global float *C, int ldc)
{
    int r = get_global_id(0), c = get_global_id(1);
    if (r >= M || c >= N) return;
    float s = 0;
    for (int k = 0; k < K; k++) s += A[IDX(r, k, lda)] * B[IDX(k, c, ldb)];
    C[IDX(r, c, ldc)] = alpha * s + beta * C[IDX(r, c, ldc)];
}"""),
    ("cputime", """
kernel void busy(global int *out, int iterations)
{
    int i = get_global_id(0), s = 0;
    for (int k = 0; k < iterations; k++) s = s * 31 + k;
    out[i] = s;
}"""),
    ("dbl", """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void daxpy(ulong n, double a, global const double *x, global double *y)
{
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) y[i] += a * x[i];
}"""),
    ("floyd", """
kernel void floyd(global int *dist, int n, int k)
{
    int i = get_global_id(1), j = get_global_id(0);
    if (i < n && j < n && k < n) {
        int d = dist[i * n + k] + dist[k * n + j];
        if (i != k && j != k && d < dist[i * n + j])
            dist[i * n + j] = d;
    }
}"""),
    ("gauss", """
kernel void eliminate(global float *a, global float *b, int n, int k)
{
    int r = get_global_id(0) + k + 1, c = get_global_id(1);
    if (r >= n || c >= n || c <= k) return;
    a[r * n + c] -= a[r * n + k] * a[k * n + c];
}""", "c <= k", "c < k", GLOBAL),
    ("halo", """
kernel void halo(global const float *in, global float *out, local float *t, int n, int r)
{
    int g = get_global_id(0), l = get_local_id(0), L = get_local_size(0);
    t[l + 1] = g < n ? in[g] : 0;
    if (l == 0) t[0] = g > 0 && g <= n ? in[g - 1] : 0;
    if (l == L - 1) t[L + 1] = g + 1 < n ? in[g + 1] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g < n) out[g] = t[l] + t[l + 1] + t[l + 2];
}"""),
    ("hist2d", """
kernel void hist(global const uchar *image, int width, int height, global uint *bins)
{
    local uint t[256];
    int l = get_local_id(1) * get_local_size(0) + get_local_id(0), n = get_local_size(0) * get_local_size(1);
    for (int i = l; i < 256; i += n) t[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height) atomic_inc(&t[image[y * width + x]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < 256; i += n) atomic_add(&bins[i], t[i]);
}"""),
    ("imgguard", """
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void thr(read_only image2d_t in, write_only image2d_t out, float t)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    if (p.x < get_image_width(in) && p.y < get_image_height(in)) write_imagef(out, p, read_imagef(in, s, p).x > t ? 1.0f : 0.0f);
}"""),
    ("kmeans", """
kernel void assign(global const float2 *points, global const float2 *centers, global int *label, int n, int k)
{
    int i = get_global_id(0);
    if (i >= n) return;
    float best = INFINITY;
    int which = 0;
    for (int c = 0; c < k; c++) {
        float d = distance(points[i], centers[c]);
        if (d < best) { best = d; which = c; }
    }
    label[i] = which;
}"""),
    ("kmeans_aos", """
kernel void assign(global const float *points, global const float *centers, global int *label, int n, int k, int dim)
{
    int i = get_global_id(0);
    if (i >= n) return;
    float best = INFINITY;
    for (int c = 0; c < k; c++) {
        float d = 0;
        for (int j = 0; j < dim; j++) {
            float t = points[i * dim + j] - centers[c * dim + j];
            d += t * t;
        }
        if (d < best) { best = d; label[i] = c; }
    }
}"""),
    ("matvec_local", """
kernel void mv(global const float *A, global const float *x, global float *y, int M, int N, local float *work)
{
    int row = get_group_id(0), l = get_local_id(0);
    if (row >= M) return;
    float s = 0;
    for (int j = l; j < N; j += get_local_size(0)) s += A[row * N + j] * x[j];
    work[l] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = get_local_size(0) / 2; k; k >>= 1) { if (l < k) work[l] += work[l + k]; barrier(CLK_LOCAL_MEM_FENCE); }
    if (l == 0) y[row] = work[0];
}"""),
    ("merge", """
kernel void merge(global const int *a, global int *b, int n, int width)
{
    int i = get_global_id(0) * 2 * width;
    if (i >= n) return;
    int mid = min(i + width, n), end = min(i + 2 * width, n), l = i, r = mid;
    for (int k = i; k < end; k++)
        b[k] = l < mid && (r >= end || a[l] <= a[r]) ? a[l++] : a[r++];
}"""),
    ("offset", """
kernel void fill(global int *a, int offset, int count, int value)
{
    int i = get_global_id(0);
    if (i < count) a[offset + i] = value;
}"""),
    ("rgb", """
kernel void invert(global const uchar *in, global uchar *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        for (int c = 0; c < 3; c++)
            out[3 * (y * width + x) + c] = 255 - in[3 * (y * width + x) + c];
}"""),
    ("rng", """
uint next(uint s) { s ^= s << 13; s ^= s >> 17; return s ^ s << 5; }
kernel void roll(global uint *state, global float *out, uint count, uint per_item)
{
    uint i = get_global_id(0);
    if (i >= count) return;
    uint s = state[i];
    for (uint j = 0; j < per_item; j++) { s = next(s); out[j * count + i] = s / 4294967296.0f; }
    state[i] = s;
}"""),
    ("scan2", """
kernel void scan_blocks(global const int *in, global int *out, global int *sums, local int *temp, int n)
{
    int g = get_global_id(0), l = get_local_id(0), L = get_local_size(0);
    int pout = 0, pin = 1;
    temp[pout * L + l] = g < n ? in[g] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int o = 1; o < L; o <<= 1) {
        pout = 1 - pout; pin = 1 - pout;
        temp[pout * L + l] = l >= o ? temp[pin * L + l] + temp[pin * L + l - o] : temp[pin * L + l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (g < n) out[g] = temp[pout * L + l];
    if (l == L - 1) sums[get_group_id(0)] = temp[pout * L + l];
}"""),
    ("sobel", """
kernel void sobel(global const uchar *in, global uchar *out, const int w, const int h)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    int gx = in[(y-1)*w+x+1] + 2*in[y*w+x+1] + in[(y+1)*w+x+1] - in[(y-1)*w+x-1] - 2*in[y*w+x-1] - in[(y+1)*w+x-1];
    out[y*w+x] = gx > 255 ? 255 : gx;
}"""),
    ("transpose_pad", """
#define T 32
kernel void tr(global float *out, global const float *in, uint w, uint h)
{
    local float t[T * (T + 1)];
    uint x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h) t[get_local_id(1) * (T + 1) + get_local_id(0)] = in[y * w + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * get_local_size(1) + get_local_id(0); y = get_group_id(0) * get_local_size(0) + get_local_id(1);
    if (x < h && y < w) out[y * h + x] = t[get_local_id(0) * (T + 1) + get_local_id(1)];
}"""),
    ("vec3", """
kernel void norm3(global float3 *v, int n)
{
    int i = get_global_id(0);
    if (i < n) v[i] = normalize(v[i]);
}"""),
    ("vload3", """
kernel void norm3(global float *v, int n)
{
    int i = get_global_id(0);
    if (i < n) vstore3(normalize(vload3(i, v)), i, v);
}"""),
    ("wave3d", """
kernel void wave(global const float *u0, global const float *u1, global float *u2, const int nx, const int ny, const int nz, const float c)
{
    const int i = get_global_id(0), j = get_global_id(1), k = get_global_id(2);
    if (i <= 0 || j <= 0 || k <= 0 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1) return;
    const int s = nx * ny, at = k * s + j * nx + i;
    u2[at] = 2 * u1[at] - u0[at] + c * (u1[at - 1] + u1[at + 1] + u1[at - nx] + u1[at + nx] + u1[at - s] + u1[at + s] - 6 * u1[at]);
}"""),
]


def run(orrery, work, name, text):
    """The kinds of the findings, the exit status, and what was printed."""
    path = os.path.join(work, name + ".cl")
    with open(path, "w") as file:
        file.write(text.lstrip() + "\n")
    ran = subprocess.run([orrery, "run", path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, universal_newlines=True,
                         check=False)
    return re.findall(r"^orrery: (?:error|warning): ([a-z-]+)", ran.stderr, re.M), ran.returncode, ran.stderr


def main():
    orrery, work = sys.argv[1], sys.argv[2]
    failed = count = 0
    right = ""
    for name, text, *mistake in KERNELS + RIGHT + MORE + MORE_RIGHT:
        if text != SAME:
            right = text
            found, status, printed = run(orrery, work, name, right)
            count += 1
            if found or status != 0:
                failed += 1
                print("%s is right, and has %s, status %d\n%s" % (name, found or "no finding", status, printed))
        if not mistake:
            continue
        old, new, kind = mistake
        if right.count(old) != 1:
            sys.exit("%s: '%s' is there %d times" % (name, old, right.count(old)))
        found, status, printed = run(orrery, work, name + "_wrong", right.replace(old, new))
        count += 1
        if kind not in found or status != 66:
            failed += 1
            print("%s with '%s' has %s, status %d, expected %s\n%s" % (name, new, found or "no finding", status, kind, printed))
    print("%d kernels, %d failed" % (count, failed))
    sys.exit(failed != 0)


main()
