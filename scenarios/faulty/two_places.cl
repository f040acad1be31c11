/* SPDX-License-Identifier: Apache-2.0 */
__kernel void both(__global int *out, int n)
{
    size_t i = get_global_id(0);
    if (i < 2)
        out[n + i] = 1;
    else
        out[i] = out[n + i];
}
