/* SPDX-License-Identifier: Apache-2.0 */
/* Two mistakes that most devices let pass. */
__kernel void shift(__global const int *in, __global int *sums, __global int *shifted)
{
    size_t i = get_global_id(0);
    int carry;
    if (i == 0)
        carry = 0;
    sums[i] = in[i] + carry; /* carry has a value in work-item 0 only */
    shifted[i + 1] = in[i];  /* the last work-item stores after the buffer */
}
