/* SPDX-License-Identifier: Apache-2.0 */
//! global 70 local 35 out int 70 small int 70
kernel void test(global int *out, global const int *x)
{
    size_t i = get_global_id(0);
    out[i] = -1;
    if (x[i] == 0)
        return;
    for (int k = 0; k < 10; k++) {
        out[i] = k;
        if (k == x[i])
            return;
        if (k * 3 > x[i] + 9)
            break;
    }
    if (x[i] > 9)
        return;
    out[i] += 100;
}
