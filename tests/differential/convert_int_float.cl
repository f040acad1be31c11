/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out float 768 out double 384 in long 64 in int 64
kernel void test(global float *out, global double *wide, global const long *x, global const int *y)
{
    size_t i = get_global_id(0);
    long a = x[i];
    int b = y[i];
    global float *o = out + 12 * i;
    o[0] = (float)a;
    o[1] = (float)(ulong)a;
    o[2] = (float)b;
    o[3] = (float)(uint)b;
    o[4] = (float)(short)b + (float)(uchar)b;
    o[5] = convert_float_rte(a);
    o[6] = convert_float_rtz(a);
    o[7] = convert_float_rtp(a);
    o[8] = convert_float_rtn(a);
    o[9] = convert_float_rtz(b);
    o[10] = convert_float_rtp((uint)b);
    o[11] = convert_float_rtn((ulong)a);
    global double *w = wide + 6 * i;
    w[0] = (double)a;
    w[1] = (double)(ulong)a;
    w[2] = convert_double_rtz(a);
    w[3] = convert_double_rtp(a);
    w[4] = convert_double_rtn((ulong)a);
    w[5] = (double)b + (double)(uint)b;
}
