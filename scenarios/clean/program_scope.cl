/* SPDX-License-Identifier: Apache-2.0 */
__constant int table[4] = {2, 3, 5, 7};
__global int counter = 40;

int twice(int *p)
{
    return *p * 2;
}

__kernel void use(__global int *out)
{
    int own = table[3];
    __local int shared;
    shared = table[2];
    counter += 1;
    out[0] = twice(&own);
    out[1] = twice(&shared);
    out[2] = twice(&counter);
    out[3] = table[0] * table[1];
}
