kernel void histogram(global int *bins, global const uchar *in, local int *seen, global int *out) {
  int k = in[get_global_id(0)] & 3;
  bins[k] = bins[k] + 1;
}

kernel void bits(global int *bins, global const uchar *in, local int *seen, global int *out) {
  int l = get_local_id(0);
  if (l == 0)
    seen[0] = 0;
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (in[l]) { seen[0] = seen[0] | 1 << l; }
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  out[l] = seen[0];
}

kernel void other_operators(global int *bins, global const uchar *in, local int *seen, global int *out) {
  out[0] = out[0] * 2;
  out[1] = out[1] & 3 | 4;
}

kernel void neighbours(global int *bins, global const uchar *in, local int *seen, global int *out) {
  int l = get_local_id(0);
  out[l] = out[l] + out[(l + 1) & 3];
}
