/* SPDX-License-Identifier: Apache-2.0 */
//! global 16 out int 16 small int 16
kernel void test(global int *out, global const int *x) { out[get_global_id(0)] = x[get_global_id(0)] * 3; }
