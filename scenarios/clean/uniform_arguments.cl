/* The same functions with uniform arguments, which the compiler cannot prove. */
kernel void uniform(global int *out)
{
    int l = get_local_linear_id(), k = out[0];
    local int tile[64];
    event_t done[2];
    done[0] = async_work_group_copy(tile + k, (const global int *)out + k, k + 3, 0);
    done[1] = async_work_group_strided_copy(tile + 8 + k, (const global int *)out, k, k, 0);
    wait_group_events(1, &done[k]);
    wait_group_events(k, done);
    barrier(CLK_LOCAL_MEM_FENCE);
    int a = work_group_broadcast(l, (size_t)k, (size_t)(l - l));
    int b = sub_group_broadcast(l, k + l * 0);
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[64 + l] = tile[k] + a + (b - b); /* not out[0], which the other group reads */
}
