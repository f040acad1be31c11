/* SPDX-License-Identifier: Apache-2.0 */
__kernel void split(__global int *out)
{
    int i = get_local_id(0);
    if (i < 4)
        out[i] = work_group_reduce_add(i);
}
