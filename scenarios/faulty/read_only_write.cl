/* SPDX-License-Identifier: Apache-2.0 */
__kernel void scribble(__global int *in)
{
    in[get_global_id(0)] = 1;
}
