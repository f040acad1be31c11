/* SPDX-License-Identifier: Apache-2.0 */
kernel void mistakes(global int *a, global int *out)
{
    size_t i = get_global_id(0);
    global int *nothing = 0;
    int4 v;
    v = vload4(0, a + 2 + i);
    nothing[i] = 1;
    out[i + 2] = atomic_add(&a[100 + i], 1);
    out[i] = v.x + a[50 + i] + v.w + 100 * (v.y ? v.y : 4);
}
