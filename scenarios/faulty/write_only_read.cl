/* SPDX-License-Identifier: Apache-2.0 */
__kernel void peek(__global int *out)
{
    out[0] = 3;
    out[1] = out[0];
}
