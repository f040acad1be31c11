// Both loads are of one segment: the race of the later one is reported.
kernel void k(global int *d, global int *out)
{
    const int group = get_group_id(0), me = get_local_id(0);
    int sum = 0;
    if (group == 1 && me == 1) {
        sum += d[me >> 1];
        sum += d[0];
    }
    if (group == 0 && me == 1) {
        sum += d[me >> 1];
        sum += d[0];
    }
    if (group == 0)
        d[0] = me;
    out[get_global_id(0)] = sum;
}
