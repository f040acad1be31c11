/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out int 192 small int 64
kernel void test(global int *out, global const int *x)
{
    size_t i = get_global_id(0);
    int s = 0, t = 0, last = -1;
    if (x[i] > 2) {
        for (int k = 0; k < x[i]; k++) {
            if (k & 1) {
                int m = k;
                while (m < x[(i + k) & 63]) {
                    m += 2;
                    if (m == 7) {
                        last = k;
                        break;
                    }
                    if (m > 12)
                        goto over;
                    s += m;
                }
                t += m;
            } else {
                s ^= k;
            }
            if (s > 60)
                break;
        }
        t += 1000;
    } else {
        do
            t += ++s;
        while (s < (int)(i & 7));
    }
over:
    out[3 * i] = s;
    out[3 * i + 1] = t;
    out[3 * i + 2] = last;
}
