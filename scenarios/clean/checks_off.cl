/* SPDX-License-Identifier: Apache-2.0 */
__kernel void after(__global int *out)
{
    out[get_global_id(0)] = 7;
    out[get_global_size(0)] = 1;
}
