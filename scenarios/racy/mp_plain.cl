// Message passing with a plain flag. volatile makes the compiler read it again; it orders nothing.
kernel void mp(global int *data, volatile global int *flag, global int *out)
{
    if (get_group_id(0) == 0) {
        data[0] = 42;
        flag[0] = 1;
    } else if (flag[0] == 1) {
        out[0] = data[0];
    }
}
