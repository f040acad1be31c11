// SPDX-License-Identifier: Apache-2.0
void meet(local int *tile)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[get_local_id(0)] = 1;
}

void by_way_of(local int *tile)
{
    meet(tile); // by way of this
}

void put(global int *out, int value)
{
    out[0] = value;
}

void nothing(void)
{
    atomic_work_item_fence(0, memory_order_acq_rel, memory_scope_device);
}

kernel void some(global int *out)
{
    local int tile[8];
    if (get_local_id(0) < 4)
        by_way_of(tile); // called from here
    out[get_global_id(0)] = 1;
}

kernel void two(global int *out)
{
    if (get_global_id(0) == 0)
        put(out, 1); // called from here
    else
        put(out, 2); // and from here
    nothing(); // called from here
}
