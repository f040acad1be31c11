// Work-items of all work-groups count in the same bins, by atomic operations.
kernel void histogram(global const int *in, volatile global int *bins)
{
    atomic_inc(&bins[in[get_global_id(0)] & 3]);
}
