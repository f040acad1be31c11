/* SPDX-License-Identifier: Apache-2.0 */
//! global 32 out int 128 small int 32
/* call_struct.spvasm in OpenCL C. */
kernel void test(global uint *out, global const uint *x)
{
    size_t i = get_global_id(0);
    uint n = x[i];
    uint a = n, b = 5, e[4];
    for (int k = 0; k < 2; k++) {
        uint m = a;
        if (a < b) {
            e[2 * k] = b;
            e[2 * k + 1] = a;
        } else {
            while (m != 0 && (m & 3) != 3)
                m--;
            e[2 * k] = m ? m : 100;
            e[2 * k + 1] = m ? b : 5;
        }
        a = e[0];
        b = n;
    }
    for (int k = 0; k < 4; k++)
        out[4 * i + k] = e[k];
}
