/* SPDX-License-Identifier: Apache-2.0 */
/* It would give up at last: no state recurs, and no livelock can be proved. */
__kernel void wait(volatile __global int *flag)
{
    uint rounds = 0;
    while (flag[0] == 0 && rounds != 0xffffffffu)
        rounds++;
    flag[0] = rounds;
}
