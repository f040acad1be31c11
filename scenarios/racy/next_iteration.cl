// All halve the row together, without a barrier before the next iteration.
kernel void reduce(global int *out, local int *t, int n)
{
    int l = get_local_id(0);
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (l < s)
            t[l] += t[l + s];
    }
    if (l == 0)
        out[0] = n;
}

// Within another loop, whose bound is an argument.
kernel void nested(global int *out, local int *t, int n)
{
    int l = get_local_id(0);
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n; k++) {
        for (int s = 4; s > 0; s >>= 1) {
            if (l < s)
                t[l] += t[l + s];
        }
    }
}

// Memory decides the number of iterations: it may differ.
kernel void asked(global int *out, local int *t, int n)
{
    int l = get_local_id(0);
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = out[1]; s > 0; s >>= 1) {
        if (l < s)
            t[l] += t[l + s];
    }
}

// One does not reach the loop.
kernel void gone(global int *out, local int *t, int n)
{
    int l = get_local_id(0);
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 7)
        return;
    for (int s = 4; s > 0; s >>= 1) {
        if (l < s)
            t[l] += t[l + s];
    }
}

// The loads and the stores are in one iteration, too.
kernel void scan(global int *out, local int *t, int n)
{
    int l = get_local_id(0);
    t[l] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 1; s < 8; s <<= 1) {
        if (l >= s)
            t[l] += t[l - s];
    }
}
