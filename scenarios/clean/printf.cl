/* SPDX-License-Identifier: Apache-2.0 */
__kernel void hello(int n)
{
    printf("work-item %d of %u\n", (int)get_global_id(0), (uint)get_global_size(0));
    if (get_global_id(0) == 0) {
        printf("%s %c %5.2f %x %%\n", "text", 'c', 3.14159f, 255);
        printf("%v4d|%v2hlf\n", (int4)(1, 2, 3, n), (float2)(0.5f, -1.0f));
    }
}
