typedef struct { int low; float high; } pair;
static int twice(int a, int more)
{
    int b = a + a;
    int c = b * more;
    return c + b;
}
kernel void k(global int *data, int n)
{
    int i = get_global_id(0);
    int sum = 0;
    pair p = {n, 1.5f};
    for (int j = 0; j < n; j++) {
        int r = twice(j, i);
        sum ^= r + data[i];
        p.low ^= r;
    }
    float4 v = (float4)(sum, 1, 2, p.high);
    v.y += i;
    data[i] = sum + p.low + (int)dot(v, v);
}
