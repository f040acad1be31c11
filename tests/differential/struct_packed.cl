/* SPDX-License-Identifier: Apache-2.0 */
//! global 16 out uchar 288 out int 64 small int 16
struct __attribute__((packed)) row { uchar a; int b; ushort c; double d; uchar e[3]; };
struct __attribute__((packed, aligned(4))) small { uchar a; ushort b; };
kernel void test(global uchar *bytes, global int *out, global const int *x)
{
    size_t i = get_global_id(0);
    global struct row *rows = (global struct row *)bytes;
    struct row r = {(uchar)i, x[i] * 1000, (ushort)(i * 257), x[i] * 0.5, {1, 2, (uchar)x[i]}};
    rows[i] = r;
    rows[i].b += rows[i].e[2];
    struct small s[3] = {{1, 2}, {3, (ushort)x[i]}, {5, 6}};
    out[4 * i] = sizeof(struct row) + 100 * sizeof(struct small);
    out[4 * i + 1] = s[x[i] % 3].b;
    out[4 * i + 2] = rows[i].b + (int)rows[i].d;
    out[4 * i + 3] = rows[i].c;
}
