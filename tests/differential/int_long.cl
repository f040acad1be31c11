/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out long 1216 in long 64 in long 64
/* Every operator on long; operands of division are kept where it is defined. */
typedef long T;
kernel void test(global T *out, global const T *x, global const T *y)
{
    size_t i = get_global_id(0);
    T a = x[i], b = y[i], d = b == 0 || b == (T)-1 ? (T)3 : b;
    global T *o = out + 19 * i;
    o[0] = a + b;
    o[1] = a - b;
    o[2] = a * b;
    o[3] = a / d;
    o[4] = a % d;
    o[5] = a & b;
    o[6] = a | b;
    o[7] = a ^ b;
    o[8] = ~a;
    o[9] = -a;
    o[10] = a << (b & (T)(64 - 1));
    o[11] = a >> (b & (T)(64 - 1));
    o[12] = (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5;
    o[13] = !a | (a && b) << 1 | (a || b) << 2;
    o[14] = a++;
    o[14] += --a;
    o[15] = a < b ? a : b;
    o[16] = min(a, b) ^ max(a, b) + clamp(a, (T)5, (T)100);
    o[17] = rotate(a, b) + popcount(a) + clz(b);
    o[18] = mul_hi(a, b) + (T)abs(a) + (T)abs_diff(a, b);
}
