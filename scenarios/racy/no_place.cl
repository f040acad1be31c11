// Values are passed where a barrier fits between, and where no instruction is executed by all, or one branch excludes the other.
kernel void pass(local int *tile, global int *out)
{
    int i = get_local_id(0);
    if (i == 0)
        tile[0] = 1;
    if (i == 3)
        out[0] = tile[0];
    tile[4 + i] = i;
    for (int k = 0; k < 2; k++)
        out[1] = tile[7 - i];
    if (i & 1)
        tile[8] = i;
    else if (tile[8] == 3)
        out[2 + i] = 0;
}
