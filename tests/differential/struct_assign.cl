/* SPDX-License-Identifier: Apache-2.0 */
//! global 32 out int 128 small int 32
/* Copies of whole structs between private, local and global memory. */
typedef struct { int a[6]; char c; } block;
typedef union { struct { char a; int b; } s; uchar raw[8]; } mixed;
kernel void test(global int *out, global const int *x)
{
    local block shared[32];
    size_t i = get_global_id(0), l = get_local_id(0);
    block b[2];
    for (int k = 0; k < 6; k++) {
        b[0].a[k] = x[i] + k;
        b[1].a[k] = x[i] * k;
    }
    b[0].c = 1;
    b[1].c = 2;
    shared[l] = b[x[i] & 1];
    block t = b[0];
    b[0] = b[1];
    b[1] = t;
    mixed m, n;
    for (int k = 0; k < 8; k++)
        m.raw[k] = (uchar)(k * 17 + x[i]);
    n = m;
    out[4 * i] = b[0].a[x[i] % 6] + b[0].c * 100;
    out[4 * i + 1] = shared[l].a[5] + shared[l].c * 100 + b[1].a[2];
    out[4 * i + 2] = n.raw[1] + n.raw[2] * 256 + n.raw[3] * 65536;
    out[4 * i + 3] = n.s.b;
}
