/* SPDX-License-Identifier: Apache-2.0 */
/* CLBlast's routines in single, double and half precision against loops on the host. */
#include "client.h"

#include <clblast_c.h>

enum { M = 70, N = 45, K = 33, LENGTH = 1000 };

static double a[M * K], b[K * N], c[M * N], x[LENGTH], y[LENGTH], wanted[M * N > LENGTH ? M *N : LENGTH];

static void fill(double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (double)(float)client_random();
}

/* c = alpha a b + beta c, in double; a and b are what the device gets after rounding. */
static void reference_gemm(double alpha, double beta)
{
    for (int row = 0; row < M; row++)
        for (int column = 0; column < N; column++) {
            double sum = 0;
            for (int k = 0; k < K; k++)
                sum += a[row * K + k] * b[k * N + column];
            wanted[row * N + column] = alpha * sum + beta * c[row * N + column];
        }
}

static void to_float(const double *from, float *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (float)from[i];
}

static void from_float(const float *from, double *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (double)from[i];
}

static cl_mem float_buffer(const double *from, size_t count)
{
    float *values = malloc(count * sizeof *values);
    to_float(from, values, count);
    cl_mem made = client_buffer(values, count * sizeof *values);
    free(values);
    return made;
}

static void judge_float(const char *what, cl_mem buffer, const double *reference, size_t count,
                        double tolerance)
{
    float *values = malloc(count * sizeof *values);
    double *wide = malloc(count * sizeof *wide);
    client_get(buffer, values, count * sizeof *values);
    from_float(values, wide, count);
    client_near(what, wide, reference, count, tolerance);
    free(values);
    free(wide);
}

/* Halves are made from multiples of 1/16 below 1, which both sides represent exactly. */
static cl_half half_of(double value)
{
    float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    if (value == 0)
        return 0;
    return (cl_half)((bits >> 16 & 0x8000) | ((bits >> 23 & 255) - 112) << 10 | (bits >> 13 & 0x3ff));
}

static double of_half(cl_half half)
{
    const double fraction = half & 0x3ff;
    const int exponent = half >> 10 & 31;
    const double magnitude = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return half & 0x8000 ? -magnitude : magnitude;
}

static void sgemm(void)
{
    cl_mem da = float_buffer(a, M * K), db = float_buffer(b, K * N), dc = float_buffer(c, M * N);
    reference_gemm(1.5, 0.5);
    CLIENT_OK((int)CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, M, N, K, 1.5f,
                                da, 0, K, db, 0, N, 0.5f, dc, 0, N, &client_queue, NULL));
    judge_float("sgemm", dc, wanted, M * N, 2e-5);
    clReleaseMemObject(da);
    clReleaseMemObject(db);
    clReleaseMemObject(dc);
}

static void dgemm(void)
{
    double found[M * N];
    cl_mem da = client_buffer(a, sizeof a), db = client_buffer(b, sizeof b), dc = client_buffer(c, sizeof c);
    reference_gemm(2, -1);
    CLIENT_OK((int)CLBlastDgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, M, N, K, 2, da,
                                0, K, db, 0, N, -1, dc, 0, N, &client_queue, NULL));
    client_get(dc, found, sizeof found);
    client_near("dgemm", found, wanted, M * N, 1e-13);
    clReleaseMemObject(da);
    clReleaseMemObject(db);
    clReleaseMemObject(dc);
}

static void hgemm(void)
{
    cl_half ha[M * K], hb[K * N], hc[M * N] = {0};
    double found[M * N];
    for (int i = 0; i < M * K; i++)
        ha[i] = half_of(a[i] = floor(a[i] * 16) / 16);
    for (int i = 0; i < K * N; i++)
        hb[i] = half_of(b[i] = floor(b[i] * 16) / 16);
    cl_mem da = client_buffer(ha, sizeof ha), db = client_buffer(hb, sizeof hb),
           dc = client_buffer(hc, sizeof hc);
    reference_gemm(1, 0);
    CLIENT_OK((int)CLBlastHgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, M, N, K,
                                half_of(1), da, 0, K, db, 0, N, 0, dc, 0, N, &client_queue, NULL));
    client_get(dc, hc, sizeof hc);
    for (int i = 0; i < M * N; i++)
        found[i] = of_half(hc[i]);
    client_near("hgemm", found, wanted, M * N, 0.05);
    clReleaseMemObject(da);
    clReleaseMemObject(db);
    clReleaseMemObject(dc);
}

static void vectors(void)
{
    cl_mem dx = float_buffer(x, LENGTH), dy = float_buffer(y, LENGTH),
           result = client_buffer(NULL, sizeof(double));
    double sum = 0;
    for (int i = 0; i < LENGTH; i++)
        sum += x[i] * y[i];
    CLIENT_OK((int)CLBlastSdot(LENGTH, result, 0, dx, 0, 1, dy, 0, 1, &client_queue, NULL));
    judge_float("sdot", result, &sum, 1, 1e-3);
    for (int i = 0; i < LENGTH; i++)
        wanted[i] = 0.75 * x[i] + y[i];
    CLIENT_OK((int)CLBlastSaxpy(LENGTH, 0.75f, dx, 0, 1, dy, 0, 1, &client_queue, NULL));
    judge_float("saxpy", dy, wanted, LENGTH, 1e-6);

    cl_mem wx = client_buffer(x, sizeof x), wy = client_buffer(y, sizeof y);
    double found;
    CLIENT_OK((int)CLBlastDdot(LENGTH, result, 0, wx, 0, 1, wy, 0, 1, &client_queue, NULL));
    client_get(result, &found, sizeof found);
    client_near("ddot", &found, &sum, 1, 1e-12);
    clReleaseMemObject(wx);
    clReleaseMemObject(wy);
    clReleaseMemObject(dx);
    clReleaseMemObject(dy);
    clReleaseMemObject(result);
}

static void sgemv(void)
{
    cl_mem da = float_buffer(a, M * K), dx = float_buffer(x, K), dy = float_buffer(y, M);
    for (int row = 0; row < M; row++) {
        wanted[row] = 0.5 * y[row];
        for (int k = 0; k < K; k++)
            wanted[row] += a[row * K + k] * x[k];
    }
    CLIENT_OK((int)CLBlastSgemv(CLBlastLayoutRowMajor, CLBlastTransposeNo, M, K, 1, da, 0, K, dx, 0, 1, 0.5f,
                                dy, 0, 1, &client_queue, NULL));
    judge_float("sgemv", dy, wanted, M, 2e-5);
    clReleaseMemObject(da);
    clReleaseMemObject(dx);
    clReleaseMemObject(dy);
}

/* Solve t z = x for a lower triangle with a strong diagonal, then multiply back. */
static void strsm(void)
{
    enum { ORDER = 24 };
    static double t[ORDER * ORDER];
    fill(t, ORDER * ORDER);
    for (int i = 0; i < ORDER; i++)
        t[i * ORDER + i] = 4;
    for (int row = 0; row < ORDER; row++) {
        wanted[row] = x[row];
        for (int k = 0; k < row; k++)
            wanted[row] -= t[row * ORDER + k] * wanted[k];
        wanted[row] /= 4;
    }
    cl_mem dt = float_buffer(t, ORDER * ORDER), dz = float_buffer(x, ORDER);
    CLIENT_OK((int)CLBlastStrsm(CLBlastLayoutRowMajor, CLBlastSideLeft, CLBlastTriangleLower,
                                CLBlastTransposeNo, CLBlastDiagonalNonUnit, ORDER, 1, 1, dt, 0, ORDER, dz, 0,
                                1, &client_queue, NULL));
    judge_float("strsm", dz, wanted, ORDER, 1e-4);
    clReleaseMemObject(dt);
    clReleaseMemObject(dz);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    client_open();
    fill(a, M * K);
    fill(b, K * N);
    fill(c, M * N);
    fill(x, LENGTH);
    fill(y, LENGTH);
    vectors();
    sgemv();
    sgemm();
    dgemm();
    strsm();
    hgemm();
    CLIENT_OK((int)CLBlastClearCache());
    client_close();
    return client_status();
}
