/* SPDX-License-Identifier: Apache-2.0 */
//! global 32 out int 32 small int 32
/* Thousands of instructions and hundreds of variables. */
#define STEP(n) v##n = v##n * 31 + (w ^ n); w += v##n >> 3; if (w & 1) w ^= v##n; else v##n -= w;
#define TEN(a) STEP(a##0) STEP(a##1) STEP(a##2) STEP(a##3) STEP(a##4) STEP(a##5) STEP(a##6) STEP(a##7) STEP(a##8) STEP(a##9)
#define ALL TEN(1) TEN(2) TEN(3) TEN(4) TEN(5)
#define DECLARE(n) int v##n = n * w;
#define DTEN(a) DECLARE(a##0) DECLARE(a##1) DECLARE(a##2) DECLARE(a##3) DECLARE(a##4) DECLARE(a##5) DECLARE(a##6) DECLARE(a##7) DECLARE(a##8) DECLARE(a##9)
kernel void test(global int *out, global const int *x)
{
    int w = x[get_global_id(0)] + 1;
    DTEN(1) DTEN(2) DTEN(3) DTEN(4) DTEN(5)
    for (int k = 0; k < 3; k++) {
        ALL
        if (w & 16)
            continue;
        ALL
    }
    out[get_global_id(0)] = w + v10 + v33 + v47;
}
