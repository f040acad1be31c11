/* SPDX-License-Identifier: Apache-2.0 */
__kernel void fill(__local int *tile, __global int *out)
{
    int i = get_local_id(0);
    tile[i] = i;
    out[i] = i;
}
