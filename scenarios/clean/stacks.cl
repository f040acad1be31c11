/* Stacks to which all work-items push and from which all pop (Treiber 1986): one work-item of each wave uses each of them. */
kernel void push_and_pop(global int *next, global int *value, global int *got, global atomic_int *heads)
{
    const int i = get_global_id(0);
    global atomic_int *head = &heads[(uint)i * 2654435761u >> 27];
    int top = atomic_load_explicit(head, memory_order_relaxed, memory_scope_device);
    value[i] = 1;
    do
        next[i] = top;
    while (!atomic_compare_exchange_weak_explicit(head, &top, i + 1, memory_order_release, memory_order_relaxed, memory_scope_device));
    head = &heads[(uint)i * 2246822519u >> 27];
    top = atomic_load_explicit(head, memory_order_acquire, memory_scope_device);
    while (top && !atomic_compare_exchange_weak_explicit(head, &top, next[top - 1], memory_order_acquire, memory_order_acquire, memory_scope_device))
        ;
    got[i] = top ? value[top - 1] : 0;
}

kernel void count(global int *next, global int *got, global int *heads, global int *sum)
{
    for (int i = 0; i < 2048; i++)
        sum[0] += got[i];
    for (int head = 0; head < 32; head++)
        for (int i = heads[head]; i; i = next[i - 1])
            sum[0]++;
}
