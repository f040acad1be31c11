/* Two children that count themselves: their updates of the counter order what each did before its own with what the other does
 * after the one that reads it, and no more. */
kernel void counted(global atomic_int *count, global int *a)
{
    queue_t q = get_default_queue();
    for (int child = 0; child < 2; child++)
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
            atomic_fetch_add(count, 1);
            a[0] += 1;
        });
}

kernel void locked(global atomic_int *lock, global int *a)
{
    queue_t q = get_default_queue();
    for (int child = 0; child < 2; child++)
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
            while (atomic_exchange(lock, 1))
                ;
            a[0] += 1;
            atomic_store(lock, 0);
        });
}
