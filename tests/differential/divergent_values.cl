/* SPDX-License-Identifier: Apache-2.0 */
//! global 100 local 25 out int 500 small int 100
/* Values that leave a loop which every lane leaves at another time: uniform, affine, varying. */
kernel void test(global int *out, global const int *x)
{
    size_t i = get_global_id(0);
    int uniform = 0, k;
    long affine = (long)i * 4;
    float f = 1;
    uint h = 0;
    for (k = 0; k < 20; k++) {
        uniform += 3;
        affine += 8;
        f *= 1.5f;
        h = h * 31 + x[(i + k) % 100];
        if (x[i] * 2 < uniform)
            break;
        h ^= uniform;
    }
    out[5 * i] = uniform;
    out[5 * i + 1] = (int)affine;
    out[5 * i + 2] = (int)f;
    out[5 * i + 3] = (int)h;
    out[5 * i + 4] = k;
}
