/* SPDX-License-Identifier: Apache-2.0 */
__kernel void shift(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    out[i + 1] = in[i]; /* the last work-item writes after out */
}
