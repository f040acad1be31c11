// SPDX-License-Identifier: Apache-2.0
// Counts work-groups, and loses one now and then: others may write between the load and the store.
kernel void count(volatile global int *total)
{
    if (get_local_id(0) == 0) {
        int before = total[0];
        total[0] = before + 1;
    }
}
