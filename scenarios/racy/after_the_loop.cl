void step(local int *s, int l, int n, int t)
{
  int x = s[(l + t) % n];
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  s[l] = x + 1;
}
kernel void shift(global const int *in, global int *out, local int *s)
{
  int l = get_local_id(0), n = get_local_size(0);
  s[l] = in[get_global_id(0)];
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  for (int t = 1; t < 3; t++) {
    step(s, l, n, t);
    out[l] = t;
  }
  step(s, l, n, 5);
}
kernel void leaves(global const int *in, global int *out, local int *s)
{
  int l = get_local_id(0), n = get_local_size(0);
  s[l] = in[get_global_id(0)];
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  for (int t = 1;; t++) {
    step(s, l, n, t);
    if (t == 2)
      break;
    out[l] = t;
  }
  step(s, l, n, 5);
}
