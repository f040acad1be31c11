/* SPDX-License-Identifier: Apache-2.0 */
__kernel void count(__global int *counters, __global uint *bits)
{
    int i = get_global_id(0);
    atomic_inc(&counters[0]);
    atomic_add(&counters[1], i);
    atomic_max(&counters[2], i);
    atomic_min(&counters[3], -i);
    atomic_or(bits, 1u << (i % 32));
    while (atomic_cmpxchg(&counters[4], 0, 1) != 0)
        ;
    counters[5] += 2; /* guarded by the lock */
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    atomic_xchg(&counters[4], 0);
}
