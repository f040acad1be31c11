/* SPDX-License-Identifier: Apache-2.0 */
__kernel void produce(__global int *out)
{
    out[get_global_id(0)] = get_global_id(0) * 10;
}

__kernel void consume(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i] + in[get_global_size(0) - 1 - i];
}
