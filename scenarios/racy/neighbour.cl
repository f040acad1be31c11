// Each reads what its neighbour writes: the last one of a work-group has its neighbour in the next.
kernel void shift(global int *data, global int *out)
{
    size_t i = get_global_id(0);
    data[i] = (int)i;
    out[i] = data[(i + 1) % get_global_size(0)];
}
kernel void shift_within(global int *data, global int *out)
{
    size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    data[i] = (int)i;
    out[i] = data[i - l + (l + 1) % n];
}
