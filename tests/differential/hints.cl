/* SPDX-License-Identifier: Apache-2.0 */
//! global 5 2 3 local 5 2 3 out int 1
kernel __attribute__((reqd_work_group_size(5, 2, 3))) __attribute__((vec_type_hint(float4))) void test(global int *out) { if (get_global_id(0) == 0) out[0] = (int)(get_local_size(0) * get_local_size(1) * get_local_size(2)); }
