// From one account to another: two of many locks at a time, the lower one first. No two work-items have much to do with each other.
uint hashed(uint i)
{
    i = (i ^ i >> 16) * 0x7feb352du;
    i = (i ^ i >> 15) * 0x846ca68bu;
    return i ^ i >> 16;
}

bool take(global atomic_int *lock)
{
    int expected = 0;
    return atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device);
}

void give(global atomic_int *lock) { atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device); }

kernel void transfer(global int *account, global atomic_int *lock, uint locks)
{
    const uint i = get_global_id(0), from = hashed(i) % locks, to = hashed(i * 7 + 1) % locks, low = min(from, to), high = max(from, to);
    for (int done = from == to; !done;)
        if (take(&lock[low])) {
            if (take(&lock[high])) {
                account[from] -= 1;
                account[to] += 1;
                give(&lock[high]);
                done = 1;
            }
            give(&lock[low]);
        }
}
