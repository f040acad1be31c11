/* SPDX-License-Identifier: Apache-2.0 */
/* The value that a function stores through its pointer argument may never be read. */
kernel void scalars(global const float *in, global float *out)
{
    size_t i = get_global_id(0);
    float x = in[i], unread;
    int sign;
    uint bits;
    switch (i % 6) {
    case 0: out[i] = fract(x, &unread); break;
    case 1: out[i] = modf(x, &unread); break;
    case 2: out[i] = sincos(x - 2.5f, &unread); break;
    case 3: out[i] = frexp(x, &sign); break;
    case 4: out[i] = lgamma_r(x - 1.5f, (private int *)&bits); break;
    default: out[i] = remquo(x, 2.0f, &sign); break;
    }
}

/* One value for all work-items, in double, and in vectors. */
kernel void uniform_ones(global double *out)
{
    double unread;
    double3 unread3;
    int sign;
    out[0] = fract(2.75, &unread);
    out[1] = modf(2.75, &unread);
    out[2] = sincos(0.0, &unread);
    out[3] = frexp(8.0, &sign);
    out[4] = lgamma_r(1.0, &sign);
    out[5] = remquo(7.0, 4.0, &sign);
    out[6] = fract((double3)(0.5, 1.25, 3.75), &unread3).z;
}

/* The other way round: the returned value is unread, the stored one is read. */
kernel void stored_ones(global const float *in, global float *out)
{
    size_t i = get_global_id(0);
    float whole;
    int exponent;
    if (i % 2) {
        fract(in[i], &whole);
        out[i] = whole;
    } else {
        frexp(in[i], &exponent);
        out[i] = exponent;
    }
}
