/* SPDX-License-Identifier: Apache-2.0 */
//! global 64 out long 1280 in long 64
/* Widening, narrowing and saturating between all integer types. */
#define ALL(name) name(char) name(uchar) name(short) name(ushort) name(int) name(uint) name(long) name(ulong)
#define STORE(v) o[n++] = (long)(v)
kernel void test(global long *out, global const long *x)
{
    size_t i = get_global_id(0);
    long a = x[i];
    global long *o = out + 20 * i;
    int n = 0;
    STORE(convert_char_sat(a));
    STORE(convert_uchar_sat(a));
    STORE(convert_short_sat(a));
    STORE(convert_ushort_sat(a));
    STORE(convert_int_sat(a));
    STORE(convert_uint_sat(a));
    STORE(convert_ulong_sat(a));
    STORE(convert_long_sat((ulong)a));
    STORE(convert_char_sat((ulong)a));
    STORE(convert_char_sat((uchar)a));
    STORE(convert_uchar_sat((char)a));
    STORE(convert_ushort_sat((int)a));
    STORE(convert_uint_sat((int)a));
    STORE(convert_int_sat((uint)a));
    STORE((char)a);
    STORE((uchar)a);
    STORE((short)(int)a);
    STORE((ushort)(short)a);
    STORE((uint)(char)a);
    STORE((ulong)(int)a);
}
