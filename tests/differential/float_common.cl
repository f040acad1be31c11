/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out float 448 small float 64 small float 64
#pragma OPENCL FP_CONTRACT OFF
kernel void test(global float *out, global const float *x, global const float *y)
{
    size_t i = get_global_id(0);
    float a = x[i] - 4, b = y[i];
    global float *o = out + 7 * i;
    o[0] = clamp(a, 0.0f, 5.0f);
    o[1] = sign(a);
    o[2] = step(a, b);
    o[3] = max(a, b) - min(a, b);
    o[4] = mix(a, b, 0.25f);
    o[5] = smoothstep(-2.0f, 6.0f, a);
    o[6] = fract(a * 0.125f, (float *)(o + 0 == out ? &b : &b)) + b;
}
