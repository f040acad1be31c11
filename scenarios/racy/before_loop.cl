kernel void histogram(global const uchar *in, global int *bins) {
  local atomic_int h[16];
  uint l = get_local_id(0);
  if (l < 16)
    atomic_init(&h[l], 0);
  for (uint i = 0; i < 4; i++) {
    uint b = in[get_global_id(0) * 4 + i] & 15;
    atomic_fetch_add_explicit(&h[b], 1, memory_order_relaxed, memory_scope_work_group);
  }
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 16)
    bins[get_group_id(0) * 16 + l] = atomic_load_explicit(&h[l], memory_order_relaxed, memory_scope_work_group);
}

kernel void rows(global int *out, int n) {
  local int tile[8];
  uint l = get_local_id(0);
  int sum = 0;
  if (l < 8) {
    tile[l] = (int)l;
  }
  for (int y = 0; y < n; y++) {
    for (int x = 0; x < 8; x++)
      sum += tile[x] * y;
  }
  out[get_global_id(0)] = sum;
}

kernel void some(global int *out, int n) {
  local int tile[8];
  uint l = get_local_id(0);
  int sum = 0;
  if (l < 8)
    tile[l] = (int)l;
  if (l < 4)
    for (int x = 0; x < n; x++)
      sum += tile[x & 7];
  out[get_global_id(0)] = sum;
}

kernel void outer(global int *out, int n) {
  local int tile[8];
  uint l = get_local_id(0);
  int sum = 0;
  for (int y = 0; y < n; y++) {
    if (l < 8)
      tile[l] = y;
    for (int x = 0; x < 8; x++)
      sum += tile[x];
  }
  out[get_global_id(0)] = sum;
}
