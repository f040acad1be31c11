/* SPDX-License-Identifier: Apache-2.0 */
int f0(int x) { return x + 1; }
int f1(int x) { return f0(x) * 2; }
int f2(int x) { return f1(x) + f0(x); }
int f3(int x) { return f2(x) - f1(1); }
int f4(int x) { return x & 1 ? f3(x) : f2(x + 1); }
int f5(int x) { return f4(f4(x)); }

void fill(__global int *out, int first, int count)
{
    for (int i = 0; i < count; i++) {
        if (i == 6)
            return;
        out[i] = f5(first + i);
    }
}

__kernel void deep(__global int *out)
{
    fill(out, 0, 8);
}
