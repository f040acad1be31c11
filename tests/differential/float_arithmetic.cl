/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out float 896 in float 64 in float 64
#pragma OPENCL FP_CONTRACT OFF
typedef float T;
kernel void test(global T *out, global const T *x, global const T *y)
{
    size_t i = get_global_id(0);
    T a = x[i], b = y[i], c = x[63 - i];
    global T *o = out + 14 * i;
    o[0] = a + b;
    o[1] = a - b;
    o[2] = a * b;
    o[3] = a / b;
    o[4] = -a;
    o[5] = a * b + c;
    o[6] = a * b - c;
    o[7] = c - a * b;
    o[8] = fma(a, b, c);
    o[9] = sqrt(a);
    o[10] = a * a + b * b + c * c;
    o[11] = (a + b) * (a - b) / (c + (T)1);
    o[12] = fmod(a, b);
    o[13] = remainder(a, b);
}
