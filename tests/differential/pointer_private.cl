/* SPDX-License-Identifier: Apache-2.0 */
//! global 32 out int 160 small int 32
void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
void sort(int *a, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && a[j - 1] > a[j]; j--)
            swap(&a[j - 1], a + j);
}
int *find(int *from, int *end, int what)
{
    while (from != end && *from != what)
        from++;
    return from;
}
kernel void test(global int *out, global const int *x)
{
    size_t i = get_global_id(0);
    int a[9], *p = a, *end = a + 9;
    for (int k = 0; k < 9; k++)
        *p++ = (x[(i + k * 5) & 31] * 7) & 15;
    sort(a, 9);
    int *pick[3] = {a, a + 4, end - 1};
    *pick[x[i] % 3] += 100;
    p = find(a, end, x[i]);
    out[5 * i] = (int)(p - a);
    out[5 * i + 1] = a[0] + a[4] * 3 + a[8] * 5;
    out[5 * i + 2] = **(pick + 1);
    out[5 * i + 3] = p < end ? *p : -1;
    int (*rows)[3] = (int (*)[3])a;
    out[5 * i + 4] = rows[x[i] % 3][i % 3] + (rows[2] - a == 6);
}
