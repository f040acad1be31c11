/* SPDX-License-Identifier: Apache-2.0 */
//! self times 3 global 8 local 8 out int 8 inout int 1 options -cl-std=CL2.0
/* Variables that keep their value from launch to launch. */
typedef struct { int a; global int *p; float f[2]; } state;
global int counter = 10;
global int zero;
global int list[4] = {1, 2, 3};
global int *pointer = &list[2];
global state every = {5, &list[1], {1.5f, 2.5f}};
int bump(global int *n) { return ++*n; }
kernel void test(global int *ok, global int *launch)
{
    int l = (int)get_local_id(0);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l == 0)
        launch[0] = zero == 0 ? 1 : launch[0];
    barrier(CLK_GLOBAL_MEM_FENCE);
    int n = zero;
    ok[l] = counter == 10 + n && *pointer == 3 + 2 * n && every.a == 5 && *every.p == 2 && every.f[1] == 2.5f && list[3] == n;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l == 0) {
        bump(&counter);
        *pointer += 2;
        list[3]++;
        zero++;
        launch[0] = 1;
    }
}
