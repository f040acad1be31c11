/* SPDX-License-Identifier: Apache-2.0 */
kernel void far(global int *o)
{
    local int t[512];
    t[get_local_id(0)] = 1;
    o[get_global_id(0) + 32768] = t[get_local_id(0)];
}
