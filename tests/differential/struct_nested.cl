/* SPDX-License-Identifier: Apache-2.0 */
//! global 32 out int 256 small int 32
struct inner { char tag; short pair[2]; };
struct outer { struct inner a[3]; int x; union { int i; float f; uchar c[4]; } u; struct { long big; char end; } last; };
int total(struct outer o) { return o.a[0].tag + o.a[2].pair[1] * 3 + o.x + o.u.c[1] + (int)o.last.big + o.last.end; }
struct outer make(int n)
{
    struct outer o;
    for (int k = 0; k < 3; k++) {
        o.a[k].tag = (char)(n + k);
        o.a[k].pair[0] = (short)(n * k);
        o.a[k].pair[1] = (short)(n - k);
    }
    o.x = n * n;
    o.u.f = 1.0f + n;
    o.last.big = (long)n << 33 | n;
    o.last.end = -1;
    return o;
}
kernel void test(global int *out, global const int *x)
{
    size_t i = get_global_id(0);
    struct outer a = make(x[i]), b = a, *p = &b;
    p->a[x[i] % 3].pair[x[i] & 1] = 99;
    p->u.c[3] ^= 0x80;
    out[8 * i] = total(a);
    out[8 * i + 1] = total(b);
    out[8 * i + 2] = total(*p) - b.a[1].pair[0];
    out[8 * i + 3] = b.u.i;
    out[8 * i + 4] = (int)(b.last.big >> 32);
    out[8 * i + 5] = sizeof(struct outer) * 100 + sizeof(struct inner);
    out[8 * i + 6] = (int)((private char *)&p->last - (private char *)p);
    out[8 * i + 7] = a.u.f > 5.0f;
}
