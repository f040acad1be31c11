/* SPDX-License-Identifier: Apache-2.0 */
//! global 40 local 20 out int 80 in int 200 out float 80 in float 80
kernel void test(global int *out, global const int *x, global float *f, global const float *y)
{
    local int a[20], b[20];
    local float4 v[10];
    size_t g = get_group_id(0), l = get_local_id(0);
    event_t e = async_work_group_copy(a, x + 20 * g, 20, 0);
    e = async_work_group_strided_copy(b, x + 40 + g, 20, 4, e);
    event_t w = async_work_group_copy(v, (global const float4 *)y + 10 * g, 10, 0);
    wait_group_events(1, &e);
    wait_group_events(1, &w);
    a[l] += b[19 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t back[2] = {async_work_group_strided_copy(out + 40 * g, a, 20, 2, 0), async_work_group_copy((global float4 *)f + 10 * g, v, 10, 0)};
    wait_group_events(2, back);
}
