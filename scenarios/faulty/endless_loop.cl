/* SPDX-License-Identifier: Apache-2.0 */
__kernel void wait(volatile __global int *flag)
{
    while (flag[0] == 0)
        ;
}
