#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef union { int i; float f; uchar b[4]; } bits;
typedef struct { int x; float4 v; bits u; struct { short s; char c; } in[2]; } big;
constant float table[4] = {1.5f, 2, 3, 4};
int helper(int a, local int *l) { int t = a * 2; l[a & 3] = t; return t + 1; }
kernel void first(global int *data, global big *bigs)
{
    local int part[64];
    size_t x = get_global_id(0), y = get_global_id(1);
    size_t i = y * get_global_size(0) + x;
    big b = {0};
    float16 wide = (float16)(x);
    half h = 1.5f;
    b.x = i;
    b.u.f = 1.0f;
    b.in[1].s = (short)y;
    int m[3][4][2];
    for (int k = 0; k < 24; k++)
        m[k / 8][k / 2 % 4][k % 2] = k;
    part[get_local_linear_id()] = helper(x, part + 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    bigs[i] = b;
    data[i] = part[(get_local_linear_id() + 1) % 16] + m[1][2][1] + (int)wide.s7 + (int)h;
}
kernel void second(global int *data)
{
    int i = get_global_id(0);
    data[i] += i;
    data[(i + 1) % 8] = 3;
}
