/* SPDX-License-Identifier: Apache-2.0 */
__kernel void odd(__global char *bytes)
{
    *(__global int *)(bytes + 2) = 1;
}
