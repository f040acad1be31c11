kernel void product(global const int *a, global const int *b, global int *c, int n) {
  local int ta[4][4], tb[4][4];
  int x = get_local_id(0), y = get_local_id(1), gx = get_global_id(0), gy = get_global_id(1), sum = 0;
  for (int t = 0; t < n; t += 4) {
    ta[y][x] = a[gy * n + t + x];
    tb[y][x] = b[(t + y) * n + gx];
    for (int k = 0; k < 4; k++)
      sum += ta[y][k] * tb[k][x];
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[gy * n + gx] = sum;
}

kernel void filled_by_a_loop(global const int *a, global const int *b, global int *c, int n) {
  local int tile[16];
  int l = get_local_linear_id(), sum = 0;
  for (int t = 0; t < n; t += 4) {
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = l; i < 16; i += 8) {
      if (l < 8)
        tile[i] = a[t + i];
    }
    for (int k = 0; k < 16; k++)
      sum += tile[k];
  }
  c[get_global_linear_id()] = sum;
}

kernel void not_each_turn(global const int *a, global const int *b, global int *c, int n) {
  local int tile[16];
  int l = get_local_linear_id(), sum = 0;
  for (int t = 0; t < n; t += 4) {
    tile[l] = a[t + l];
    if (l < t + 3)
      for (int k = 0; k < 16; k++)
        sum += tile[k];
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[get_global_linear_id()] = sum;
}
