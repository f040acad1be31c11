// A statement has several lines, and calls functions: a barrier fits before it or after it, or nowhere.
int put(global int *d, int g)
{
    d[g] = g;
    return 1;
}

int get(global int *d, int g)
{
    int sum = 0;
    for (int k = 0; k < 2; k++)
        sum += d[g];
    return sum;
}

kernel void next(global int *d, global int *o)
{
    int g = get_global_id(0);
    d[g] = 1;
    o[g] =
        d[g ^ 1];
}

kernel void after(global int *d, global int *o)
{
    int g = get_global_id(0);
    d[g] =
        1;
    for (int k = 0; k < 2; k++)
        o[g] += d[g ^ 1];
}

kernel void condition(global int *d, global int *o)
{
    int g = get_global_id(0);
    d[g] = 1;
    if (g +
        d[g ^ 1] == 3)
        o[g] = 1;
}

kernel void initialiser(global int *d, global int *o)
{
    int g = get_global_id(0);
    d[g] = 1;
    int x[2] = {
        1,
        d[g ^ 1]
    };
    o[g] = x[1];
}

kernel void literal(global int *d, global int4 *o)
{
    int g = get_global_id(0);
    d[g] = g;
    o[g] = (int4)(
        1, 2, 3,
        d[g ^ 1]);
}

// The store is of the same statement.
kernel void same(global int *d, global int *o)
{
    int g = get_global_id(0);
    int x = (d[g] = 1) +
            d[g ^ 1];
    o[g] = x;
}

// It is done by a function that the line of the load calls, or the line before.
kernel void put_in_line(global int *d, global int *o)
{
    int g = get_global_id(0);
    o[g] = put(d, g) + d[g ^ 1];
}

kernel void get_in_line(global int *d, global int *o)
{
    int g = get_global_id(0);
    int x = (d[g] = 1) + get(d, g ^ 1);
    o[g] = x;
}

kernel void in_its_own_line(global int *d, global int *o) { int g = get_global_id(0); o[g] = d[g ^ 1]; put(d, g); }

// If a line begins with the end of a block, the place before it is within the block. A comment has several lines, too.
kernel void block_ends(global int *d, global int *o)
{
    int g = get_global_id(0);
    if (g < 4) {
        d[g] = g;
    } int x = d[g ^ 1];
    o[g] = x;
}

kernel void loop_on_line(global int *d, global int *o)
{
    int g = get_global_id(0);
    d[g] = g; for (int k = 0; k < 2; k++) {
        o[g] += d[g ^ 1];
    }
}

kernel void comment(global int *d, global int *o)
{
    int g = get_global_id(0);
    d[g] = g; /* which others
    read */ o[g] = d[g ^ 1];
}

// Code that #if leaves out opens a brace, too.
kernel void left_out(global int *d, global int *o)
{
    int g = get_global_id(0);
#ifdef SOME
    if (g) {
#else
    if (!g) {
#endif
        d[g] = g;
    }
    o[g] =
        d[g ^ 1];
}

kernel void in_head(global int *d) {
    int l = get_local_id(0), x, sum = 0;
    for (d[l] = 3, x = 0; x < 8; x++) sum += d[x];
    d[l + 64] = sum;
}
