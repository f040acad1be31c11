/* SPDX-License-Identifier: Apache-2.0 */
__kernel void large(int n, __global int *out)
{
    int table[4096];
    for (int i = 0; i < 4096; i++)
        table[i] = i;
    out[0] = table[n];
}
