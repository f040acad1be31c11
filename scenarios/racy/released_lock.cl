kernel void queue(global int *ring, global atomic_int *tail, global int *out)
{
  int g = get_group_id(0);
  if (g < 2) {
    ring[g] = g + 100;
    while (atomic_load_explicit(tail, memory_order_acquire, memory_scope_work_group) != g);
    atomic_store_explicit(tail, g + 1, memory_order_release, memory_scope_work_group);
  } else {
    while (atomic_load_explicit(tail, memory_order_acquire, memory_scope_work_group) < 2);
    out[0] = ring[0] + ring[1];
  }
}
