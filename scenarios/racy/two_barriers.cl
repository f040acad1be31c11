// A tile that is written and read in each iteration of a loop without barriers: one barrier would order the accesses of an iteration,
// and not those of one iteration and the next.
kernel void tile(global int *o, local int *t)
{
    int l = get_local_id(0), sum = 0, k = 0;
    do {
        t[l] = k;
        sum += t[l ^ 1];
    } while (++k < 3);
    o[l] = sum;
}

kernel void load_first(global int *o, local int *t)
{
    int l = get_local_id(0), sum = 0;
    for (int k = 0; k < 4; k++) {
        sum += t[l ^ 1];
        if (l < 7)
            t[l] = k;
        o[l] = sum;
    }
}

kernel void over_lines(global int *o, local int *t)
{
    int l = get_local_id(0), sum = 0;
    for (int k = 0; k < 4; k++) {
        t[l] =
            k;
        sum +=
            t[l ^ 1];
    }
    o[l] = sum;
}

// All that the others wrote is read in a loop of its own.
kernel void within_another(global int *o, local int *t)
{
    int l = get_local_id(0), sum = 0;
    for (int k = 0; k < 3; k++) {
        t[l] = k;
        for (int j = 0; j < 8; j++)
            sum += t[j];
    }
    o[l] = sum;
}

// The number of iterations may differ.
kernel void asked(global int *o, local int *t)
{
    int l = get_local_id(0), sum = 0;
    for (int k = 0; k < o[8]; k++) {
        t[l] = k;
        sum += t[l ^ 1];
    }
    o[l] = sum;
}

kernel void leaves(global int *o, local int *t)
{
    int l = get_local_id(0), sum = 0;
    for (int k = 0; k < 3; k++) {
        t[l] = k;
        if (l == k)
            break;
        sum += t[l ^ 1];
    }
    o[l] = sum;
}

// One statement, and a line that ends with the loop: no place.
kernel void no_braces(global int *o, local int *t)
{
    int l = get_local_id(0), sum = 0;
    for (int k = 0; k < 4; k++)
        t[l] = k, sum +=
            t[l ^ 1];
    o[l] = sum;
}

kernel void in_one_line(global int *o, local int *t)
{
    int l = get_local_id(0), sum = 0;
    for (int k = 0; k < 3; k++) { t[l] = k;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += t[l ^ 1]; }
    o[l] = sum;
}

// One barrier, but braces for it.
kernel void next_iteration(global int *o, local int *t)
{
    int l = get_local_id(0);
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 4; s > 0; s >>= 1)
        if (l < s)
            t[l] += t[l + s];
}
