/* SPDX-License-Identifier: Apache-2.0 */
struct counted {
    char count;
    int values[4];
};

union bits {
    int whole[4];
    uchar part[16];
};

/* The caller does not see the callee's changes to its copy. */
__attribute__((noinline)) int change(struct counted c, int by)
{
    c.values[0] += by;
    c.count++;
    return c.values[0] + c.count;
}

__attribute__((noinline)) int change_union(union bits b)
{
    b.part[1] = 1;
    return b.whole[0];
}

kernel void by_value(struct counted given, global const int *in, global int *out)
{
    struct counted c = {7, {in[0], in[1], in[2], in[3]}};
    union bits b = {{5, 6, 7, 8}};
    out[0] = change(c, 100);
    out[1] = change(c, 200);
    out[2] = c.values[0];
    out[3] = c.count;
    out[4] = change(given, 1000);
    out[5] = given.values[0];
    out[6] = change_union(b);
    out[7] = b.whole[0];
}
