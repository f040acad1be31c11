// One work-item of a work-group releases or acquires for all of it, and a barrier is missing at its side.
kernel void taken_by_one(global atomic_int *ready, global int *data, global int *out)
{
    int i = get_local_id(0);
    if (get_group_id(0) == 0) {
        data[i] = i;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (i == 0)
            atomic_store_explicit(ready, 1, memory_order_release, memory_scope_device);
    } else {
        if (i == 0)
            while (atomic_load_explicit(ready, memory_order_acquire, memory_scope_device) == 0)
                ;
        out[get_global_id(0)] = data[i];
    }
}

kernel void sent_by_one(global atomic_int *ready, global int *data, global int *out)
{
    int i = get_local_id(0);
    if (get_group_id(0) == 0) {
        data[i] = i;
        if (i == 0)
            atomic_store_explicit(ready, 1, memory_order_release, memory_scope_device);
    } else {
        while (atomic_load_explicit(ready, memory_order_acquire, memory_scope_device) == 0)
            ;
        out[get_global_id(0)] = data[i];
    }
}

kernel void sent_and_taken_by_one(global atomic_int *ready, global int *data, global int *out)
{
    int i = get_local_id(0);
    if (get_group_id(0) == 0) {
        data[i] = i;
        if (i == 0)
            atomic_store_explicit(ready, 1, memory_order_release, memory_scope_device);
    } else {
        if (i == 0)
            while (atomic_load_explicit(ready, memory_order_acquire, memory_scope_device) == 0)
                ;
        out[get_global_id(0)] = data[i ^ 1];
    }
}

// The last work-group sums up what all others have done.
kernel void last_sums(global atomic_int *done, global int *data, global int *out)
{
    int i = get_local_id(0);
    data[get_global_id(0)] = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i == 0)
        atomic_fetch_add_explicit(done, 1, memory_order_release, memory_scope_device);
    if (get_group_id(0) == get_num_groups(0) - 1) {
        if (i == 0)
            while (atomic_load_explicit(done, memory_order_acquire, memory_scope_device) < get_num_groups(0))
                ;
        for (int group = 0; group < get_num_groups(0); group++)
            out[i] += data[group * get_local_size(0) + i];
    }
}

// With fences: the release is the fence's.
kernel void taken_by_fence(global atomic_int *ready, global int *data, global int *out)
{
    int i = get_local_id(0);
    if (get_group_id(0) == 0) {
        data[i] = i;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
        atomic_fetch_add_explicit(ready, 1, memory_order_relaxed, memory_scope_device);
    } else {
        if (i == 0) {
            while (atomic_load_explicit(ready, memory_order_relaxed, memory_scope_device) < get_local_size(0))
                ;
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        }
        out[get_global_id(0)] = data[i];
    }
}

// No barrier fits after the acquire: not all of the work-group execute it.
kernel void taken_in_branch(global atomic_int *ready, global int *data, global int *out)
{
    int i = get_local_id(0);
    if (get_group_id(0) == 0) {
        data[i] = i;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (i == 0)
            atomic_store_explicit(ready, 1, memory_order_release, memory_scope_device);
    } else if (i == 0) {
        while (atomic_load_explicit(ready, memory_order_acquire, memory_scope_device) == 0)
            ;
    } else {
        out[get_global_id(0)] = data[i];
    }
}
