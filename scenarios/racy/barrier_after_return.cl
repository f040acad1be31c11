// A helper returns the value that it reads, in one statement: nothing after it is executed, and a barrier there would order nothing.
int next_of(local int *tile, int i)
{
    return tile[(i + 1) & 7];
}

int next_two(local int *tile, int i)
{
    return tile[(i + 1) & 7]
         + tile[(i + 2) & 7];
}

kernel void shift(local int *tile, global int *out)
{
    int i = get_local_id(0);
    tile[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[i] = next_of(tile, i);
    out[i] = tile[i];
}

kernel void smooth(local int *tile, global int *out)
{
    int i = get_local_id(0);
    tile[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int turn = 0; turn < 3; turn++)
        tile[i] = next_two(tile, i) + i;
    out[i] = tile[i];
}

// The caller's next statement is the place.
kernel void apart(local int *tile, global int *out)
{
    int i = get_local_id(0);
    tile[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int next = next_of(tile, i);
    tile[i] = next;
    out[i] = tile[i];
}

// One that leaves a loop in the same line.
kernel void leave(local int *tile, global int *out)
{
    int i = get_local_id(0);
    tile[i] = i;
    for (;;) {
        out[i] = tile[i ^ 1]; break;
    }
    for (int turn = 0; turn < 2; turn++)
        tile[7 - i] = turn;
}
