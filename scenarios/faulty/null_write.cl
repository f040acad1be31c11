/* SPDX-License-Identifier: Apache-2.0 */
__kernel void follow(__global int *out)
{
    out[0] = 1;
}
