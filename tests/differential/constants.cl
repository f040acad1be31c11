/* SPDX-License-Identifier: Apache-2.0 */
//! global 32 out int 160 small int 32
struct entry { int key; float value; char name[4]; };
constant int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
constant struct entry entries[3] = {{1, 1.5f, "ab"}, {2, 2.5f, {'x', 'y', 'z', 0}}, {7, -3.0f, ""}};
constant int *constant pointer = &table[3];
constant float4 vec = (float4)(1, 2, 3, 4);
constant char text[] = "constant text";
constant long big = 0x123456789abcdefl;
constant uchar grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
int look(constant int *p, int n) { return p[n]; }
kernel void test(global int *out, global const int *x)
{
    size_t i = get_global_id(0);
    int n = x[i];
    out[5 * i] = table[n & 7] + look(pointer, n & 3) + look(table + 2, n % 6);
    out[5 * i + 1] = entries[n % 3].key + (int)(entries[n % 3].value * 2) + entries[n % 3].name[n & 1];
    out[5 * i + 2] = text[n % 13] + (int)(vec.y + vec.w) + grid[n & 1][n % 3];
    out[5 * i + 3] = (int)(big >> (n & 31));
    constant struct entry *e = entries + 1;
    struct entry own = e[n & 1];
    out[5 * i + 4] = own.key * 10 + own.name[2] + *(pointer + 1);
}
