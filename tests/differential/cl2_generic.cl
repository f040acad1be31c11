/* SPDX-License-Identifier: Apache-2.0 */
//! self global 32 local 16 out int 256 small int 32 options -cl-std=CL2.0
int sum(const int *p, int n) { int s = 0; for (int k = 0; k < n; k++) s += p[k]; return s; }
void put(int *p, int v) { *p = v; }
kernel void test(global int *ok, global int *x)
{
    local int shared[16];
    int own[4] = {1, 2, 3, 4}, l = (int)get_local_id(0);
    size_t i = get_global_id(0);
    global int *o = ok + 8 * i;
    shared[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[0] = sum(own, 4) == 10;
    o[1] = sum(shared, 16) == 120;
    o[2] = sum(x + (i & ~3), 4) == x[i & ~3] + x[(i & ~3) + 1] + x[(i & ~3) + 2] + x[(i & ~3) + 3];
    int *p = l % 3 == 0 ? own + 1 : l % 3 == 1 ? shared + l : (int *)(x + i);
    o[3] = *p == (l % 3 == 0 ? 2 : l % 3 == 1 ? l : x[i]);
    o[4] = (to_private(p) != 0) == (l % 3 == 0) && (to_local(p) != 0) == (l % 3 == 1) && (to_global(p) != 0) == (l % 3 == 2);
    o[5] = get_fence(p) == (l % 3 == 1 ? CLK_LOCAL_MEM_FENCE : l % 3 == 2 ? CLK_GLOBAL_MEM_FENCE : get_fence(p));
    barrier(CLK_LOCAL_MEM_FENCE);
    put(p, 77);
    if (l % 3 == 1)
        *to_local(p) += 1;
    o[6] = *p == 77 + (l % 3 == 1) && own[0] == 1 && own[1] == (l % 3 == 0 ? 77 : 2);
    int *q[3] = {own, shared + l, (int *)&x[i]};
    o[7] = *q[l % 3] == (l % 3 == 0 ? 1 : l % 3 == 1 ? 78 : 77);
}
