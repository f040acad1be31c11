/* SPDX-License-Identifier: Apache-2.0 */
/* A product of two matrices of n x n; one iteration too many, and a sum that is not initialised. */
kernel void matmul(global const float *a, global const float *b, global float *c, int n)
{
    const int row = get_global_id(1), column = get_global_id(0);
    float sum;
    for (int k = 0; k <= n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
