/* SPDX-License-Identifier: Apache-2.0 */
//! global 32 out int 160 small int 32
/* composites.spvasm in OpenCL C. */
kernel void test(global uint *out, global const uint *x)
{
    size_t i = get_global_id(0);
    uint n = x[i];
    uint v1[4] = {1, 2, n, 4}, v2[4] = {1, 2, n, 4}, array[3][4] = {{0}};
    ulong last = 0;
    v2[n % 4] = 100;
    if (n > 7) {
        for (int k = 0; k < 4; k++)
            array[2][k] = v2[k];
        array[0][3] = n;
        last = i;
    }
    for (int k = 0; k < 4; k++)
        array[n % 3][k] = v2[k];
    out[5 * i] = v2[n % 4];
    out[5 * i + 1] = array[2][2];
    out[5 * i + 2] = array[0][3];
    out[5 * i + 3] = (n > 7 ? v1[1] : v2[1]) + v2[3];
    out[5 * i + 4] = (uint)last;
}
