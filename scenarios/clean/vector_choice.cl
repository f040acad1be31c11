/* SPDX-License-Identifier: Apache-2.0 */
/* One truth value chooses between vectors. */
kernel void choose(global const int *in, global float *out, float4 a, float4 b)
{
    const size_t i = get_global_id(0);
    const bool truth = in[i] > 1;
    const float4 four = truth ? a : b;
    const float3 three = in[i] ? (float3)(1, 2, 3) : four.xyz;
    const short8 eight = truth ? (short8)(7) : (short8)(9);
    const float4 again = in[i] == 2 ? b : four;
    out[4 * i] = four.w;
    out[4 * i + 1] = three.y;
    out[4 * i + 2] = eight.s5;
    out[4 * i + 3] = again.x;
}
