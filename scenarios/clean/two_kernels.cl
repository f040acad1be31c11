// The next kernel reads the writes of all work-groups.
kernel void write(global int *data)
{
    data[get_global_id(0)] = (int)get_global_id(0);
}

kernel void shift(global int *data, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = data[(i + 1) % get_global_size(0)];
}
