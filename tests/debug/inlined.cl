__attribute__((always_inline)) int scaled(int a, int more)
{
    int b = a + a;
    int c = b * more;
    return c + b;
}
__attribute__((always_inline)) int outer(int x)
{
    int y = scaled(x, 2);
    return y + 1;
}
kernel void k(global int *data, int n)
{
    int i = get_global_id(0);
    int sum = scaled(i, n) + scaled(n, i);
    data[i] = sum + outer(i);
}
