/* SPDX-License-Identifier: Apache-2.0 */
__kernel void before(__global int *out)
{
    int i = get_global_id(0);
    out[i - 1] = i;
}
