/* SPDX-License-Identifier: Apache-2.0 */
//! self global 8 local 8 out int 8 inout int 2
/* Lanes of one wave take a lock in turn: the winner must get on while the others spin. */
kernel void test(global int *ok, volatile global int *lock)
{
    local int held;
    local int count;
    if (get_local_id(0) == 0)
        held = count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (bool done = false; !done;) {
        if (atomic_cmpxchg(&held, 0, 1) == 0) {
            count += 1;
            atomic_xchg(&held, 0);
            done = true;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    ok[get_global_id(0)] = count == 8;
    if (get_local_id(0) == 0)
        lock[0] = lock[1] = 1;
}
