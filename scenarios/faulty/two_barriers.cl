/* SPDX-License-Identifier: Apache-2.0 */
__kernel void split(__global int *out)
{
    int i = get_local_id(0);
    if (i < 3)
        barrier(CLK_LOCAL_MEM_FENCE);
    else if (i < 6)
        barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = i;
}
