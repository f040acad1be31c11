/* SPDX-License-Identifier: Apache-2.0 */
//! global 32 out int 96 small int 32
/* Values that trade places each round. */
kernel void test(global int *out, global const int *x)
{
    size_t i = get_global_id(0);
    int a = x[i], b = 100, c = (int)i;
    for (int k = 0; k < x[i]; k++) {
        int t = a;
        a = b;
        b = c;
        c = t + k;
        if (k == 7) {
            t = a;
            a = c;
            c = t;
        }
    }
    out[3 * i] = a;
    out[3 * i + 1] = b;
    out[3 * i + 2] = c;
}
