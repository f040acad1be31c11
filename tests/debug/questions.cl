/* A work-item that writes past the end, in a function that a loop calls: what a first user asks of it. */
void put(global int *out, int at, int value)
{
    int twice = 2 * value;
    out[at] = twice;
}
kernel void k(global int *out, global int *total)
{
    int i = get_global_id(0);
    for (int turn = 0; turn < 3; turn++) {
        int at = i + 4 * turn;
        total[i] += turn;
        put(out, at, total[i]);
    }
}
