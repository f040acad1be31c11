/* SPDX-License-Identifier: Apache-2.0 */
//! text global 3 local 3 out int 3
kernel void test(global int *out)
{
    int i = (int)get_global_id(0);
    printf("%d plain %5d|%-5d|%05d|%+d|%x|%X|%#x|%o|%u|%c|%%\n", i, i * 3, i, i, i, i + 250, i + 250, i + 1, i + 9, i - 1, 'a' + i);
    printf("%d float %f|%.2f|%8.3f|%e|%g|%a\n", i, i + 0.5f, i / 3.0f, i * 10.0f, i * 1000.0f, i * 0.0001f, i + 1.0f);
    printf("%d vector %v4hld|%v2hlf|%v4hlx\n", i, (int4)(i, 2, -3, 4), (float2)(i + 0.25f, 1), (uint4)(i, 255, 16, 3));
    printf("%d long %ld|%lx|%s|%hd\n", i, (long)i << 40, (ulong)i + 0xffffffffffl, "text", (short)i);
    if (i & 1)
        printf("%d odd only\n", i);
    out[i] = printf("%d end\n", i);
}
