/* SPDX-License-Identifier: Apache-2.0 */
//! global 6 4 local 3 2 out int 120
kernel void test(global int *out)
{
    int n = 5 * (int)(get_global_id(1) * get_global_size(0) + get_global_id(0)), s[5] = {0};
    for (uint d = 0; d < 3; d++) {
        s[0] = s[0] * 10 + (int)get_global_id(d);
        s[1] = s[1] * 10 + (int)get_local_id(d);
        s[2] = s[2] * 10 + (int)get_group_id(d);
        s[3] = s[3] * 10 + (int)(get_local_size(d) + get_num_groups(d));
        s[4] = s[4] * 10 + (int)(get_global_size(d) + get_global_offset(d));
    }
    for (int k = 0; k < 5; k++)
        out[n + k] = s[k];
}
