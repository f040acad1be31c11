/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out int 320 in int 64 small int 64 in long 64
int dense(int n) { switch (n) { case 0: return 5; case 1: return 1; case 2: n += 3; case 3: n *= 2; break; case 4: case 5: n = 9; break; default: n = -n; case 6: n ^= 7; } return n; }
int sparse(int n) { switch (n) { case -1: return 1; case 127: return 2; case 0x7fffffff: return 3; case -2147483647 - 1: return 4; case 1000: return 5; } return n & 3; }
int wide(long n) { switch (n) { case 0x7fffffffffffffffl: return 1; case -1: return 2; case 0x100000000l: return 3; case 0: return 4; default: return 5; } }
int narrow(char c) { switch (c) { case 'a': return 1; case -128: return 2; case 127: return 3; case -2: return 4; } return 0; }
kernel void test(global int *out, global const int *x, global const int *y, global const long *z)
{
    size_t i = get_global_id(0);
    int sum = 0;
    for (int k = 0; k < y[i]; k++) {
        switch ((k + y[i]) % 5) {
        case 0: continue;
        case 1: sum += 3;
        case 2: sum ^= k; break;
        case 3: if (sum > 20) goto done; sum++; break;
        default: switch (k & 3) { case 1: sum -= 2; break; case 2: sum *= 2; }
        }
        sum += 100;
    }
done:
    out[5 * i] = dense(y[i]);
    out[5 * i + 1] = sparse(x[i]);
    out[5 * i + 2] = wide(z[i]);
    out[5 * i + 3] = narrow((char)x[i]);
    out[5 * i + 4] = sum;
}
