/* SPDX-License-Identifier: Apache-2.0 */
//! global 96 local 32 inout long 10
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void test(volatile global long *a)
{
    long i = (long)get_global_id(0) << 32;
    atom_add(&a[0], i);
    atom_sub(&a[1], i);
    atom_inc(&a[2]);
    atom_dec(&a[3]);
    atom_min(&a[4], -i);
    atom_max(&a[5], i);
    atom_and(&a[6], ~i);
    atom_or(&a[7], i);
    atom_xor(&a[8], i);
}
