/* SPDX-License-Identifier: Apache-2.0 */
//! global 16 out float 32 out int 16 small float 16
/* Second results of invariant calls in a loop, and of equal calls. */
kernel void test(global float *out, global int *e, global const float *x)
{
    size_t i = get_global_id(0);
    float a = x[i] * 1.25f, sum = 0, whole = 0;
    int n = 0, m = 0;
    for (int k = 0; k < 5; k++) {
        float f = modf(a, &whole);
        if (x[i] > 3)
            sum += frexp(a, &n) + f;
        else
            sum -= frexp(a, &m);
        sum += whole * k;
    }
    out[2 * i] = sum;
    out[2 * i + 1] = whole;
    e[i] = n * 100 + m;
}
