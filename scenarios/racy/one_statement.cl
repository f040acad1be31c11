// Accesses with no end of a line between them.
kernel void over_lines(global int *d, global int *o)
{
    int g = get_global_id(0);
    d[g] =
        d[g ^ 1] +
        1;
}

kernel void over_lines_of_a_turn(global int *d, global int *o)
{
    int g = get_global_id(0);
    for (int k = 0; k < 2; k++) {
        d[g] =
            d[g ^ 1] +
            1;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

// The store is of a function that stands before the kernel: the place between is before its call.
void put(global int *d, int g, int value)
{
    d[g] = value;
}

kernel void by_a_function(global int *d, global int *o)
{
    int g = get_global_id(0);
    int value = d[g ^ 1];
    put(d, g, value);
}

kernel void store_first(global int *d, global int *o)
{
    int g = get_global_id(0);
    d[g] = g; o[g] = d[g ^ 1];
}

kernel void store_within(global int *d, global int *o)
{
    int g = get_global_id(0);
    o[g] = (d[g] = g) + d[g ^ 1];
}
