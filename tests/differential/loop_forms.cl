/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out int 256 small int 64
kernel void test(global int *out, global const int *x)
{
    size_t i = get_global_id(0);
    int n = x[i], a = 0, b = 0, c = 0, d = 0;
    while (n > 0) {
        n -= 3;
        if (n == 4)
            continue;
        a += n;
        if (a > 20)
            break;
    }
    do {
        b += 2;
        if (b & 4)
            continue;
        b++;
    } while (b < x[i]);
    for (int k = 0; k < 5; k++)
        for (int m = k; ; m++) {
            if (m > x[i])
                break;
            if ((m & 3) == 2)
                continue;
            for (int q = 0; q < m; q++) {
                if (q == 6)
                    goto out_of_two;
                c += q;
            }
            c++;
        }
out_of_two:
    for (;;) {
        if (d++ > x[i] / 2)
            break;
    }
    out[4 * i] = a;
    out[4 * i + 1] = b;
    out[4 * i + 2] = c;
    out[4 * i + 3] = d + n;
}
