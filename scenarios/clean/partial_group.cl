/* SPDX-License-Identifier: Apache-2.0 */
__kernel void sizes(__global int *out)
{
    out[get_global_id(0)] = get_local_size(0) * 10 + get_enqueued_local_size(0);
}
