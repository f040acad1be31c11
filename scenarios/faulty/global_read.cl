/* SPDX-License-Identifier: Apache-2.0 */
__kernel void shift(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i + 1]; /* the last work-item reads after in */
}
