// Rows of work-items, each of which begins at the end of the one before: in the code of one line, but not in that of two.
kernel void ahead(global int *a, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = a[i + 1024];
    a[i] = 1;
}

kernel void mirrored(global int *a, global int *out)
{
    size_t i = get_global_id(0);
    a[i] = 2;
    out[i] = a[get_global_size(0) - 1 - i];
}

kernel void twice(global int *a)
{
    size_t i = get_global_id(0);
    a[i] = 3;
    a[i + 2048] = 4;
}

kernel void apart(global int *a)
{
    size_t i = get_global_id(0);
    a[i] = a[i] + 1;
    a[i + 4096] = a[i];
}
