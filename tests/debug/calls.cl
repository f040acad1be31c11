typedef struct { int x; float4 v; int parts[3]; } sample;
enum letter { A, B = 5 };
constant int table[3] = {1, 2, 3};
int helper(int a, global int *p)
{
    int twice = a * 2;
    p[a] = twice; /* inside */ /* store */
    return twice + 1;
}
kernel void k(global int *data, int n)
{
    local float shared[16];
    size_t i = get_global_id(0);
    uint u = 3;
    float4 f = (float4)(1, 2, 3, 4);
    enum letter e = B;
    sample mine;
    mine.x = 1;
    int m[2][3];
    for (int j = 0; j < n; j++) {
        int r = helper(j, data + 4 * i); /* call */
        m[j & 1][j % 3] = r + table[1];
        mine.x += r;
    }
    shared[i] = mine.x;
    barrier(CLK_LOCAL_MEM_FENCE);
    data[i] = u + e + mine.x + f.y + shared[(i + 1) % 8];
    printf("item %d: %d\n", (int)i, data[i]);
}
