/* SPDX-License-Identifier: Apache-2.0 */
kernel void fill(global int3 *cells, global float3 *more)
{
    const int i = get_global_id(0);
    local int3 tile[2];
    if (i % 2 == 0) {
        cells[i / 2] = (int3)(i, i + 1, i + 2);
        more[i / 2] = (float3)(0.5f * i);
    } else {
        ((global int *)cells)[4 * (i / 2) + 3] = -i;
        ((global int *)more)[4 * (i / 2) + 3] = 0;
    }
    if (i % 2 == 0)
        tile[get_local_id(0) / 2] = cells[i / 2] * 2;
    else
        ((local int *)&tile[get_local_id(0) / 2])[3] = 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i % 2 == 0)
        cells[i / 2].yz = tile[get_local_id(0) / 2].zy;
}
