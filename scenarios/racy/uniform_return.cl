// All of a work-group return early, or none does: after that, all that remain execute a barrier.
kernel void by_argument(global int *d, int n)
{
    int l = get_local_id(0);
    if (n == 7 || n < 1)
        return;
    d[l] = l;
    d[8 + l] = d[l ^ 1];
}

kernel void by_group(global int *d, int n)
{
    int l = get_local_id(0);
    if (get_group_id(0) != 0)
        return;
    d[l] = l;
    d[8 + l] = d[l ^ 1];
}

kernel void within(global int *d, int n)
{
    int l = get_local_id(0);
    if (n > 2) {
        d[l] = l;
        d[8 + l] = d[l ^ 1];
    }
}

kernel void by_case(global int *d, int n)
{
    int l = get_local_id(0);
    switch (n) {
    case 4:
        d[l] = l;
        d[8 + l] = d[l ^ 1];
        break;
    default:
        d[l] = 1;
    }
}

kernel void between_returns(global int *d, int n)
{
    int l = get_local_id(0);
    d[l] = l;
    if (n == 7)
        return;
    d[8 + l] = d[l ^ 1];
}

// The branch is beside the way from one to the other.
kernel void aside(global int *d, int n)
{
    int l = get_local_id(0);
    if (n == 7)
        return;
    d[l] = l;
    for (int k = 0; k < 2; k++)
        d[8 + l] += d[l ^ 1];
    if (n > 5)
        d[16] = n;
}

kernel void turns(global int *d, int n)
{
    int l = get_local_id(0);
    if (n == 7)
        return;
    for (int k = 0; k < n; k++) {
        d[l] = l;
        d[8 + l] += d[l ^ 1];
    }
}

// Each work-item has its own value in memory, and some return.
kernel void by_memory(global int *d, int n)
{
    int l = get_local_id(0);
    if (d[16] == 7)
        return;
    d[l] = l;
    d[8 + l] = d[l ^ 1];
}

kernel void some(global int *d, int n)
{
    int l = get_local_id(0);
    if (l > n)
        return;
    d[l] = l;
    d[8 + l] = d[l ^ 1];
}

kernel void some_of_those(global int *d, int n)
{
    int l = get_local_id(0);
    if (n > 2) {
        if (l > 3)
            return;
        d[l] = l;
    }
    d[8 + l] = d[l ^ 1];
}
