// SPDX-License-Identifier: Apache-2.0
// Two kernels that alternate. Both are wrong: fill adds to a counter that all work-items share, without an atomic, and
// leaves the last element unwritten; sum uses it, and adds up in local memory without a barrier.
kernel void fill(global int *data, global int *counter)
{
    size_t i = get_global_id(0);
    if (i + 1 < get_global_size(0))
        data[i] = (int)i;
    counter[0] += 1;
}

kernel void sum(global const int *data, global int *out)
{
    local int total;
    size_t i = get_global_id(0);
    if (get_local_id(0) == 0)
        total = 0;
    total += data[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = total + data[get_global_size(0) - 1];
}
