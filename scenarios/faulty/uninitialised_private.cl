/* SPDX-License-Identifier: Apache-2.0 */
__kernel void sum(__global int *out, int n)
{
    int i = get_global_id(0), table[8], total = 0;
    for (int k = 0; k < n - 1; k++)
        table[(k + i) & 7] = k;
    for (int k = 0; k < n; k++)
        total += table[(k + i) & 7];
    out[i] = total;
}
