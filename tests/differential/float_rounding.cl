/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out float 640 out int 128 in float 64 in float 64
typedef float T;
kernel void test(global T *out, global int *ints, global const T *x, global const T *y)
{
    size_t i = get_global_id(0);
    T a = x[i], b = y[i], whole;
    int e;
    global T *o = out + 10 * i;
    o[0] = floor(a);
    o[1] = ceil(a);
    o[2] = trunc(a);
    o[3] = rint(a);
    o[4] = round(a);
    o[5] = isfinite(a) ? modf(a, &whole) + whole : 0;
    o[6] = isfinite(a) ? frexp(a, &e) : 0;
    ints[2 * i] = isfinite(a) ? e : 0;
    o[7] = ldexp(a, 3) + ldexp(b, -5);
    o[8] = isfinite(a) && isfinite(b) ? fdim(a, b) : 0;
    o[9] = nextafter(a, b);
    ints[2 * i + 1] = isfinite(a) && a != 0 ? ilogb(a) : 0;
}
