/* SPDX-License-Identifier: Apache-2.0 */
//! global 32 out int 32 small int 32
/* Pointers far outside that come back: offsets of more than 32 bits. */
kernel void test(global int *out, global const int *x)
{
    size_t i = get_global_id(0);
    global const int *far = x + 0x100000000l, *near = x - 0x90000000l;
    long n = (long)i - 0x100000000l;
    typedef struct { int a[1 << 20]; } big;
    global const big *wide = (global const big *)x + 0x2000l;
    int back = *((global const int *)(wide - 0x2000l) + i);
    out[i] = far[n] + near[0x90000000l + (long)i] * 10 + back * 100;
}
