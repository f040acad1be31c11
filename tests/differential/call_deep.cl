/* SPDX-License-Identifier: Apache-2.0 */
//! global 32 out int 128 small int 32
int f1(int n, int *out) { if (n < 3) return n; *out += n; return n * 2; }
int f2(int n, int *out) { for (int k = 0; k < n; k++) { int r = f1(k, out); if (r > 12) return r; } return f1(n, out) + 1; }
int f3(int n, int *a, int *b) { if (n == 5) { *b = 7; return 0; } return f2(n, a) + f2(*b, b); }
int f4(int n, int *out) { int a = 0, b = n / 2; switch (n & 3) { case 0: return f3(n, &a, &b); case 1: *out = a; break; default: a = f2(n, out); } return a + f3(n, &b, out) + b; }
int f5(int n, int *out) { return n > 10 ? f4(n - 10, out) : f4(n, out) + f4(n + 1, out); }
void f6(int n, int *a, int *b, int *c) { *a = f5(n, b); if (*a & 1) return; *c = f5(*b & 7, a); }
kernel void test(global int *out, global const int *x)
{
    size_t i = get_global_id(0);
    int a = 1, b = 2, c = 3;
    f6(x[i], &a, &b, &c);
    out[4 * i] = a;
    out[4 * i + 1] = b;
    out[4 * i + 2] = c;
    if (x[i] == 9)
        return;
    out[4 * i + 3] = f5(c & 15, &a) + a;
}
