/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of check_race_memory.sh: clean ones, each of another sort to the race checker. T is float or uchar. */
#define READS (sizeof(T) == 4 ? 20 : 10)
#define MIXED(i) (((i) & ~0xffffu) | (((i) * 40503u + 17u) & 0xffffu))

kernel void rows(global T *a, global T *b, global T *c)
{
    size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}

/* scattered, each element somebody's own */
kernel void scattered(global T *a, global T *b, global T *c)
{
    uint i = get_global_id(0);
    c[MIXED(i)] = a[MIXED(i)] + b[i];
}

kernel void in_place(global T *a, global T *b, global T *c)
{
    uint i = get_global_id(0);
    c[MIXED(i)] += a[MIXED(i)];
    a[MIXED(i)] += b[i];
}

kernel void masked(global T *a, global T *b, global T *c)
{
    uint i = get_global_id(0);
    if ((i * 2654435761u >> 20) % 3)
        c[i] = a[i] + b[MIXED(i)];
}

kernel void local_memory(global T *a, global T *b, global T *c)
{
    local T t[256];
    uint i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
    t[l] = a[i] + b[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    c[i] = t[size - 1 - l];
}

kernel void histogram(global T *a, global T *b, global T *c, global atomic_uint *sum)
{
    uint i = get_global_id(0);
    atomic_fetch_add_explicit(&sum[((uint)a[i] * 977u + i * 31u) % (uint)get_global_size(0)], 1, memory_order_relaxed, memory_scope_device);
    c[i] = b[i];
}

/* Work-groups hand over to the next. */
kernel void chain(global T *a, global T *b, global T *c, global atomic_uint *flag)
{
    uint i = get_global_id(0), l = get_local_id(0), g = get_group_id(0), size = get_local_size(0);
    if (g) {
        if (l == 0)
            while (!atomic_load_explicit(&flag[g - 1], memory_order_acquire, memory_scope_device))
                ;
        barrier(CLK_GLOBAL_MEM_FENCE);
        c[i] = c[i - size] + b[i];
    } else {
        c[i] = a[i];
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (l == 0)
        atomic_store_explicit(&flag[g], 1, memory_order_release, memory_scope_device);
}

/* Everybody publishes by an object of its own. */
kernel void flags(global T *a, global T *b, global T *c, global atomic_uint *flag)
{
    uint i = get_global_id(0);
    c[i] = a[i] + b[i];
    atomic_store_explicit(&flag[i], 1, memory_order_release, memory_scope_device);
}

kernel void flags_after_barrier(global T *a, global T *b, global T *c, global atomic_uint *flag)
{
    uint i = get_global_id(0);
    c[i] = a[i] + b[i];
    barrier(CLK_GLOBAL_MEM_FENCE);
    atomic_fetch_add_explicit(&flag[i], 1, memory_order_acq_rel, memory_scope_device);
}

kernel void flags_fenced(global T *a, global T *b, global T *c, global atomic_uint *flag)
{
    uint i = get_global_id(0);
    c[i] = a[i] + b[i];
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
    atomic_store_explicit(&flag[i], 1, memory_order_relaxed, memory_scope_device);
}

kernel void flags_relaxed(global T *a, global T *b, global T *c, global atomic_uint *flag)
{
    uint i = get_global_id(0);
    c[i] = a[i] + b[i];
    atomic_store_explicit(&flag[i], 1, memory_order_relaxed, memory_scope_device);
}

/* Words and bytes of one buffer. */
kernel void mixed_sizes(global T *a, global T *b, global T *c)
{
    uint i = get_global_id(0), j = MIXED(i) * (uint)sizeof(T);
    if (!(j & 4))
        ((global uchar *)c)[j] = (uchar)(a[i] + b[i]);
    else if (!(j & 3))
        *(global uint *)((global uchar *)c + j) = (uint)(a[i] + b[i]);
}

kernel void neighbours(global T *a, global T *b, global T *c, global atomic_uint *ticket)
{
    uint i = get_global_id(0), n = get_global_size(0);
    if (get_local_id(0) == 0)
        atomic_fetch_add_explicit(ticket, 1, memory_order_acq_rel, memory_scope_device);
    c[i] = a[i ? i - 1 : 0] + a[i] + a[i + 1 < n ? i + 1 : i] + b[i];
}

/* Atomic objects and data in one buffer; each datum has several readers. */
kernel void beside_atomics(global T *a, global T *b, global T *c)
{
    uint i = get_global_id(0), n = get_global_size(0);
    if (get_local_id(0) == 0)
        atomic_fetch_add_explicit((global atomic_uint *)a, 1, memory_order_acq_rel, memory_scope_device);
    c[i] = a[i > 4 ? i - 1 : 4] + a[i > 4 ? i : 4] + a[i < 4 ? 4 : i + 1 < n ? i + 1 : i] + b[i];
}

/* Everybody's own, spread over all of the memory; then too many notes to keep. */
kernel void spread(global T *a, global T *b, global T *c)
{
    uint i = get_global_id(0), n = get_global_size(0), at = (i * 40503u + 17u) & (n - 1);
    c[at] += a[at];
    a[at] += b[i];
}

/* A table that everybody reads, and data that some read, in no order, beside atomic objects. */
kernel void table_beside_atomics(global T *a, global T *b, global T *c)
{
    uint i = get_global_id(0), n = get_global_size(0);
    if (get_local_id(0) == 0)
        atomic_fetch_add_explicit((global atomic_uint *)a, 1, memory_order_acq_rel, memory_scope_device);
    T sum = b[i];
    for (uint j = 4; j < 36; j++)
        sum += a[j];
    c[i] = sum + a[(i * 40503u + 17u & n - 1) | 4];
}

/* Data that several read, in no order, beside atomic objects. */
kernel void gathers_beside_atomics(global T *a, global T *b, global T *c)
{
    uint i = get_global_id(0), n = get_global_size(0);
    if (get_local_id(0) == 0)
        atomic_fetch_add_explicit((global atomic_uint *)a, 1, memory_order_acq_rel, memory_scope_device);
    T sum = b[i];
    for (uint j = 0; j < 6; j++)
        sum += a[((i + 77777u * j) * (2654435761u + 2 * j) >> 3 & n - 1) | 4];
    c[i] = sum;
}

/* Likewise, each work-group later than the one before. */
kernel void gathers_after_barrier(global T *a, global T *b, global T *c)
{
    uint i = get_global_id(0), n = get_global_size(0);
    if (get_local_id(0) == 0)
        atomic_fetch_add_explicit((global atomic_uint *)a, 1, memory_order_acq_rel, memory_scope_device);
    barrier(CLK_GLOBAL_MEM_FENCE);
    T sum = b[i];
    for (uint j = 0; j < 5; j++)
        sum += a[((i + 77777u * j) * (2654435761u + 2 * j) >> 3 & n - 1) | 4];
    c[i] = sum;
}

T sum_at_random(global T *a, uint i, uint n)
{
    uint r = i * 2654435761u + 1;
    T sum = 0;
    for (uint j = 0; j < READS; j++) {
        r ^= r << 13;
        r ^= r >> 17;
        r ^= r << 5;
        sum += a[(r >> 7 & n - 1) | 4];
    }
    return sum;
}

/* Many each, at random. */
kernel void random_beside_atomics(global T *a, global T *b, global T *c)
{
    uint i = get_global_id(0);
    if (get_local_id(0) == 0)
        atomic_fetch_add_explicit((global atomic_uint *)a, 1, memory_order_acq_rel, memory_scope_device);
    c[i] = b[i] + sum_at_random(a, i, get_global_size(0));
}

/* Likewise, each work-group later than the one before. */
kernel void random_after_barrier(global T *a, global T *b, global T *c)
{
    uint i = get_global_id(0);
    if (get_local_id(0) == 0)
        atomic_fetch_add_explicit((global atomic_uint *)a, 1, memory_order_acq_rel, memory_scope_device);
    barrier(CLK_GLOBAL_MEM_FENCE);
    c[i] = b[i] + sum_at_random(a, i, get_global_size(0));
}

/* What everybody publishes a neighbour takes over. */
kernel void flags_handed(global T *a, global T *b, global T *c, global atomic_uint *flag)
{
    uint i = get_global_id(0);
    c[i] = a[i] + b[i];
    atomic_store_explicit(&flag[i], 1, memory_order_release, memory_scope_device);
    if (i && atomic_load_explicit(&flag[i - 1], memory_order_acquire, memory_scope_device))
        a[i] = c[i - 1];
}
/* Each hands on what it was handed, as far as others came before it. */
kernel void flags_passed(global T *a, global T *b, global T *c, global atomic_uint *flag)
{
    uint i = get_global_id(0);
    c[i] = a[i] + b[i];
    if (i && atomic_load_explicit(&flag[i - 1], memory_order_acquire, memory_scope_device))
        a[i] = c[i - 1];
    atomic_store_explicit(&flag[i], 1, memory_order_release, memory_scope_device);
}

/* What all groups add up, bin by bin, each in the order of atomics that say nothing of their own. */
kernel void sums_of_groups(global T *a, global T *b, global T *c, global atomic_uint *bins)
{
    local atomic_uint own[64];
    uint i = get_global_id(0), l = get_local_id(0);
    if (l < 64)
        atomic_init(&own[l], 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    c[i] = a[i] + b[i];
    atomic_fetch_add(&own[i * 2654435761u >> 26], 1u);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 64)
        atomic_fetch_add(&bins[l], atomic_load(&own[l]));
}

uint mixed(uint i)
{
    uint r = i ^ i >> 16;
    r = (r * 0x7feb352du ^ r * 0x7feb352du >> 15) * 0x846ca68bu;
    return r ^ r >> 16;
}

/* Everybody counts in one of OTHERS places, each of which hands on what it was handed. */
kernel void bins(global T *a, global T *b, global T *c, global atomic_uint *bin)
{
    uint i = get_global_id(0);
    c[i] = a[i] + b[i];
    atomic_fetch_add(&bin[mixed(i) % OTHERS], 1u);
}

/* In two of them, as the ends of an edge: what one place was handed the other hands on. */
kernel void pairs(global T *a, global T *b, global T *c, global atomic_uint *bin)
{
    uint i = get_global_id(0);
    c[i] = a[i] + b[i];
    atomic_fetch_add(&bin[mixed(i) % OTHERS], 1u);
    atomic_fetch_add(&bin[mixed(i + 77777777u) % OTHERS], 1u);
}

/* One after another: what each of them knows grows by the others'. */
void update_each(global atomic_uint *bin, uint times)
{
    uint i = get_global_id(0);
    for (uint turn = 0; turn < times; turn++)
        atomic_fetch_add(&bin[mixed(i * times + turn) % OTHERS], 1u);
}

kernel void fours(global T *a, global T *b, global T *c, global atomic_uint *bin)
{
    uint i = get_global_id(0);
    c[i] = a[i] + b[i];
    update_each(bin, 4);
}

kernel void eights(global T *a, global T *b, global T *c, global atomic_uint *bin)
{
    uint i = get_global_id(0);
    c[i] = a[i] + b[i];
    update_each(bin, 8);
}

/* A hash table: compare-exchanges, of which most fail, from a scattered place on. */
kernel void inserts(global T *a, global T *b, global T *c, global atomic_int *other)
{
    const int i = get_global_id(0);
    const uint hash = (uint)i * 2654435761u >> 8;
    for (int k = 0; k < 8; k++) {
        int expected = 0;
        if (atomic_compare_exchange_strong_explicit(&other[(hash + k) % OTHERS], &expected, i + 1, memory_order_relaxed, memory_order_relaxed, memory_scope_device))
            break;
    }
    c[i] = a[i] + b[i];
}

kernel void looks(global T *a, global T *b, global T *c, global atomic_int *other)
{
    const int i = get_global_id(0);
    const uint hash = (uint)i * 2654435761u >> 8;
    int sum = 0;
    for (int k = 0; k < 8; k++)
        sum += atomic_load_explicit(&other[(hash + k) % OTHERS], memory_order_relaxed, memory_scope_device);
    c[i] = a[i] + b[i] + sum;
}

/* Each reads all over an allocation, and writes what is its own there. */
kernel void wander(global T *a, global T *b, global T *c)
{
    const uint i = get_global_id(0);
    uint at = i;
    float sum = 0;
    for (int k = 0; k < 18; k++) {
        at = at * 1664525u + 1013904223u;
        sum += a[(at >> 8) % (ITEMS / 2) * 2];
    }
    if (i < ITEMS / 2)
        a[2 * i + 1] = sum;
#ifdef RACY
    if (i == ITEMS - 1)
        a[at % (ITEMS / 2) * 2] = sum;
#endif
}

uint hashed(uint i) { return (i * 2654435761u ^ i >> 7) * 2246822519u >> 9; }

int take(global atomic_int *lock)
{
    int open = 0;
    return atomic_compare_exchange_strong_explicit(lock, &open, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device);
}

void give(global atomic_int *lock) { atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device); }

/* A word that a lock guards; many locks, and few who come to the same one. */
kernel void locks(global T *a, global T *b, global T *c, global atomic_int *other)
{
    const uint i = get_global_id(0), at = hashed(i) % OTHERS;
    c[i] = 0;
    for (int done = 0; !done;)
        if (take(&other[at])) {
            a[at] += b[i];
            give(&other[at]);
            done = 1;
        }
}

/* From one account to another: two locks at a time, the lower one first. */
kernel void transfers(global T *a, global T *b, global T *c, global atomic_int *other)
{
    const uint i = get_global_id(0), from = hashed(i) % OTHERS, to = hashed(i * 7 + 1) % OTHERS, low = min(from, to), high = max(from, to);
    c[i] = b[i];
    for (int done = from == to; !done;)
        if (take(&other[low])) {
            if (take(&other[high])) {
                a[from] -= 1;
                a[to] += 1;
                give(&other[high]);
                done = 1;
            }
            give(&other[low]);
        }
}

/* Each work-group reads what four earlier ones wrote, whoever they are, and has waited for. */
kernel void waits(global T *a, global T *b, global T *c, global atomic_int *other)
{
    const uint group = get_group_id(0), local_id = get_local_id(0), size = get_local_size(0), i = get_global_id(0);
    T sum = b[i];
    for (uint k = 0; k < 4; k++) {
        const uint earlier = hashed(group * 4 + k) % (group + 1);
        if (earlier == group)
            continue;
        if (local_id == 0)
            while (!atomic_load_explicit(&other[earlier], memory_order_acquire, memory_scope_device))
                ;
        barrier(CLK_GLOBAL_MEM_FENCE);
        sum += a[earlier * size + local_id];
    }
    a[i] = sum;
    c[i] = sum;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (local_id == 0)
        atomic_store_explicit(&other[group], 1, memory_order_release, memory_scope_device);
}

#define ADD(n) if (get_local_id(0) == n) atomic_fetch_add_explicit(word, 1, memory_order_release, memory_scope_device);

/* Words of each work-group but the last: who wrote them first, twenty who add, each at a place of its own; then the last one writes, without a word. */
kernel void written_twice(global T *a, global T *b, global T *c, global atomic_int *other)
{
    const uint group = get_group_id(0), last = get_num_groups(0) - 1, of_group = OTHERS / get_num_groups(0);
    global int *plain = (global int *)other;
    if (group < last && get_local_id(0) == 0)
        for (uint k = 0; k < of_group; k++)
            plain[group * of_group + k] = k;
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint k = 0; group < last && k < of_group; k++) {
        global atomic_int *word = &other[group * of_group + k];
        ADD(1) ADD(2) ADD(3) ADD(4) ADD(5) ADD(6) ADD(7) ADD(8) ADD(9) ADD(10)
        ADD(11) ADD(12) ADD(13) ADD(14) ADD(15) ADD(16) ADD(17) ADD(18) ADD(19) ADD(20)
    }
    if (group == last && get_local_id(0) == 0)
        for (uint k = last * of_group; k-- > 0;)
            plain[k] = k;
}
