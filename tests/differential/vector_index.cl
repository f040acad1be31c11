/* SPDX-License-Identifier: Apache-2.0 */
//! global 32 out int 128 small int 32 in int 128
/* Elements by a computed number, through a pointer to a private vector. */
kernel void test(global int *out, global const int *n, global const int *x)
{
    size_t i = get_global_id(0);
    int4 v = vload4(i, x);
    int *p = (int *)&v;
    p[n[i] & 3] += 1000;
    p[(n[i] + 1) & 3] = p[n[i] & 3] ^ 5;
    v.z += p[n[i] >> 2];
    vstore4(v, i, out);
}
