// Some work-items execute one access, others the other, or some none: not all would execute a barrier at these places.
kernel void either(global int *d)
{
    int g = get_global_id(0);
    if (g == 0)
        d[0] = 1;
    else
        d[g] = d[0];
}

kernel void cases(global int *d)
{
    int l = get_local_id(0);
    switch (l) {
    case 0: d[0] = 1; break;
    case 1: d[1] = d[0]; break;
    }
}

kernel void left(global int *d)
{
    int g = get_global_id(0);
    if (g > 5)
        return;
    d[g] = 1;
    d[8 + g] = d[(g + 1) % 6];
}

kernel void choice(global int *d)
{
    int g = get_global_id(0);
    d[8 + g] = g == 0 ? (d[0] = 1) : d[0];
}

// Here a place is between.
kernel void two_ifs(global int *d)
{
    int g = get_global_id(0);
    if (g == 0)
        d[0] = 1;
    if (g == 1)
        d[1] = d[0];
}
