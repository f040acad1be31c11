// A branch depends on a value that others write within it.
kernel void largest(global int *most)
{
    int g = get_global_id(0);
    if (most[0] < g)
        most[0] = g;
}

// The branch does not depend on the access, but stands on its line.
kernel void beside(global int *d)
{
    int g = get_global_id(0);
    d[g] = g; if (g == 0)
        d[7] = 1;
}

kernel void of_groups(global int *d)
{
    int g = get_global_id(0);
    if (d[g] == 9)
        d[g ^ 4] = g;
}

// A line ends before the branch.
kernel void read_ahead(global int *most)
{
    int g = get_global_id(0);
    int was = most[0];
    if (was < g)
        most[0] = g;
}
