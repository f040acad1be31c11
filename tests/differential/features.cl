/* SPDX-License-Identifier: Apache-2.0 */
//! global 32 out int 192 small int 32
/* Initialisers, compound literals, statement forms and operators of C99. */
enum colour { RED = 3, GREEN, BLUE = 10 };
typedef struct { int a, b; struct { short c[3]; } d; } thing;
static int twice(int n) { return n * 2; }
#define MAX3(a, b, c) max(max(a, b), c)
kernel void test(global int *out, global const int *x)
{
    size_t i = get_global_id(0);
    int n = x[i], v = 5;
    thing t = {.b = n, .d = {.c = {[1] = 7}}}, u = (thing){n, 2, {{1, 2, 3}}};
    int a[] = {[3] = n, 1, 2}, *p = a;
    global int *o = out + 6 * i;
    o[0] = t.a + t.b + t.d.c[1] * 100 + u.d.c[n % 3];
    o[1] = sizeof a / sizeof *a + a[3] + p[4] * 10 + *(p += 2, p + 3) * 100;
    o[2] = n > 8 ? GREEN : n > 4 ? BLUE : RED;
    v += n, v *= 3, v -= 1, v /= 2, v %= 50, v <<= 2, v >>= 1, v ^= 5, v |= 64, v &= 127;
    o[3] = v + twice(n) + MAX3(n, 4, (int)i);
    o[4] = (n ? : 55) + !!n + ~n + -n + (n, 4) + (n++ + ++n) * 0 + n-- - --n;
    int k = 0;
    { int n = 3; k += n; }
    for (int j = 0, m = 9; j < m; j += 2, m--)
        k += j * m;
    o[5] = k + 'a' + "abc"[n & 1] + 0x1p3f + 1e2 + 010 + 3u;
}
