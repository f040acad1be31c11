/* SPDX-License-Identifier: Apache-2.0 */
//! global 32 out int 64 small int 32
bool odd(int n) { return n & 1; }
kernel void test(global int *out, global const int *x)
{
    size_t i = get_global_id(0);
    bool flags[8];
    for (int k = 0; k < 8; k++)
        flags[k] = odd(x[i] >> (k & 3)) != (k > 4);
    bool all = true, any = false;
    for (int k = 0; k < 8; k++) {
        all = all && flags[k];
        any |= flags[k];
    }
    out[2 * i] = flags[x[i] & 7] + 2 * all + 4 * any;
    out[2 * i + 1] = (x[i] > 3 && x[i] / (x[i] - 3) > 1) || !flags[2] ? 11 : 22;
}
