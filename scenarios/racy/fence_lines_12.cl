kernel void before_else(global int *data, global int *flag, global int *out)
{
  int l = get_local_id(0);
  data[l] = 42;
  if (l == 2)
    atomic_xchg(flag, 1);
  else if (l == 0 && atomic_or(flag, 0) == 1)
    out[0] = data[2];
}

inline void publish(volatile global int *f) {
  atomic_xchg(f, 1);
}
inline int got(volatile global int *f) {
  return atomic_or(f, 0);
}
kernel void in_return(global int *data, global int *flag, global int *out)
{
  int l = get_local_id(0);
  data[l] = 42;
  if (l == 2)
    publish(flag);
  if (l == 0 && got(flag))
    out[0] = data[2];
}

kernel void one_line(global int *data, global int *flag, global int *out)
{
  int l = get_local_id(0);
  if (l == 2) { data[0] = 42; atomic_xchg(flag, 1); }
  if (l == 0 && atomic_or(flag, 0) == 1) out[0] = data[0];
}

kernel void else_if(global int *data, global int *flag, global int *out)
{
  int l = get_local_id(0);
  if (l == 2)
    data[0] = 42;
  if (l == 3) {
    data[1] = 1;
  } else if (l == 2 && atomic_xchg(flag, 1) == 0) {
    data[2] = 1;
  }
  if (l == 0 && atomic_or(flag, 0) == 1)
    out[0] = data[0];
}

kernel void one_call(global int *data, global int *flag, global int *out)
{
  int l = get_local_id(0);
  data[l] = 42;
  if (l == 2)
    publish(flag);
  if (l == 0 && got(flag)) out[0] = data[2];
}

kernel void else_alone(global int *data, global int *flag, global int *out)
{
  int l = get_local_id(0);
  if (l == 2)
    data[0] = 42;
  if (l == 3)
    data[1] = 1;
  else if (l == 2 && atomic_xchg(flag, 1) == 0)
    data[2] = 1;
  if (l == 0 && atomic_or(flag, 0) == 1)
    out[0] = data[0];
}
