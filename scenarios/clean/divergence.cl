/* SPDX-License-Identifier: Apache-2.0 */
__kernel void part(__global int *out)
{
    int i = get_global_id(0), n = 0;
    for (int x = i; x != 1 && n < 50; n++)
        x = x % 2 ? 3 * x + 1 : x / 2;
    switch (i % 4) {
    case 0:
        n += 1000;
        break;
    case 1:
        n += 2000;
    case 2:
        n += 4000;
        break;
    default:
        return;
    }
    out[i] = n;
}
