// A neighbour's element is read after a barrier; the neighbour of the last work-item is in the next work-group.
kernel void shift(global int *data, global int *out)
{
    size_t i = get_global_id(0), next = (i + 1) % get_global_size(0);
    data[i] = (int)i;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = data[next];
}
