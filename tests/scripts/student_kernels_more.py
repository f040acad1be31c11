# SPDX-License-Identifier: Apache-2.0
# More kernels for student_kernels.py, by what tells their mistakes from right ones: numbers that differ from each other, the size of
# work-groups, and local ids. The rows are those of its table; SAME is the text of the row before.

BOUNDS_READ, BOUNDS_WRITE, UNSET = "out-of-bounds-read", "out-of-bounds-write", "uninitialised-store"
LOCAL, GLOBAL = "race-local", "race-global"
SAME = None

MORE = [
    # A size mixed up beside a third number.
    ("a_pitch", """
kernel void brighten(global uchar *image, int width, int height, int pitch, uchar by)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        image[y * pitch + x] = add_sat(image[y * pitch + x], by);
}""", "= add_sat(image[y * pitch + x]", "= add_sat(image[y * height + x]", GLOBAL),
    ("a_pitch_2", SAME, "image[y * pitch + x] =", "image[y * height + x] =", GLOBAL),
    ("a_pitch_3", SAME, "image[y * pitch + x] =", "image[x * pitch + y] =", GLOBAL),
    ("a_channels", """
kernel void invert(global const uchar *src, global uchar *dst, const int w, const int h, const int channels)
{
    const int col = get_global_id(0), row = get_global_id(1);
    if (col >= w || row >= h) return;
    const int base = (row * w + col) * channels;
    for (int c = 0; c < channels; c++)
        dst[base + c] = 255 - src[base + c];
}""", "row * w + col", "row * h + col", BOUNDS_READ),
    ("a_channels_2", SAME, "(row * w + col) * channels", "(row * w + col) * h", BOUNDS_READ),
    ("a_channels_3", SAME, "(row * w + col) * channels", "row * w + col * channels", GLOBAL),
    ("a_radius", """
kernel void box(global const float *in, global float *out, uint nx, uint ny, uint r)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x < r || y < r || x + r >= nx || y + r >= ny) return;
    float s = 0;
    for (uint j = y - r; j <= y + r; j++)
        for (uint i = x - r; i <= x + r; i++)
            s += in[j * nx + i];
    out[y * nx + x] = s / ((2 * r + 1) * (2 * r + 1));
}""", "j * nx + i", "j * ny + i", BOUNDS_READ),
    ("a_radius_2", SAME, "out[y * nx + x]", "out[y * ny + x]", BOUNDS_WRITE),
    ("a_radius_3", SAME, "x + r >= nx || y + r >= ny", "x + r >= ny || y + r >= nx", BOUNDS_READ),
    ("a_filter", """
kernel void convolve(const global float *image, constant float *filter, global float *result,
                     const int cols, const int rows, const int reach)
{
    int c = get_global_id(0), r = get_global_id(1);
    if (c >= cols || r >= rows) return;
    float acc = 0.0f;
    int side = 2 * reach + 1;
    for (int i = -reach; i <= reach; i++)
        for (int j = -reach; j <= reach; j++) {
            int rr = min(max(r + i, 0), rows - 1), cc = min(max(c + j, 0), cols - 1);
            acc += image[rr * cols + cc] * filter[(i + reach) * side + j + reach];
        }
    result[r * cols + c] = acc;
}""", "image[rr * cols + cc]", "image[rr * rows + cc]", BOUNDS_READ),
    ("a_filter_2", SAME, "result[r * cols + c]", "result[r * rows + c]", BOUNDS_WRITE),
    ("a_filter_3", SAME, "max(r + i, 0), rows - 1)", "max(r + i, 0), cols - 1)", BOUNDS_READ),
    ("a_mandel", """
kernel void mandel(global uint *pixels, const uint width, const uint height, const uint limit)
{
    const uint px = get_global_id(0), py = get_global_id(1);
    if (px >= width || py >= height) return;
    const float cr = 3.0f * px / width - 2.0f, ci = 2.0f * py / height - 1.0f;
    float zr = 0, zi = 0;
    uint n = 0;
    for (; n < limit && zr * zr + zi * zi < 4; n++) {
        const float t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
    }
    pixels[py * width + px] = n;
}""", "pixels[py * width + px]", "pixels[py * height + px]", BOUNDS_WRITE),
    ("a_mandel_2", SAME, "pixels[py * width + px]", "pixels[py * limit + px]", BOUNDS_WRITE),
    ("a_mandel_3", SAME, "px >= width || py >= height", "px >= height || py >= width", BOUNDS_WRITE),
    ("a_matmul3", """
kernel void mm(global const float *A, global const float *B, global float *C, int M, int N, int K)
{
    int col = get_global_id(0), row = get_global_id(1);
    if (row < M && col < N) {
        float s = 0;
        for (int k = 0; k < K; k++)
            s += A[row * K + k] * B[k * N + col];
        C[row * N + col] = s;
    }
}""", "k < K", "k < N", BOUNDS_READ),
    ("a_matmul3_2", SAME, "A[row * K + k]", "A[row * N + k]", BOUNDS_READ),
    ("a_matmul3_3", SAME, "A[row * K + k]", "A[row * M + k]", BOUNDS_READ),
    ("a_matmul_rc", """
__kernel void multiply(__global double *C, __global const double *A, __global const double *B, const unsigned m, const unsigned n, const unsigned p)
{
    size_t i = get_global_id(0);
    size_t j = get_global_id(1);
    if (i >= m || j >= p) return;
    double acc = 0.0;
    for (unsigned k = 0; k < n; ++k) acc += A[i * n + k] * B[k * p + j];
    C[i * p + j] = acc;
}""", "k < n", "k < p", BOUNDS_READ),
    ("a_matmul_rc_2", SAME, "A[i * n + k]", "A[i * m + k]", BOUNDS_READ),
    ("a_matmul_rc_3", SAME, "A[i * n + k]", "A[i * p + k]", BOUNDS_READ),
    ("a_layers", """
kernel void stack(global const short *volume, global int *sum, int width, int height, int slices)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    int s = 0;
    for (int z = 0; z < slices; z++)
        s += volume[(z * height + y) * width + x];
    sum[y * width + x] = s;
}""", "(z * height + y) * width + x", "(z * width + y) * height + x", BOUNDS_READ),
    ("a_layers_2", SAME, "(z * height + y) * width + x", "(z * width + y) * width + x", BOUNDS_READ),
    ("a_layers_3", SAME, "(z * height + y) * width + x", "(z * height + y) * height + x", BOUNDS_READ),
    ("a_offset", """
kernel void crop(global const uint *from, global uint *to, int w, int h, int pitch, int left)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h)
        to[y * w + x] = from[y * pitch + left + x];
}""", "to[y * w + x]", "to[y * h + x]", BOUNDS_WRITE),
    ("a_offset_2", SAME, "from[y * pitch + left + x]", "from[y * h + left + x]", BOUNDS_READ),
    ("a_offset_3", SAME, "x < w && y < h", "x < h && y < w", BOUNDS_WRITE),
    ("a_rowsum", """
kernel void mean(global const float *m, global float *mean, int rows, int cols, int stride)
{
    int r = get_global_id(0);
    if (r >= rows) return;
    float s = 0;
    for (int c = 0; c < cols; c++) s += m[r * stride + c];
    mean[r] = s / cols;
}""", "m[r * stride + c]", "m[r * rows + c]", BOUNDS_READ),
    ("a_rowsum_2", SAME, "r >= rows", "r >= stride", BOUNDS_READ),
    ("a_kmeans", """
kernel void nearest(global const float *points, global const float *centroids, global int *assigned,
                    int count, int clusters, int features)
{
    int p = get_global_id(0);
    if (p >= count) return;
    int best = 0;
    float least = FLT_MAX;
    for (int c = 0; c < clusters; c++) {
        float d = 0;
        for (int f = 0; f < features; f++) {
            float t = points[p * features + f] - centroids[c * features + f];
            d += t * t;
        }
        if (d < least) { least = d; best = c; }
    }
    assigned[p] = best;
}""", "points[p * features + f]", "points[p * clusters + f]", BOUNDS_READ),
    ("a_kmeans_2", SAME, "points[p * features + f]", "points[p * count + f]", BOUNDS_READ),
    ("a_kmeans_3", SAME, "centroids[c * features + f]", "centroids[c * clusters + f]", BOUNDS_READ),
    ("a_soa", """
kernel void nearest_soa(global const float *points, global const float *centroids, global int *assigned,
                    int count, int clusters, int features)
{
    int p = get_global_id(0);
    if (p < count) {
    int best = 0;
    float least = FLT_MAX;
    for (int c = 0; c < clusters; c++) {
        float d = 0;
        for (int f = 0; f < features; f++) {
            float t = points[f * count + p] - centroids[c * features + f];
            d += t * t;
        }
        if (d < least) { least = d; best = c; }
    }
    assigned[p] = best;
    }
}""", "points[f * count + p]", "points[p * count + f]", BOUNDS_READ),
    ("a_soa_2", SAME, "points[f * count + p]", "points[f * clusters + p]", BOUNDS_READ),
    ("a_soa_3", SAME, "points[f * count + p]", "points[f * features + p]", BOUNDS_READ),
    # Rows and columns in a launch of one dimension.
    ("b_div", """
kernel void scale_rows(global float *m, global const float *factor, int rows, int cols)
{
    int i = get_global_id(0);
    if (i < rows * cols) {
        int r = i / cols;
        m[i] *= factor[r];
    }
}""", "i < rows * cols", "i <= rows * cols", BOUNDS_READ),
    ("b_transpose", """
kernel void transpose(global const float *in, global float *out, int rows, int cols)
{
    int i = get_global_id(0);
    if (i >= rows * cols) return;
    int r = i / cols, c = i % cols;
    out[c * rows + r] = in[r * cols + c];
}""", "i / cols, c = i % cols", "i / rows, c = i % rows", BOUNDS_READ),
    ("b_transpose_2", SAME, "out[c * rows + r]", "out[c * cols + r]", BOUNDS_WRITE),
    ("b_addbias", """
kernel void add_bias(global float *a, constant float *bias, const uint height, const uint width)
{
    uint id = get_global_id(0);
    if (id >= width * height) return;
    a[id] += bias[id % width];
}""", "id >= width * height", "id >= width + height", BOUNDS_READ),
    ("b_addbias_2", SAME, "id >= width * height", "id > width * height", BOUNDS_READ),
    ("b_stencil", """
kernel void laplace(global const float *u, global float *v, int nx, int ny)
{
    int k = get_global_id(0);
    int x = k % nx, y = k / nx;
    if (y >= ny) return;
    if (x == 0 || y == 0 || x == nx - 1 || y == ny - 1)
        v[k] = u[k];
    else
        v[k] = 0.25f * (u[k - 1] + u[k + 1] + u[k - nx] + u[k + nx]);
}""", "u[k + nx]", "u[k + ny]", BOUNDS_READ),
    ("b_stencil_2", SAME, "y >= ny", "y > ny", BOUNDS_READ),
    ("b_rowloop", """
kernel void sum_rows(global const int *m, global int *sums, int rows, int cols)
{
    int row = get_global_id(0);
    if (row < rows) {
        int s = 0;
        for (int col = 0; col < cols; col++)
            s += m[row * cols + col];
        sums[row] = s;
    }
}""", "m[row * cols + col]", "m[row * rows + col]", BOUNDS_READ),
    ("b_rowloop_2", SAME, "m[row * cols + col]", "m[col * cols + row]", BOUNDS_READ),
    ("b_colloop", """
kernel void sum_cols(global const float *a, global float *s, int m, int n)
{
    int j = get_global_id(0);
    if (j >= n) return;
    float acc = 0;
    for (int i = 0; i < m; ++i) acc += a[i * n + j];
    s[j] = acc;
}""", "a[i * n + j]", "a[i * m + j]", BOUNDS_READ),
    ("b_colloop_2", SAME, "a[i * n + j]", "a[j * n + i]", BOUNDS_READ),
    ("b_matvec", """
kernel void matvec(global const float *A, global const float *x, global float *y, const int nrows, const int ncols)
{
    const int i = get_global_id(0);
    if (i < nrows) {
        float t = 0.f;
        for (int j = 0; j < ncols; ++j)
            t += A[i * ncols + j] * x[j];
        y[i] = t;
    }
}""", "A[i * ncols + j]", "A[i * nrows + j]", BOUNDS_READ),
    ("b_matvec_2", SAME, "A[i * ncols + j]", "A[j * ncols + i]", BOUNDS_READ),
    ("b_matmul1d", """
kernel void mm(global const float *a, global const float *b, global float *c, int m, int n, int k)
{
    int id = get_global_id(0);
    if (id >= m * n) return;
    int row = id / n, col = id % n;
    float s = 0;
    for (int t = 0; t < k; t++)
        s += a[row * k + t] * b[t * n + col];
    c[id] = s;
}""", "id / n, col = id % n", "id / m, col = id % m", BOUNDS_READ),
    ("b_matmul1d_2", SAME, "a[row * k + t]", "a[row * n + t]", BOUNDS_READ),
    ("b_groups", """
kernel void grey(global const uchar *rgb, global uchar *grey, unsigned int w, unsigned int h)
{
    size_t p = get_global_id(0);
    if (p >= (size_t)w * h) return;
    size_t y = p / w, x = p - y * w;
    grey[y * w + x] = (rgb[3 * (y * w + x)] + rgb[3 * (y * w + x) + 1] + rgb[3 * (y * w + x) + 2]) / 3;
}""", "grey[y * w + x]", "grey[y * h + x]", BOUNDS_WRITE),
    ("b_groups_2", SAME, "rgb[3 * (y * w + x)]", "rgb[3 * (y * h + x)]", BOUNDS_READ),
    ("b_flip", """
kernel void flip(global uchar4 *img, int width, int height)
{
    int i = get_global_id(0);
    int half_rows = height / 2;
    if (i >= half_rows * width) return;
    int y = i / width, x = i % width;
    int other = (height - 1 - y) * width + x;
    uchar4 t = img[i];
    img[i] = img[other];
    img[other] = t;
}""", "i / width", "i / height", GLOBAL),
    ("b_flip_2", SAME, "(height - 1 - y) * width", "(height - 1 - y) * height", BOUNDS_READ),
    ("b_upper", """
kernel void outer(global const float *u, global const float *v, global float *m, ulong rows, ulong cols)
{
    ulong g = get_global_id(0);
    for (ulong i = g; i < rows * cols; i += get_global_size(0))
        m[i] = u[i / cols] * v[i % cols];
}""", "i < rows * cols", "i <= rows * cols", BOUNDS_READ),
    # Local histograms and arrays, and the sizes of work-groups.
    ("c_if256", """
kernel void hist(global const uchar *data, global uint *result, uint n)
{
    local uint bins[256];
    uint lid = get_local_id(0), gid = get_global_id(0);
    if (lid < 256) bins[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (gid < n) atomic_inc(&bins[data[gid]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 256) atomic_add(&result[lid], bins[lid]);
}""", "if (lid < 256) bins[lid] = 0;", "if (lid < 64) bins[lid] = 0;", UNSET),
    ("c_plain256", """
kernel void histogram256(global const uchar *in, global int *out)
{
    local int h[256];
    h[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(h + in[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(out + get_local_id(0), h[get_local_id(0)]);
}""", "h[get_local_id(0)] = 0;", "if (get_local_id(0) == 0) h[0] = 0;", UNSET),
    ("c_required64", """
__attribute__((reqd_work_group_size(64, 1, 1)))
kernel void hist(global const uchar *data, global uint *result, uint n)
{
    local uint bins[256];
    uint lid = get_local_id(0), gid = get_global_id(0);
    for (uint b = lid; b < 256; b += 64) bins[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (gid < n) atomic_inc(&bins[data[gid]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = lid; b < 256; b += 64) atomic_add(&result[b], bins[b]);
}""", "for (uint b = lid; b < 256; b += 64) bins[b] = 0;", "if (lid < 256) bins[lid] = 0;", UNSET),
    ("c_mod", """
#define NBINS 16
kernel void hist16(global const int *v, global int *hist, int n)
{
    local int part[NBINS];
    const int t = get_local_id(0);
    if (t < NBINS) part[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&part[v[i] % NBINS]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < NBINS) atomic_add(&hist[t], part[t]);
}""", "if (t < NBINS) part[t] = 0;", "if (t < NBINS - 1) part[t] = 0;", UNSET),
    ("c_bins_arg", """
kernel void hist(global const uint *keys, global uint *hist, local uint *bins, uint n, uint nbins)
{
    uint l = get_local_id(0);
    for (uint b = l; b < nbins; b += get_local_size(0)) bins[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint i = get_global_id(0);
    if (i < n) atomic_inc(&bins[keys[i] % nbins]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = l; b < nbins; b += get_local_size(0)) atomic_add(&hist[b], bins[b]);
}""", "for (uint b = l; b < nbins; b += get_local_size(0)) bins[b]", "if (l < nbins) bins[l]", UNSET),
    ("c_wide", """
#define B 128
kernel void radix(global const uint *keys, global uint *counts, uint n, uint shift)
{
    local uint c[B];
    size_t l = get_local_id(0), g = get_global_id(0), L = get_local_size(0);
    for (size_t k = l; k < B; k += L) c[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g < n) atomic_inc(&c[(keys[g] >> shift) & (B - 1)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t k = l; k < B; k += L) counts[get_group_id(0) * B + k] = c[k];
}""", "for (size_t k = l; k < B; k += L) c[k]", "if (l < 32) c[l]", UNSET),
    ("c_2d", """
kernel void hist2d(global const uchar *img, int w, int h, global int *out)
{
    local int bins[256];
    int l = get_local_id(1) * get_local_size(0) + get_local_id(0), L = get_local_size(0) * get_local_size(1);
    for (int b = l; b < 256; b += L) bins[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h) atomic_inc(&bins[img[y * w + x]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int b = l; b < 256; b += L) atomic_add(&out[b], bins[b]);
}""", "for (int b = l; b < 256; b += L) bins[b]", "if (l < 64) bins[l]", UNSET),
    ("c_array32", """
kernel void sum32(global const float *in, global float *out)
{
    local float s[32];
    int l = get_local_id(0);
    s[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 16; k > 0; k /= 2) {
        if (l < k) s[l] += s[l + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = s[0];
}""", "        barrier(CLK_LOCAL_MEM_FENCE);\n", "", LOCAL),
    ("c_array256", """
#define WG 256
kernel void sum256(global const int *in, global int *out, int n)
{
    local int s[WG];
    int l = get_local_id(0), g = get_global_id(0);
    s[l] = g < n ? in[g] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = WG / 2; k > 0; k >>= 1) {
        if (l < k) s[l] += s[l + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = s[0];
}""", "        barrier(CLK_LOCAL_MEM_FENCE);\n", "", LOCAL),
    ("c_array128", """
kernel void scan128(global const uint *a, global uint *b)
{
    local uint t[2][128];
    uint l = get_local_id(0), w = 0;
    t[0][l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint o = 1; o < 128; o *= 2) {
        t[1 - w][l] = l >= o ? t[w][l] + t[w][l - o] : t[w][l];
        w = 1 - w;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    b[get_global_id(0)] = t[w][l];
}""", "l >= o ? t[w][l] + t[w][l - o] : t[w][l]", "t[w][l] + t[w][l - o]", BOUNDS_READ),
    ("c_halo18", """
#define N 16
kernel void blur(global const float *in, global float *out, int n)
{
    local float t[N + 2];
    int g = get_global_id(0), l = get_local_id(0);
    t[l + 1] = g < n ? in[g] : 0;
    if (l == 0) t[0] = g > 0 && g <= n ? in[g - 1] : 0;
    if (l == N - 1) t[N + 1] = g + 1 < n ? in[g + 1] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g < n) out[g] = (t[l] + t[l + 1] + t[l + 2]) / 3;
}""", "t[N + 2]", "t[N + 1]", BOUNDS_WRITE),
    # Kernels that use local ids, or the numbers of work-groups.
    ("d_copy", """
kernel void copy(global const float *src, global float *dst, int n)
{
    int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    if (i < n) dst[i] = src[i];
}""", "    if (i < n) ", "    ", BOUNDS_READ),
    ("d_copy_2", SAME, "i < n", "i <= n", BOUNDS_READ),
    ("d_segsum", """
kernel void seg(global const float *v, global float *sums, int segments, int len)
{
    local float p[64];
    int s = get_group_id(0), l = get_local_id(0);
    if (s >= segments) return;
    float a = 0;
    for (int j = l; j < len; j += 64) a += v[s * len + j];
    p[l] = a;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        for (int k = 1; k < 64; k++) a += p[k];
        sums[s] = a;
    }
}""", "s >= segments", "s > segments", BOUNDS_READ),
    ("d_segsum_2", SAME, "s * len + j", "s * segments + j", BOUNDS_READ),
    ("d_tile", """
#define TS 16
kernel void transpose(global const float *a, global float *b, int w, int h)
{
    local float t[TS][TS + 1];
    int lx = get_local_id(0), ly = get_local_id(1);
    int x = get_group_id(0) * TS + lx, y = get_group_id(1) * TS + ly;
    if (x < w && y < h) t[ly][lx] = a[y * w + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    int tx = get_group_id(1) * TS + lx, ty = get_group_id(0) * TS + ly;
    if (tx < h && ty < w) b[ty * h + tx] = t[lx][ly];
}""", "if (x < w && y < h) ", "", BOUNDS_READ),
    ("d_tile_2", SAME, "if (tx < h && ty < w) ", "", BOUNDS_WRITE),
    ("d_matmul", """
#define T 16
kernel void mm(global const float *A, global const float *B, global float *C, int M, int N, int K)
{
    local float a[T][T], b[T][T];
    int lx = get_local_id(0), ly = get_local_id(1);
    int col = get_group_id(0) * T + lx, row = get_group_id(1) * T + ly;
    float s = 0;
    for (int k0 = 0; k0 < K; k0 += T) {
        a[ly][lx] = row < M && k0 + lx < K ? A[row * K + k0 + lx] : 0;
        b[ly][lx] = col < N && k0 + ly < K ? B[(k0 + ly) * N + col] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < T; k++) s += a[ly][k] * b[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < M && col < N) C[row * N + col] = s;
}""", "row < M && k0 + lx < K ?", "row < M ?", BOUNDS_READ),
    ("d_matmul_2", SAME, "row < M && k0 + lx < K ?", "k0 + lx < K ?", BOUNDS_READ),
    ("d_image", """
kernel void tile_mean(global const uchar *img, global float *means, uint w, uint h)
{
    local uint sum;
    uint x = get_global_id(0), y = get_global_id(1);
    if (get_local_id(0) == 0 && get_local_id(1) == 0) sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < w && y < h) atomic_add(&sum, img[y * w + x]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && get_local_id(1) == 0)
        means[get_group_id(1) * get_num_groups(0) + get_group_id(0)] = sum / 64.0f;
}""", "x < w && y < h", "x < w", BOUNDS_READ),
    ("d_image_2", SAME, "get_group_id(1) * get_num_groups(0) + get_group_id(0)", "get_group_id(1) + get_group_id(0)", GLOBAL),
    ("d_reverse", """
kernel void reverse_blocks(global const int *in, global int *out, local int *t, const int count)
{
    int base = get_group_id(0) * get_local_size(0), l = get_local_id(0), L = get_local_size(0);
    int valid = min(L, count - base);
    if (l < valid) t[l] = in[base + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < valid) out[base + valid - 1 - l] = t[l];
}""", "    if (l < valid) t[l]", "    t[l]", BOUNDS_READ),
    ("d_reverse_2", SAME, "    if (l < valid) out", "    out", UNSET),
    ("d_firsts", """
kernel void firsts(global const int *in, global int *first, int blocks)
{
    int b = get_group_id(0);
    if (get_local_id(0) == 0 && b < blocks) first[b] = in[b * get_local_size(0)];
}""", "get_local_id(0) == 0 && ", "", GLOBAL),
    ("d_firsts_2", SAME, "b < blocks", "b <= blocks", BOUNDS_WRITE),
    ("d_blocksum", """
kernel void block_sums(global const uint *data, global uint *sums, local uint *s, uint n)
{
    uint l = get_local_id(0), L = get_local_size(0), i = get_group_id(0) * L * 2 + l;
    s[l] = (i < n ? data[i] : 0) + (i + L < n ? data[i + L] : 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = L / 2; d > 0; d >>= 1) {
        if (l < d) s[l] += s[l + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) sums[get_group_id(0)] = s[0];
}""", "i + L < n", "i < n", BOUNDS_READ),
    ("d_blocksum_2", SAME, "        barrier(CLK_LOCAL_MEM_FENCE);\n", "", LOCAL),
    ("d_only_local", """
kernel void normalise(global float *row, local float *t, int n)
{
    int l = get_local_id(0);
    t[l] = l < n ? row[l] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    float m = 0;
    for (int i = 0; i < get_local_size(0); i++) m = fmax(m, t[i]);
    if (l < n) row[l] = t[l] / m;
}""", "l < n ? row[l] : 0", "row[l]", BOUNDS_READ),
    ("d_only_local_2", SAME, "    if (l < n) row", "    row", BOUNDS_WRITE),
    ("d_exclusive", """
kernel void add_carry(global int *data, global const int *carry, int n)
{
    int g = get_group_id(0);
    if (g == 0) return;
    int i = g * get_local_size(0) + get_local_id(0);
    if (i < n) data[i] += carry[g - 1];
}""", "    if (g == 0) return;\n", "", BOUNDS_READ),
    ("d_exclusive_2", SAME, "    if (i < n) data", "    data", BOUNDS_READ),
    ("d_rowgroup", """
kernel void softmax(global const float *x, global float *y, const int rows, const int cols)
{
    local float red[64];
    const int r = get_group_id(0), t = get_local_id(0);
    if (r >= rows) return;
    global const float *in = x + r * cols;
    float m = -INFINITY;
    for (int c = t; c < cols; c += get_local_size(0)) m = fmax(m, in[c]);
    red[t] = m;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s; s /= 2) {
        if (t < s) red[t] = fmax(red[t], red[t + s]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    m = red[0];
    for (int c = t; c < cols; c += get_local_size(0)) y[r * cols + c] = exp(in[c] - m);
}""", "y[r * cols + c]", "y[r * rows + c]", BOUNDS_WRITE),
    ("d_rowgroup_2", SAME, "x + r * cols", "x + r * rows", BOUNDS_READ),
    # As books have them.
    ("tr_nv", """
#define BLOCK_DIM 16
kernel void transpose(global float *odata, global float *idata, int offset, int width, int height, local float *block)
{
    unsigned int xIndex = get_global_id(0), yIndex = get_global_id(1);
    if ((xIndex + offset < width) && (yIndex < height)) {
        unsigned int index_in = yIndex * width + xIndex + offset;
        block[get_local_id(1) * (BLOCK_DIM + 1) + get_local_id(0)] = idata[index_in];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    xIndex = get_group_id(1) * BLOCK_DIM + get_local_id(0);
    yIndex = get_group_id(0) * BLOCK_DIM + get_local_id(1);
    if ((xIndex < height) && (yIndex + offset < width)) {
        unsigned int index_out = yIndex * height + xIndex;
        odata[index_out] = block[get_local_id(0) * (BLOCK_DIM + 1) + get_local_id(1)];
    }
}""", "    barrier(CLK_LOCAL_MEM_FENCE);\n", "", LOCAL),
    ("tr_square", """
#define T 8
__kernel void transpose_sq(__global const double *restrict a, __global double *restrict b, uint n)
{
    __local double tile[T][T];
    const uint gx = get_group_id(0), gy = get_group_id(1), lx = get_local_id(0), ly = get_local_id(1);
    uint r = gy * T + ly, c = gx * T + lx;
    if (r < n && c < n) tile[ly][lx] = a[r * n + c];
    barrier(CLK_LOCAL_MEM_FENCE);
    r = gx * T + ly; c = gy * T + lx;
    if (r < n && c < n) b[r * n + c] = tile[lx][ly];
}""", "tile[T][T]", "tile[T][T - 1]", BOUNDS_WRITE),
    ("tr_exact", """
kernel void transpose_exact(global const int *in, global int *out)
{
    local int t[16 * 17];
    int w = get_global_size(0), h = get_global_size(1);
    int x = get_global_id(0), y = get_global_id(1), l0 = get_local_id(0), l1 = get_local_id(1);
    t[l1 * 17 + l0] = in[y * w + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    int ox = get_group_id(1) * get_local_size(1) + l0, oy = get_group_id(0) * get_local_size(0) + l1;
    out[oy * h + ox] = t[l0 * 17 + l1];
}""", "    barrier(CLK_LOCAL_MEM_FENCE);\n", "", LOCAL),
    ("mm_nv", """
#define BLOCK_SIZE 16
#define AS(i, j) As[j + i * BLOCK_SIZE]
#define BS(i, j) Bs[j + i * BLOCK_SIZE]
kernel void matrixMul(global float *C, global float *A, global float *B, local float *As, local float *Bs, int uiWA, int uiWB)
{
    int bx = get_group_id(0), by = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
    int aBegin = uiWA * BLOCK_SIZE * by, aEnd = aBegin + uiWA - 1, aStep = BLOCK_SIZE;
    int bBegin = BLOCK_SIZE * bx, bStep = BLOCK_SIZE * uiWB;
    float Csub = 0.0f;
    for (int a = aBegin, b = bBegin; a <= aEnd; a += aStep, b += bStep) {
        AS(ty, tx) = A[a + uiWA * ty + tx];
        BS(ty, tx) = B[b + uiWB * ty + tx];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < BLOCK_SIZE; ++k) Csub += AS(ty, k) * BS(k, tx);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[get_global_id(1) * get_global_size(0) + get_global_id(0)] = Csub;
}""", "        barrier(CLK_LOCAL_MEM_FENCE);\n    }", "    }", LOCAL),
    ("mm_guard", """
#define TILE 8
kernel void gemm(const global float *a, const global float *b, global float *c, const int n)
{
    local float ta[TILE][TILE];
    local float tb[TILE][TILE];
    const int i = get_global_id(1), j = get_global_id(0), li = get_local_id(1), lj = get_local_id(0);
    float sum = 0.f;
    for (int t = 0; t < (n + TILE - 1) / TILE; ++t) {
        ta[li][lj] = i < n && t * TILE + lj < n ? a[i * n + t * TILE + lj] : 0.f;
        tb[li][lj] = j < n && t * TILE + li < n ? b[(t * TILE + li) * n + j] : 0.f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; ++k) sum += ta[li][k] * tb[k][lj];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n && j < n) c[i * n + j] = sum;
}""", "        barrier(CLK_LOCAL_MEM_FENCE);\n    }", "    }", LOCAL),
    ("mm_naive_1d", """
kernel void mmul(const int N, global float *A, global float *B, global float *C, local float *Bwrk)
{
    int i = get_global_id(0), iloc = get_local_id(0), nloc = get_local_size(0);
    float Awrk[256];
    if (i < N)
        for (int k = 0; k < N && k < 256; k++) Awrk[k] = A[i * N + k];
    for (int j = 0; j < N; j++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = iloc; k < N; k += nloc) Bwrk[k] = B[k * N + j];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < N) {
            float tmp = 0;
            for (int k = 0; k < N && k < 256; k++) tmp += Awrk[k] * Bwrk[k];
            C[i * N + j] = tmp;
        }
    }
}""", "        barrier(CLK_LOCAL_MEM_FENCE);\n        for", "        for", LOCAL),
    ("conv_halo2", """
#define TILE 16
#define RAD 1
kernel void conv(global const float *src, global float *dst, constant float *coef, const int width, const int height)
{
    local float t[TILE + 2 * RAD][TILE + 2 * RAD];
    const int gx = get_global_id(0), gy = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    for (int y = ly; y < TILE + 2 * RAD; y += get_local_size(1))
        for (int x = lx; x < TILE + 2 * RAD; x += get_local_size(0)) {
            int sx = get_group_id(0) * get_local_size(0) + x - RAD, sy = get_group_id(1) * get_local_size(1) + y - RAD;
            t[y][x] = sx >= 0 && sx < width && sy >= 0 && sy < height ? src[sy * width + sx] : 0;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (gx < width && gy < height) {
        float s = 0;
        for (int j = 0; j < 3; j++) for (int i = 0; i < 3; i++) s += coef[j * 3 + i] * t[ly + j][lx + i];
        dst[gy * width + gx] = s;
    }
}""", "    barrier(CLK_LOCAL_MEM_FENCE);\n", "", LOCAL),
    ("conv5", """
kernel void conv5(global const uchar *img, global uchar *res, constant int *mask, uint w, uint h)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x < 2 || y < 2 || x + 2 >= w || y + 2 >= h) return;
    int s = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) s += img[(y + j) * w + x + i] * mask[(j + 2) * 5 + i + 2];
    res[y * w + x] = clamp(s / 25, 0, 255);
}""", "y + 2 >= h", "y + 1 >= h", BOUNDS_READ),
    ("scan_hs", """
kernel void hillis(global const float *x, global float *y, local float *tmp)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    float v = x[get_global_id(0)];
    tmp[l] = v;
    for (size_t d = 1; d < n; d <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        float add = l >= d ? tmp[l - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        tmp[l] += add;
    }
    y[get_global_id(0)] = tmp[l];
}""", "        float add = l >= d ? tmp[l - d] : 0;\n        barrier(CLK_LOCAL_MEM_FENCE);", "        float add = l >= d ? tmp[l - d] : 0;", LOCAL),
    ("scan_group", """
#if __OPENCL_VERSION__ >= 200
#endif
kernel void inclusive(global const int *in, global int *out, global int *totals, int n)
{
    local int s[2][64];
    int g = get_global_id(0), l = get_local_id(0), cur = 0;
    s[0][l] = g < n ? in[g] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 1; k < 64; k *= 2) {
        s[1 - cur][l] = s[cur][l] + (l >= k ? s[cur][l - k] : 0);
        cur = 1 - cur;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (g < n) out[g] = s[cur][l];
    if (l == 63) totals[get_group_id(0)] = s[cur][63];
}""", "g < n ? in[g] : 0", "in[g]", BOUNDS_READ),
    ("red_amd", """
kernel void reduce(global float *buffer, local float *scratch, const int length, global float *result)
{
    int global_index = get_global_id(0);
    float accumulator = INFINITY;
    while (global_index < length) {
        float element = buffer[global_index];
        accumulator = (accumulator < element) ? accumulator : element;
        global_index += get_global_size(0);
    }
    int local_index = get_local_id(0);
    scratch[local_index] = accumulator;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int offset = get_local_size(0) / 2; offset > 0; offset = offset / 2) {
        if (local_index < offset) {
            float other = scratch[local_index + offset], mine = scratch[local_index];
            scratch[local_index] = (mine < other) ? mine : other;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (local_index == 0) result[get_group_id(0)] = scratch[0];
}""", "global_index < length", "global_index <= length", BOUNDS_READ),
    ("red_nv", """
#define blockSize 128
kernel void reduce3(global const int *g_idata, global int *g_odata, unsigned int n)
{
    local volatile int sdata[blockSize];
    unsigned int tid = get_local_id(0), i = get_group_id(0) * (blockSize * 2) + tid;
    int mySum = (i < n) ? g_idata[i] : 0;
    if (i + blockSize < n) mySum += g_idata[i + blockSize];
    sdata[tid] = mySum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (unsigned int s = blockSize / 2; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] = mySum = mySum + sdata[tid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (tid == 0) g_odata[get_group_id(0)] = sdata[0];
}""", "        barrier(CLK_LOCAL_MEM_FENCE);\n    }", "    }", LOCAL),
    ("red_unrolled", """
kernel void sum(global const float4 *in, global float *out, local float4 *s, uint n4)
{
    uint l = get_local_id(0), i = get_group_id(0) * get_local_size(0) * 2 + l;
    float4 a = i < n4 ? in[i] : (float4)0, b = i + get_local_size(0) < n4 ? in[i + get_local_size(0)] : (float4)0;
    s[l] = a + b;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = get_local_size(0) >> 1; k; k >>= 1) {
        if (l < k) s[l] += s[l + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = dot(s[0], (float4)1);
}""", "i + get_local_size(0) < n4 ?", "i < n4 ?", BOUNDS_READ),
    ("hist_priv", """
kernel void histogram(global uint *hist, global const uint *image, int pixels, int bins)
{
    int i = get_global_id(0);
    for (; i < pixels; i += get_global_size(0)) atomic_inc(&hist[image[i] % bins]);
}""", "i < pixels", "i <= pixels", BOUNDS_READ),
    ("hist_amd", """
#define HIST_BINS 256
kernel void histogram(global const int *data, int numData, global int *histogram)
{
    local int localHistogram[HIST_BINS];
    int lid = get_local_id(0), gid = get_global_id(0);
    for (int i = lid; i < HIST_BINS; i += get_local_size(0)) localHistogram[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = gid; i < numData; i += get_global_size(0)) atomic_add(&localHistogram[data[i]], 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < HIST_BINS; i += get_local_size(0)) atomic_add(&histogram[i], localHistogram[i]);
}""", "atomic_add(&histogram[i], localHistogram[i])", "histogram[i] += localHistogram[i]", GLOBAL),
    ("hist_sub", """
kernel void hist_partial(global const uchar *img, int n, global uint *partial)
{
    local uint h[256];
    const uint t = get_local_id(0), ts = get_local_size(0);
    for (uint j = t; j < 256; j += ts) h[j] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_global_id(0) < n) atomic_inc(h + img[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = t; j < 256; j += ts) partial[get_group_id(0) * 256 + j] = h[j];
}""", "partial[get_group_id(0) * 256 + j]", "partial[j]", GLOBAL),
    ("st_heat", """
kernel void heat(global const double *u, global double *v, const double c, const uint nx, const uint ny)
{
    const uint i = get_global_id(0) + 1, j = get_global_id(1) + 1;
    if (i < nx - 1 && j < ny - 1)
        v[j * nx + i] = u[j * nx + i] + c * (u[j * nx + i - 1] + u[j * nx + i + 1] + u[(j - 1) * nx + i] + u[(j + 1) * nx + i] - 4 * u[j * nx + i]);
}""", "v[j * nx + i] =", "v[j * ny + i] =", BOUNDS_WRITE),
    ("st_pad", """
kernel void jacobi(global const float *a, global float *b, int n, int m)
{
    int i = get_global_id(0), j = get_global_id(1);
    if (i < n && j < m) {
        int w = n + 2, p = (j + 1) * w + i + 1;
        b[p] = 0.25f * (a[p - 1] + a[p + 1] + a[p - w] + a[p + w]);
    }
}""", "j < m", "j <= m", BOUNDS_READ),
    ("st_3d", """
kernel void diffuse(global const float *in, global float *out, int nx, int ny, int nz, float k)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x == 0 || y == 0 || x >= nx - 1 || y >= ny - 1) return;
    for (int z = 1; z < nz - 1; z++) {
        int c = x + y * nx + z * nx * ny;
        out[c] = in[c] + k * (in[c + 1] + in[c - 1] + in[c + nx] + in[c - nx] + in[c + nx * ny] + in[c - nx * ny] - 6 * in[c]);
    }
}""", "z < nz - 1", "z < nz", BOUNDS_READ),
    ("nb_local", """
kernel void nbody(float dt, float eps, global const float4 *pos_old, global float4 *pos_new, global float4 *vel, local float4 *pblock)
{
    const float4 d4 = (float4)(dt, dt, dt, 0);
    int gti = get_global_id(0), ti = get_local_id(0), n = get_global_size(0), nt = get_local_size(0), nb = n / nt;
    float4 p = pos_old[gti], v = vel[gti], a = (float4)(0);
    for (int jb = 0; jb < nb; jb++) {
        pblock[ti] = pos_old[jb * nt + ti];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < nt; j++) {
            float4 d = pblock[j] - p;
            float inv = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + eps);
            a += pblock[j].w * inv * inv * inv * d;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    p += d4 * v + 0.5f * d4 * d4 * a;
    v += d4 * a;
    pos_new[gti] = p;
    vel[gti] = v;
}""", "        barrier(CLK_LOCAL_MEM_FENCE);\n    }", "    }", LOCAL),
    ("nb_tiles", """
#define WG 64
kernel void accel(global const float4 *body, global float4 *acc, int count)
{
    local float4 cache[WG];
    int i = get_global_id(0), l = get_local_id(0);
    float4 me = i < count ? body[i] : (float4)0;
    float4 sum = 0;
    for (int base = 0; base < count; base += WG) {
        if (base + l < count) cache[l] = body[base + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < min(WG, count - base); j++) {
            float4 r = cache[j] - me;
            r.w = 0;
            float d = dot(r, r) + 1e-3f;
            sum += r * (cache[j].w / (d * sqrt(d)));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < count) acc[i] = sum;
}""", "if (base + l < count) cache", "cache", BOUNDS_READ),
    ("bit_local", """
kernel void bitonic_local(global uint *keys, local uint *s)
{
    uint l = get_local_id(0), n = 2 * get_local_size(0), base = get_group_id(0) * n;
    s[l] = keys[base + l];
    s[l + get_local_size(0)] = keys[base + l + get_local_size(0)];
    for (uint size = 2; size <= n; size <<= 1)
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint pos = 2 * l - (l & (stride - 1));
            bool up = (l & (size / 2)) == 0;
            uint a = s[pos], b = s[pos + stride];
            if ((a > b) == up) { s[pos] = b; s[pos + stride] = a; }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    keys[base + l] = s[l];
    keys[base + l + get_local_size(0)] = s[l + get_local_size(0)];
}""", "            barrier(CLK_LOCAL_MEM_FENCE);\n", "", LOCAL),
    ("bit_amd", """
kernel void bitonicSort(global uint *theArray, const uint stage, const uint passOfStage, const uint width, const uint direction)
{
    uint sortIncreasing = direction;
    uint threadId = get_global_id(0);
    uint pairDistance = 1 << (stage - passOfStage), blockWidth = 2 * pairDistance;
    uint leftId = (threadId % pairDistance) + (threadId / pairDistance) * blockWidth, rightId = leftId + pairDistance;
    uint leftElement = theArray[leftId], rightElement = theArray[rightId];
    uint sameDirectionBlockWidth = 1 << stage;
    if ((threadId / sameDirectionBlockWidth) % 2 == 1) sortIncreasing = 1 - sortIncreasing;
    uint greater = max(leftElement, rightElement), lesser = min(leftElement, rightElement);
    theArray[leftId] = sortIncreasing ? lesser : greater;
    theArray[rightId] = sortIncreasing ? greater : lesser;
}""", "rightId = leftId + pairDistance", "rightId = leftId + pairDistance + 1", BOUNDS_READ),
    ("mb_float", """
kernel void mandelbrot(global int *mandelbrotImage, const float scale, const uint maxIterations, const int width)
{
    int tid = get_global_id(0);
    int i = tid % width, j = tid / width;
    float x0 = (i * scale) - (scale / 2) * width, y0 = (j * scale) - (scale / 2) * width, x = x0, y = y0;
    uint n;
    for (n = 0; n < maxIterations && x * x + y * y <= 4.0f; n++) {
        float t = x * x - y * y + x0;
        y = 2 * x * y + y0;
        x = t;
    }
    mandelbrotImage[tid] = n;
}""", "mandelbrotImage[tid]", "mandelbrotImage[j * width + i + 1]", BOUNDS_WRITE),
    ("mb_rgb", """
kernel void fractal(global uchar *rgb, int w, int h, int iterations, float cx, float cy, float zoom)
{
    int px = get_global_id(0), py = get_global_id(1);
    if (px >= w || py >= h) return;
    float2 z = (float2)((px - w / 2) * zoom, (py - h / 2) * zoom), c = (float2)(cx, cy);
    int k = 0;
    while (k < iterations && dot(z, z) < 4) { z = (float2)(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c; k++; }
    int at = 3 * (py * w + px);
    rgb[at] = k; rgb[at + 1] = k * 2; rgb[at + 2] = k * 4;
}""", "py * w + px", "py * h + px", BOUNDS_WRITE),
    ("spmv_vec", """
kernel void spmv_vector(global const float *val, global const float *vec, global const int *cols, global const int *rowDelimiters, const int dim, global float *out)
{
    local volatile float partialSums[128];
    int t = get_local_id(0), id = t & 31, warpsPerBlock = get_local_size(0) / 32;
    int myRow = get_group_id(0) * warpsPerBlock + t / 32;
    float mySum = 0;
    if (myRow < dim)
        for (int j = rowDelimiters[myRow] + id; j < rowDelimiters[myRow + 1]; j += 32) mySum += val[j] * vec[cols[j]];
    partialSums[t] = mySum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 16; s > 0; s >>= 1) {
        if (id < s) partialSums[t] += partialSums[t + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0 && myRow < dim) out[myRow] = partialSums[t];
}""", "        barrier(CLK_LOCAL_MEM_FENCE);\n", "", LOCAL),
    ("spmv_ell", """
kernel void ell(global const double *values, global const int *columns, global const double *x, global double *y, int rows, int width)
{
    int r = get_global_id(0);
    if (r >= rows) return;
    double s = 0;
    for (int k = 0; k < width; k++) s += values[k * rows + r] * x[columns[k * rows + r]];
    y[r] = s;
}""", "values[k * rows + r]", "values[k * width + r]", BOUNDS_READ),
    ("spmv_coo", """
kernel void coo(global const int *row, global const int *col, global const int *val, global const int *x, global int *y, uint nnz)
{
    uint i = get_global_id(0);
    if (i < nnz) atomic_add(&y[row[i]], val[i] * x[col[i]]);
}""", "atomic_add(&y[row[i]], val[i] * x[col[i]])", "y[row[i]] += val[i] * x[col[i]]", GLOBAL),
    ("pg_add", """
kernel void uniform_add(global uint *data, global const uint *blockSums, const uint n)
{
    local uint buf;
    if (get_local_id(0) == 0) buf = blockSums[get_group_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_global_id(0) < n) data[get_global_id(0)] += buf;
}""", "    barrier(CLK_LOCAL_MEM_FENCE);\n", "", LOCAL),
    ("pg_serial", """
kernel void scan_sums(global int *sums, int groups)
{
    if (get_global_id(0) == 0) {
        int total = 0;
        for (int i = 0; i < groups; i++) { int t = sums[i]; sums[i] = total; total += t; }
    }
}""", "    if (get_global_id(0) == 0) {", "    {", GLOBAL),
    ("bl_rgba", """
kernel void blur(global const uchar4 *in, global uchar4 *out, int width, int height)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    uint4 sum = 0;
    uint n = 0;
    for (int v = max(0, y - 1); v <= min(height - 1, y + 1); v++)
        for (int u = max(0, x - 1); u <= min(width - 1, x + 1); u++) { sum += convert_uint4(in[v * width + u]); n++; }
    out[y * width + x] = convert_uchar4(sum / n);
}""", "min(height - 1, y + 1)", "min(height, y + 1)", BOUNDS_READ),
    ("bl_sep", """
kernel void blur_h(global const float *src, global float *dst, constant float *g, int w, int h, int r)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h) return;
    float s = 0;
    for (int i = -r; i <= r; i++) s += g[i + r] * src[y * w + clamp(x + i, 0, w - 1)];
    dst[y * w + x] = s;
}""", "clamp(x + i, 0, w - 1)", "clamp(x + i, 0, h - 1)", BOUNDS_READ),
    ("bl_box1d", """
kernel void box_rows(global const float *in, global float *out, const unsigned w, const unsigned h, const unsigned r)
{
    unsigned y = get_global_id(0);
    if (y < h) {
        float t = in[y * w] * r;
        for (unsigned x = 0; x < r + 1; x++) t += in[y * w + x];
        out[y * w] = t / (2 * r + 1);
        for (unsigned x = 1; x < w; x++) {
            t += in[y * w + min(x + r, w - 1)];
            t -= in[y * w + (x > r ? x - r - 1 : 0)];
            out[y * w + x] = t / (2 * r + 1);
        }
    }
}""", "min(x + r, w - 1)", "min(x + r, h - 1)", BOUNDS_READ),
    ("km_rodinia", """
kernel void kmeans_c(global float *feature, global float *clusters, global int *membership, int npoints, int nclusters, int nfeatures, int offset, int size)
{
    unsigned int point_id = get_global_id(0);
    int index = 0;
    if (point_id < npoints) {
        float min_dist = FLT_MAX;
        for (int i = 0; i < nclusters; i++) {
            float ans = 0;
            for (int l = 0; l < nfeatures; l++)
                ans += (feature[l * npoints + point_id] - clusters[i * nfeatures + l]) * (feature[l * npoints + point_id] - clusters[i * nfeatures + l]);
            if (ans < min_dist) { min_dist = ans; index = i; }
        }
        membership[point_id] = index;
    }
}""", "point_id < npoints", "point_id <= npoints", BOUNDS_READ),
    ("km_update", """
kernel void accumulate(global const float *x, global const int *label, global int *count, global int *sum, int n, int d, int k)
{
    int i = get_global_id(0);
    if (i >= n) return;
    int c = label[i];
    if (c >= k) return;
    atomic_inc(&count[c]);
    for (int j = 0; j < d; j++) atomic_add(&sum[c * d + j], (int)x[i * d + j]);
}""", "atomic_inc(&count[c])", "count[c]++", GLOBAL),
    ("fw_plain", """
kernel void floyd(global int *dist, int n, int k)
{
    int i = get_global_id(1), j = get_global_id(0);
    if (i >= n || j >= n) return;
    if (i == k || j == k) return;
    int t = dist[i * n + k] + dist[k * n + j];
    if (t < dist[i * n + j]) dist[i * n + j] = t;
}""", "i >= n || j >= n", "i > n || j >= n", BOUNDS_READ),
    ("fw_row", """
kernel void relax(global float *d, const int size, const int via)
{
    const int row = get_global_id(0);
    if (row >= size || row == via) return;
    const float a = d[row * size + via];
    for (int c = 0; c < size; c++)
        if (c != via) d[row * size + c] = fmin(d[row * size + c], a + d[via * size + c]);
}""", "c < size", "c <= size", BOUNDS_READ),
    ("gl_pad", """
kernel void life(int dim, global int *grid, global int *newGrid)
{
    int ix = get_global_id(0) + 1, iy = get_global_id(1) + 1;
    int id = iy * (dim + 2) + ix;
    if (iy <= dim && ix <= dim) {
        int cell = grid[id];
        int n = grid[id + (dim + 2)] + grid[id - (dim + 2)] + grid[id + 1] + grid[id - 1] + grid[id + (dim + 3)] + grid[id - (dim + 3)] + grid[id - (dim + 1)] + grid[id + (dim + 1)];
        newGrid[id] = cell == 1 && (n == 2 || n == 3) ? 1 : cell == 0 && n == 3 ? 1 : 0;
    }
}""", "iy <= dim && ix", "ix", BOUNDS_READ),
    ("gl_wrap1d", """
kernel void step_life(global const char *now, global char *next, const int rows, const int cols)
{
    const int id = get_global_id(0);
    if (id >= rows * cols) return;
    const int r = id / cols, c = id % cols;
    int alive = 0;
    for (int dr = -1; dr <= 1; dr++)
        for (int dc = -1; dc <= 1; dc++)
            if (dr != 0 || dc != 0) alive += now[((r + dr + rows) % rows) * cols + (c + dc + cols) % cols];
    next[id] = alive == 3 || (alive == 2 && now[id]);
}""", "(r + dr + rows) % rows", "(r + dr)", BOUNDS_READ),
    ("sb_amd", """
kernel void sobel_filter(global uchar4 *inputImage, global uchar4 *outputImage)
{
    uint x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1);
    float4 Gx = (float4)(0), Gy = Gx;
    int c = x + y * width;
    if (x >= 1 && x < (width - 1) && y >= 1 && y < height - 1) {
        float4 i00 = convert_float4(inputImage[c - 1 - width]), i10 = convert_float4(inputImage[c - width]), i20 = convert_float4(inputImage[c + 1 - width]);
        float4 i01 = convert_float4(inputImage[c - 1]), i21 = convert_float4(inputImage[c + 1]);
        float4 i02 = convert_float4(inputImage[c - 1 + width]), i12 = convert_float4(inputImage[c + width]), i22 = convert_float4(inputImage[c + 1 + width]);
        Gx = i00 + 2 * i10 + i20 - i02 - 2 * i12 - i22;
        Gy = i00 - i20 + 2 * i01 - 2 * i21 + i02 - i22;
        outputImage[c] = convert_uchar4(hypot(Gx, Gy) / (float4)(2));
    }
}""", "y < height - 1", "y < height", BOUNDS_READ),
    ("dp_grid", """
kernel void dotp(global const float4 *a, global const float4 *b, global float *partial, local float *s, int n)
{
    int l = get_local_id(0);
    float t = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) t += dot(a[i], b[i]);
    s[l] = t;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        for (int i = 1; i < get_local_size(0); i++) t += s[i];
        partial[get_group_id(0)] = t;
    }
}""", "i < n", "i <= n", BOUNDS_READ),
    ("dp_item", """
kernel void sums_per_item(global const int *x, global const int *y, global int *part, int n)
{
    int g = get_global_id(0), s = 0;
    for (int i = g; i < n; i += get_global_size(0)) s += x[i] * y[i];
    part[g] = s;
}""", "i < n", "i <= n", BOUNDS_READ),
    ("dp_chunk", """
kernel void chunk_sums(global const float *x, global float *part, int n, int chunk)
{
    int g = get_global_id(0), first = g * chunk, last = min(first + chunk, n);
    float s = 0;
    for (int i = first; i < last; i++) s += x[i];
    part[g] = s;
}""", "i < last", "i <= last", BOUNDS_READ),
    ("sx_inc", """
kernel void saxpy(int n, float alpha, global const float *x, int incx, global float *y, int incy)
{
    int i = get_global_id(0);
    if (i < n) y[i * incy] += alpha * x[i * incx];
}""", "i < n", "i <= n", BOUNDS_READ),
    ("sx_many", """
kernel void axpy(global float *y, global const float *x, float a, uint n, uint per)
{
    uint first = get_global_id(0) * per;
    for (uint k = first; k < first + per && k < n; k++) y[k] += a * x[k];
}""", "get_global_id(0) * per", "get_global_id(0)", GLOBAL),
    ("lud", """
kernel void lu_column(global float *a, int n, int k)
{
    int i = get_global_id(0) + k + 1;
    if (i < n) {
        a[i * n + k] /= a[k * n + k];
        for (int j = k + 1; j < n; j++) a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
}""", "j < n", "j <= n", BOUNDS_READ),
    ("knn", """
kernel void nearest(global const float2 *q, global const float2 *p, global int *best, int nq, int np)
{
    int i = get_global_id(0);
    if (i < nq) {
        float d = MAXFLOAT; int b = -1;
        for (int j = 0; j < np; j++) { float e = distance(q[i], p[j]); if (e < d) { d = e; b = j; } }
        best[i] = b;
    }
}""", "j < np", "j <= np", BOUNDS_READ),
    ("nn_layer", """
kernel void dense(global const float *x, global const float *w, global const float *bias, global float *y, int batch, int inputs, int outputs)
{
    int o = get_global_id(0), b = get_global_id(1);
    if (o >= outputs || b >= batch) return;
    float s = bias[o];
    for (int i = 0; i < inputs; i++) s += x[b * inputs + i] * w[o * inputs + i];
    y[b * outputs + o] = fmax(s, 0.f);
}""", "x[b * inputs + i]", "x[b * outputs + i]", BOUNDS_READ),
    ("conv_layer", """
kernel void conv2d(global const float *in, global const float *k, global float *out, int H, int W, int KH, int KW)
{
    int ox = get_global_id(0), oy = get_global_id(1);
    int OW = W - KW + 1, OH = H - KH + 1;
    if (ox >= OW || oy >= OH) return;
    float s = 0;
    for (int i = 0; i < KH; i++) for (int j = 0; j < KW; j++) s += in[(oy + i) * W + ox + j] * k[i * KW + j];
    out[oy * OW + ox] = s;
}""", "out[oy * OW + ox]", "out[oy * OH + ox]", BOUNDS_WRITE),
    ("maxpool", """
kernel void pool(global const float *in, global float *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1), ow = w / 2, oh = h / 2;
    if (x >= ow || y >= oh) return;
    float m = in[2 * y * w + 2 * x];
    m = fmax(m, in[2 * y * w + 2 * x + 1]);
    m = fmax(m, in[(2 * y + 1) * w + 2 * x]);
    m = fmax(m, in[(2 * y + 1) * w + 2 * x + 1]);
    out[y * ow + x] = m;
}""", "y >= oh", "y > oh", BOUNDS_READ),
    ("upsample", """
kernel void up(global const float *in, global float *out, uint w, uint h)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x < 2 * w && y < 2 * h) out[y * 2 * w + x] = in[(y / 2) * w + x / 2];
}""", "(y / 2) * w", "y * w", BOUNDS_READ),
    ("csr_transpose_count", """
kernel void edges(global const int *from, global const int *to, global int *degree, int edges, int nodes)
{
    int e = get_global_id(0);
    if (e < edges && from[e] < nodes && to[e] < nodes) { atomic_inc(&degree[from[e]]); atomic_inc(&degree[to[e]]); }
}""", "e < edges", "e <= edges", BOUNDS_READ),
    ("staggered", """
kernel void velocity(global const float *p, global float *u, int nx, int ny, float dt)
{
    int i = get_global_id(0), j = get_global_id(1);
    if (i >= nx + 1 || j >= ny) return;
    if (i == 0 || i == nx) u[j * (nx + 1) + i] = 0;
    else u[j * (nx + 1) + i] -= dt * (p[j * nx + i] - p[j * nx + i - 1]);
}""", "i == 0 || i == nx", "i == 0", BOUNDS_READ),
    ("aos", """
typedef struct { float x, y; int cell; } P;
kernel void bin(global P *ps, global int *cells, int n, int nx, int ny, float size)
{
    int i = get_global_id(0);
    if (i >= n) return;
    int cx = clamp((int)(ps[i].x / size), 0, nx - 1), cy = clamp((int)(ps[i].y / size), 0, ny - 1);
    ps[i].cell = cy * nx + cx;
    atomic_inc(&cells[cy * nx + cx]);
}""", "i >= n", "i > n", BOUNDS_READ),
    ("polyline", """
kernel void lengths(global const float2 *p, global float *len, int n)
{
    int i = get_global_id(0);
    if (i < n - 1) len[i] = distance(p[i], p[i + 1]);
}""", "i < n - 1", "i < n", BOUNDS_READ),
]


# Right ones alone.
MORE_RIGHT = [
    ("c_bothlid", """
__attribute__((reqd_work_group_size(64, 1, 1)))
kernel void hist(global const uchar *pixels, global uint *counts, int n)
{
    local uint h[256];
    int l = get_local_id(0), i = get_global_id(0);
    for (int k = l; k < 256; k += get_local_size(0)) h[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n) atomic_inc(&h[pixels[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = l; k < 256; k += get_local_size(0)) atomic_add(&counts[k], h[k]);
}"""),
    ("conv_halo", """
#define R 4
#define L 64
kernel void conv_rows(global const float *in, global float *out, constant float *k, int w, int h)
{
    local float s[L + 2 * R];
    int x = get_global_id(0), y = get_global_id(1), l = get_local_id(0);
    if (y >= h) return;
    s[l + R] = x < w ? in[y * w + x] : 0;
    if (l < R) {
        s[l] = x >= R ? in[y * w + x - R] : 0;
        s[l + R + get_local_size(0)] = x + get_local_size(0) < w ? in[y * w + x + get_local_size(0)] : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x >= w) return;
    float sum = 0;
    for (int j = -R; j <= R; j++) sum += s[l + R + j] * k[j + R];
    out[y * w + x] = sum;
}"""),
    ("scan_blelloch2", """
kernel void prescan(global float *g_odata, global const float *g_idata, local float *temp, const int n)
{
    int thid = get_local_id(0), offset = 1, base = get_group_id(0) * n;
    temp[2 * thid] = g_idata[base + 2 * thid];
    temp[2 * thid + 1] = g_idata[base + 2 * thid + 1];
    for (int d = n >> 1; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }
    if (thid == 0) temp[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1;
            float t = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += t;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    g_odata[base + 2 * thid] = temp[2 * thid];
    g_odata[base + 2 * thid + 1] = temp[2 * thid + 1];
}"""),
    ("fw_amd", """
kernel void floydWarshallPass(global uint *pathDistanceBuffer, global uint *pathBuffer, const unsigned int numNodes, const unsigned int pass)
{
    int xValue = get_global_id(0), yValue = get_global_id(1), k = pass;
    int oldWeight = pathDistanceBuffer[yValue * numNodes + xValue];
    int tempWeight = pathDistanceBuffer[yValue * numNodes + k] + pathDistanceBuffer[k * numNodes + xValue];
    if (tempWeight < oldWeight) {
        pathDistanceBuffer[yValue * numNodes + xValue] = tempWeight;
        pathBuffer[yValue * numNodes + xValue] = k;
    }
}"""),
    ("gl_ghost", """
kernel void ghostRows(const int dim, global int *grid)
{
    int id = get_global_id(0) + 1;
    if (id <= dim) {
        grid[(dim + 2) * (dim + 1) + id] = grid[(dim + 2) + id];
        grid[id] = grid[(dim + 2) * dim + id];
    }
}"""),
    ("sb_local", """
#define B 16
kernel void sobel(global const float *in, global float *out, int w, int h)
{
    local float p[B + 2][B + 2];
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0) + 1, ly = get_local_id(1) + 1;
    int cx = min(x, w - 1), cy = min(y, h - 1);
    p[ly][lx] = in[cy * w + cx];
    if (lx == 1) p[ly][0] = in[cy * w + max(cx - 1, 0)];
    if (lx == B) p[ly][B + 1] = in[cy * w + min(cx + 1, w - 1)];
    if (ly == 1) p[0][lx] = in[max(cy - 1, 0) * w + cx];
    if (ly == B) p[B + 1][lx] = in[min(cy + 1, h - 1) * w + cx];
    if (lx == 1 && ly == 1) p[0][0] = in[max(cy - 1, 0) * w + max(cx - 1, 0)];
    if (lx == B && ly == 1) p[0][B + 1] = in[max(cy - 1, 0) * w + min(cx + 1, w - 1)];
    if (lx == 1 && ly == B) p[B + 1][0] = in[min(cy + 1, h - 1) * w + max(cx - 1, 0)];
    if (lx == B && ly == B) p[B + 1][B + 1] = in[min(cy + 1, h - 1) * w + min(cx + 1, w - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x >= w || y >= h) return;
    float gx = p[ly - 1][lx + 1] + 2 * p[ly][lx + 1] + p[ly + 1][lx + 1] - p[ly - 1][lx - 1] - 2 * p[ly][lx - 1] - p[ly + 1][lx - 1];
    float gy = p[ly + 1][lx - 1] + 2 * p[ly + 1][lx] + p[ly + 1][lx + 1] - p[ly - 1][lx - 1] - 2 * p[ly - 1][lx] - p[ly - 1][lx + 1];
    out[y * w + x] = sqrt(gx * gx + gy * gy);
}"""),
    ("sx_vec", """
kernel void daxpy4(const uint n, const double a, global const double4 *x, global double4 *y)
{
    uint i = get_global_id(0);
    if (4 * i < n) y[i] = a * x[i] + y[i];
}"""),
    ("lap", """
kernel void lap(global const float *f, global float *g, int W, int H, int D)
{
    int x=get_global_id(0), y=get_global_id(1), z=get_global_id(2); if (x>=W||y>=H||z>=D) return; int i=(z*H+y)*W+x; g[i]=f[i]*2;
}"""),
    ("pad", """
kernel void pad(global const uchar *in, global uchar *out, uint w, uint h, uint b)
{
    uint x=get_global_id(0), y=get_global_id(1); if (x<w && y<h) out[(y+b)*(w+2*b)+x+b]=in[y*w+x];
}"""),
    ("sub", """
kernel void sub(global const float *in, global float *out, int x0, int y0, int w, int h, int stride)
{
    int x=get_global_id(0), y=get_global_id(1); if (x<w && y<h) out[y*w+x]=in[(y+y0)*stride+x+x0];
}"""),
    ("diag", """
kernel void diag(global const float *m, global float *d, int n)
{
    int i=get_global_id(0); if (i<n) d[i]=m[i*n+i];
}"""),
    ("tri", """
kernel void tri(global float *m, int n)
{
    int i=get_global_id(0), j=get_global_id(1); if (i<n && j<=i) m[i*(i+1)/2+j]=0;
}"""),
    ("outer", """
kernel void outer(global const float *a, global const float *b, global float *c, int m, int n)
{
    int i=get_global_id(0), j=get_global_id(1); if (i<m && j<n) c[i*n+j]=a[i]*b[j];
}"""),
    ("fir", """
kernel void fir(global const float *x, global float *y, constant float *h, int n, int taps)
{
    int i=get_global_id(0); if (i<n) { float s=0; for (int k=0;k<taps;k++) if (i-k>=0) s+=h[k]*x[i-k]; y[i]=s; }
}"""),
    ("fir2", """
kernel void fir(global const float *x, global float *y, constant float *h, int n, int taps)
{
    int i=get_global_id(0); if (i<n) { float s=0; for (int k=0;k<taps;k++) s+=h[k]*x[i+k]; y[i]=s; }
}"""),
    ("deint", """
kernel void split(global const short *lr, global short *l, global short *r, int frames)
{
    int i=get_global_id(0); if (i<frames) { l[i]=lr[2*i]; r[i]=lr[2*i+1]; }
}"""),
    ("mat4", """
kernel void xf(global const float *m, global const float4 *v, global float4 *o, int n)
{
    int i=get_global_id(0); if (i<n) { float4 p=v[i]; o[i]=(float4)(dot(vload4(0,m),p),dot(vload4(1,m),p),dot(vload4(2,m),p),dot(vload4(3,m),p)); }
}"""),
    ("dp", """
kernel void lcs(global const char *a, global const char *b, global int *t, int n, int m, int d)
{
    int i=get_global_id(0)+1, j=d-i; if (i<=n && j>=1 && j<=m) { int w=m+1; t[i*w+j]=a[i-1]==b[j-1]?t[(i-1)*w+j-1]+1:max(t[(i-1)*w+j],t[i*w+j-1]); }
}"""),
    ("yuv", """
kernel void yuv(global const uchar *y, global const uchar *uv, global uchar4 *rgb, int w, int h)
{
    int x=get_global_id(0), r=get_global_id(1); if (x<w && r<h) { int c=(r/2)*(w/2)+x/2; rgb[r*w+x]=(uchar4)(y[r*w+x],uv[2*c],uv[2*c+1],255); }
}"""),
    ("grp", """
kernel void best(global const int *v, global int *out, int n)
{
    local int s[64]; int l=get_local_id(0), g=get_global_id(0); s[l]=g<n?v[g]:INT_MIN; for (int k=32;k>0;k/=2) { barrier(CLK_LOCAL_MEM_FENCE); if (l<k) s[l]=max(s[l],s[l+k]); } if (l==0) out[get_group_id(0)]=s[0];
}"""),
    ("halo3", """
#define R 3
#define G 32
kernel void s(global const float *in, global float *out, int n)
{
    local float t[G+2*R]; int g=get_global_id(0), l=get_local_id(0)+R; t[l]=g<n?in[g]:0; if (get_local_id(0)<R) { t[l-R]=g>=R && g-R<n?in[g-R]:0; t[l+G]=g+G<n?in[g+G]:0; } barrier(CLK_LOCAL_MEM_FENCE); if (g<n) { float s=0; for (int k=-R;k<=R;k++) s+=t[l+k]; out[g]=s; }
}"""),
    ("batch", """
kernel void add(global float *x, global const float *bias, int batch, int channels, int size)
{
    int i=get_global_id(0); if (i<batch*channels*size) x[i]+=bias[(i/size)%channels];
}"""),
    ("softmax", """
kernel void sm(global float *x, int rows, int cols)
{
    int r=get_global_id(0); if (r>=rows) return; global float *p=x+r*cols; float m=p[0]; for (int i=1;i<cols;i++) m=fmax(m,p[i]); float s=0; for (int i=0;i<cols;i++) { p[i]=exp(p[i]-m); s+=p[i]; } for (int i=0;i<cols;i++) p[i]/=s;
}"""),
    ("cell", """
kernel void rule(global const uchar *a, global uchar *b, uint n, uchar rule)
{
    uint i=get_global_id(0); if (i<n) { uint l=a[(i+n-1)%n], c=a[i], r=a[(i+1)%n]; b[i]=rule>>(4*l+2*c+r)&1; }
}"""),
    ("lin", """
kernel void interp(global const float *t, global const float *x, global float *y, int n, int m)
{
    int i=get_global_id(0); if (i>=n) return; float p=clamp(x[i],0.f,m-1.f); int k=min((int)p,m-2); y[i]=t[k]+(p-k)*(t[k+1]-t[k]);
}"""),
    ("gs", """
kernel void red_black(global float *u, int nx, int ny, int colour)
{
    int x=get_global_id(0)+1, y=get_global_id(1)+1; if (x<nx-1 && y<ny-1 && (x+y)%2==colour) u[y*nx+x]=0.25f*(u[y*nx+x-1]+u[y*nx+x+1]+u[(y-1)*nx+x]+u[(y+1)*nx+x]);
}"""),
]
