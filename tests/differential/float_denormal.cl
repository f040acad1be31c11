/* SPDX-License-Identifier: Apache-2.0 */
//! global 32 out float 96 out int 32 in int 32
/* Subnormal numbers are numbers. */
#pragma OPENCL FP_CONTRACT OFF
kernel void test(global float *out, global int *bits, global const int *x)
{
    size_t i = get_global_id(0);
    float a = as_float(x[i] & 0x807fffff), b = as_float(x[31 - i] & 0x80ffffff);
    out[3 * i] = a + b;
    out[3 * i + 1] = a - b;
    out[3 * i + 2] = a * 0.5f + b * 0.25f;
    bits[i] = as_int(a) ^ as_int(-b);
}
