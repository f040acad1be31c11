/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out int 192 small int 64
/* Two loops that jump into each other inside a third, all leaving at different times. */
kernel void test(global int *out, global const int *x)
{
    size_t i = get_global_id(0);
    int n = x[i], a = 0, b = 0, rounds = 0;
    for (int k = 0; k < 4; k++) {
        int keep = k * 10 + n;
        if ((n + k) & 1)
            goto second;
first:
        a += keep;
        rounds++;
        if (rounds > 40)
            break;
        if ((a & 7) == 3)
            goto leave;
second:
        b += a + keep;
        rounds++;
        if (rounds > 50)
            goto finish;
        if ((b + rounds) % 3)
            goto first;
        b ^= keep;
        if (b & 8)
            goto second;
leave:
        a += k;
    }
finish:
    out[3 * i] = a;
    out[3 * i + 1] = b;
    out[3 * i + 2] = rounds;
}
