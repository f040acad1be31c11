/* SPDX-License-Identifier: Apache-2.0 */
__kernel void rotate_left(__global int *out)
{
    __local int ring[8];
    int i = get_local_id(0), value;
    ring[i] = i;
    for (int round = 0; round < 3; round++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        value = ring[(i + 1) % 8];
        barrier(CLK_LOCAL_MEM_FENCE);
        ring[i] = value;
    }
    out[i] = ring[i];
}
