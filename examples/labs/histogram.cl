/* SPDX-License-Identifier: Apache-2.0 */
/* Counts how often each value comes; updates get lost. */
kernel void histogram(global const int *in, global int *count)
{
    count[in[get_global_id(0)]]++;
}
