/* SPDX-License-Identifier: Apache-2.0 */
/* It counts: so it never is where it was before, and no livelock can be proved. */
__kernel void wait(volatile __global int *flag)
{
    int rounds = 0;
    while (flag[0] == 0)
        rounds++;
    flag[0] = rounds;
}
