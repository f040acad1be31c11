/* SPDX-License-Identifier: Apache-2.0 */
/* Dimensions that the range does not have: ids and offsets are 0, sizes and counts are 1 (OpenCL C 6.13.1). */
kernel void absent(global ulong *out, uint three, uint zero)
{
    global ulong *o = out + 12 * get_global_id(0);
    o[0] = get_global_id(3);
    o[1] = get_global_size(3);
    o[2] = get_local_id(7);
    o[3] = get_local_size(3);
    o[4] = get_num_groups(4);
    o[5] = get_group_id(3);
    o[6] = get_global_offset(3);
    o[7] = get_enqueued_local_size(1000);
    o[8] = get_global_size(three);
    o[9] = get_global_id(three);
    o[10] = get_global_size(zero);
    o[11] = get_local_size(three);
}
