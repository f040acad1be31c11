/* SPDX-License-Identifier: Apache-2.0 */
struct sphere {
    char tag;
    float4 centre;
    int count;
    double weight;
};

__kernel void unpack(struct sphere s, __global float *out)
{
    out[0] = s.tag;
    out[1] = s.centre.x + s.centre.w;
    out[2] = s.count;
    out[3] = (float)s.weight;
}
