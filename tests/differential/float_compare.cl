/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out int 64 out int 64 out int 256 out float 192 in float 64 in float 64
typedef float T;
kernel void test(global int *flags, global int *tests, global int4 *vectors, global T *picked, global const T *x, global const T *y)
{
    size_t i = get_global_id(0);
    T a = x[i], b = y[i];
    flags[i] = (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5 | !a << 6 | (a && b) << 7 | !(a < b) << 8 |
               !(a >= b) << 9 | isless(a, b) << 10 | islessequal(a, b) << 11 | isgreater(a, b) << 12 | isgreaterequal(a, b) << 13 | isequal(a, b) << 14 |
               isnotequal(a, b) << 15 | islessgreater(a, b) << 16 | isordered(a, b) << 17 | isunordered(a, b) << 18;
    tests[i] = isnan(a) | isinf(a) << 1 | isfinite(a) << 2 | isnormal(a) << 3 | signbit(a) << 4;
    float4 u = (float)(1) * (float4)(a, b, a, b), v = (float4)(b, b, a, a);
    vectors[i] = (u < v) + 2 * (u == v) + 4 * (u != v) + 8 * (isnan(u)) + 16 * (signbit(v)) + 32 * (u >= v);
    picked[3 * i] = a < b ? a : b;
    picked[3 * i + 1] = fmin(a, b) == fmin(b, a) || isnan(fmin(a, b)) ? fmax(fabs(a), fabs(b)) : 99;
    picked[3 * i + 2] = copysign(a, b);
}
