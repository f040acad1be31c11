/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out int 192 small int 64
/* exit_two_levels.spvasm in OpenCL C. */
kernel void test(global uint *out, global const uint *x)
{
    size_t i = get_global_id(0);
    uint n = x[i];
    uint s = n, a, t, r, q, s0;
    for (a = 0;;) {
        s0 = s;
        t = s;
        for (uint b = 0;;) {
            t = t * 3 + b;
            if (t > 100000) {
                r = t + b;
                q = a;
                goto end;
            }
            if ((t & 3) == 2)
                break;
            if (++b < 4)
                continue;
            t += 7;
            break;
        }
        s = t;
        if (!(++a < 7))
            break;
    }
    r = s;
    q = a;
end:
    out[3 * i] = r;
    out[3 * i + 1] = q;
    out[3 * i + 2] = s0;
}
