/* SPDX-License-Identifier: Apache-2.0 */
//! self global 10 9 8 local 5 3 4 offset 1 2 3 out int 720 options -cl-std=CL2.0
kernel void test(global int *ok)
{
    size_t g = (get_global_id(2) - 3) * 90 + (get_global_id(1) - 2) * 10 + get_global_id(0) - 1;
    ok[g] = get_global_linear_id() == g && get_local_linear_id() == get_local_id(2) * 15 + get_local_id(1) * 5 + get_local_id(0) &&
            get_global_offset(2) == 3 && get_work_dim() == 3;
}
