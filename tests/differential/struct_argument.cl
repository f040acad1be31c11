/* SPDX-License-Identifier: Apache-2.0 */
//! global 16 out int 96 bytes 32 bytes 16 scalar char -3 bytes 12
struct plain { char a; int b[2]; short c; long d; uchar e[8]; };
struct tiny { uchar a, b, c; uchar rest[9]; };
void change(struct plain *p, int n) { p->b[n & 1] += n; p->e[n & 7] = 77; }
kernel void test(global int *out, struct plain p, int4 v, char c, struct tiny t)
{
    size_t i = get_global_id(0);
    struct plain q = p;
    change(&q, (int)i);
    global int *o = out + 6 * i;
    o[0] = p.a + p.b[0] + p.b[1] + p.c + (int)p.d;
    o[1] = q.b[i & 1] - p.b[i & 1] + q.e[i & 7];
    o[2] = v.x ^ v.y ^ v.z ^ v.w;
    o[3] = c;
    o[4] = t.a + t.b * 3 + t.c * 5 + t.rest[i % 9];
    o[5] = q.e[(i + 1) & 7] + p.e[3];
}
